// SPDX-License-Identifier: Apache-2.0
#include "sets/check/type_signature.hpp"

#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "transfer/wire/type_contents.hpp"

namespace lapwing::sets {
namespace {

using transfer::Envelope;
using transfer::TypeContents;

constexpr std::uint64_t base = 0x9e3779b97f4a7c15u;

/// The kind of number that a basic type is; kind and size must match.
struct Known {
  const char* name;
  char kind;
};
constexpr Known known[] = {{"MPI_CHAR", 'i'},
                           {"MPI_SIGNED_CHAR", 'i'},
                           {"MPI_SHORT", 'i'},
                           {"MPI_INT", 'i'},
                           {"MPI_LONG", 'i'},
                           {"MPI_LONG_LONG", 'i'},
                           {"MPI_LONG_LONG_INT", 'i'},
                           {"MPI_INT8_T", 'i'},
                           {"MPI_INT16_T", 'i'},
                           {"MPI_INT32_T", 'i'},
                           {"MPI_INT64_T", 'i'},
                           {"MPI_AINT", 'i'},
                           {"MPI_OFFSET", 'i'},
                           {"MPI_COUNT", 'i'},
                           {"MPI_INTEGER", 'i'},
                           {"MPI_INTEGER1", 'i'},
                           {"MPI_INTEGER2", 'i'},
                           {"MPI_INTEGER4", 'i'},
                           {"MPI_INTEGER8", 'i'},
                           {"MPI_INTEGER16", 'i'},
                           {"MPI_CHARACTER", 'i'},
                           {"MPI_UNSIGNED_CHAR", 'u'},
                           {"MPI_UNSIGNED_SHORT", 'u'},
                           {"MPI_UNSIGNED", 'u'},
                           {"MPI_UNSIGNED_LONG", 'u'},
                           {"MPI_UNSIGNED_LONG_LONG", 'u'},
                           {"MPI_UINT8_T", 'u'},
                           {"MPI_UINT16_T", 'u'},
                           {"MPI_UINT32_T", 'u'},
                           {"MPI_UINT64_T", 'u'},
                           {"MPI_FLOAT", 'f'},
                           {"MPI_DOUBLE", 'f'},
                           {"MPI_LONG_DOUBLE", 'f'},
                           {"MPI_REAL", 'f'},
                           {"MPI_REAL4", 'f'},
                           {"MPI_REAL8", 'f'},
                           {"MPI_REAL16", 'f'},
                           {"MPI_DOUBLE_PRECISION", 'f'},
                           {"MPI_COMPLEX", 'c'},
                           {"MPI_DOUBLE_COMPLEX", 'c'},
                           {"MPI_COMPLEX8", 'c'},
                           {"MPI_COMPLEX16", 'c'},
                           {"MPI_COMPLEX32", 'c'},
                           {"MPI_C_COMPLEX", 'c'},
                           {"MPI_C_FLOAT_COMPLEX", 'c'},
                           {"MPI_C_DOUBLE_COMPLEX", 'c'},
                           {"MPI_C_LONG_DOUBLE_COMPLEX", 'c'},
                           {"MPI_LOGICAL", 'l'},
                           {"MPI_C_BOOL", 'b'},
                           {"MPI_CXX_BOOL", 'b'},
                           {"MPI_BYTE", 'y'},
                           {"MPI_WCHAR", 'w'}};

struct Pair {
  const char* name;
  char first, second;
  int first_size, second_size;
};
constexpr Pair pairs[] = {{"MPI_FLOAT_INT", 'f', 'i', 4, 4},        {"MPI_DOUBLE_INT", 'f', 'i', 8, 4},
                          {"MPI_LONG_INT", 'i', 'i', 8, 4},         {"MPI_SHORT_INT", 'i', 'i', 2, 4},
                          {"MPI_LONG_DOUBLE_INT", 'f', 'i', 16, 4}, {"MPI_2INT", 'i', 'i', 4, 4},
                          {"MPI_2INTEGER", 'i', 'i', 4, 4},         {"MPI_2REAL", 'f', 'f', 4, 4},
                          {"MPI_2DOUBLE_PRECISION", 'f', 'f', 8, 8}};

TypeSignature one(char kind, int size) {
  std::uint64_t code = static_cast<unsigned char>(kind) * 1000003u + static_cast<unsigned>(size);
  code = (code ^ (code >> 7)) * 0xbf58476d1ce4e5b9u;
  return {code ^ (code >> 31), base, 1, false};
}

struct Basic {
  std::string name;
  TypeSignature signature;
};

Basic look_up(MPI_Datatype type) {
  Basic basic;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0, size = 0;
  PMPI_Type_get_name(type, name, &length);
  PMPI_Type_size(type, &size);
  basic.name = length > 0 ? name : "a basic type";
  if (basic.name == "MPI_PACKED") {
    basic.signature = one('p', 1);
    basic.signature.packed = true;
    return basic;
  }
  for (const Pair& pair : pairs) {
    if (basic.name != pair.name || size != pair.first_size + pair.second_size) continue;
    basic.signature = one(pair.first, pair.first_size);
    basic.signature.append(one(pair.second, pair.second_size));
    return basic;
  }
  char kind = 'o';
  for (const Known& k : known) {
    if (basic.name == k.name) kind = k.kind;
  }
  basic.signature = one(kind, size);
  return basic;
}

// Basic types are never freed, so what is known of them stays true.
const Basic& basic_of(MPI_Datatype type) {
  static std::mutex lock;
  static std::unordered_map<std::uint64_t, std::unique_ptr<Basic>> map;
  std::uint64_t key = 0;
  std::memcpy(&key, &type, sizeof type);
  std::lock_guard guard(lock);
  std::unique_ptr<Basic>& basic = map[key];
  if (!basic) basic = std::make_unique<Basic>(look_up(type));
  return *basic;
}

// One that MPI says nothing of counts as basic.
Envelope made_by(MPI_Datatype type) {
  Envelope made;
  return transfer::read_envelope(type, &made) ? made : Envelope{};
}

bool is_basic(const Envelope& made) {
  const int combiner = made.combiner;
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

TypeSignature of_type(MPI_Datatype type);

TypeSignature of_blocks(const MPI_Count* lengths, MPI_Count count, const TypeSignature& element) {
  std::uint64_t elements = 0;
  for (MPI_Count i = 0; i < count; ++i) elements += static_cast<std::uint64_t>(lengths[i]);
  return element.repeated(elements);
}

TypeSignature of_parts(int combiner, const std::vector<MPI_Count>& n, const std::vector<TypeSignature>& parts,
                       std::uint64_t size, std::uint64_t part_size) {
  auto product = [&](MPI_Count from, MPI_Count count) {
    std::uint64_t elements = 1;
    for (MPI_Count i = 0; i < count; ++i)
      elements *= static_cast<std::uint64_t>(n[static_cast<std::size_t>(from + i)]);
    return elements;
  };
  switch (combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return parts[0].repeated(product(0, 1));
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return parts[0].repeated(product(0, 2));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return of_blocks(n.data() + 1, n[0], parts[0]);
    case MPI_COMBINER_STRUCT: {
      TypeSignature all;
      for (MPI_Count i = 0; i < n[0]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        all.append(parts[at].repeated(static_cast<std::uint64_t>(n[at + 1])));
      }
      return all;
    }
    case MPI_COMBINER_SUBARRAY:
      return parts[0].repeated(product(1 + n[0], n[0]));
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return parts[0];
    default:  // a part of a distributed array
      return parts[0].repeated(part_size ? size / part_size : 0);
  }
}

TypeSignature of_derived(MPI_Datatype type, const Envelope& made) {
  TypeContents contents;
  if (made.types == 0 || !transfer::read_contents(type, made, &contents)) return {};
  std::vector<TypeSignature> parts;
  MPI_Count size = 0, part_size = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_size_x(contents.types.front(), &part_size);
  for (MPI_Datatype& part : contents.types) {
    parts.push_back(of_type(part));
    if (!is_basic(made_by(part))) PMPI_Type_free(&part);
  }
  return of_parts(made.combiner, contents.numbers, parts, static_cast<std::uint64_t>(size),
                  static_cast<std::uint64_t>(part_size));
}

TypeSignature of_type(MPI_Datatype type) {
  const Envelope made = made_by(type);
  return is_basic(made) ? basic_of(type).signature : of_derived(type, made);
}

}  // namespace

void TypeSignature::append(const TypeSignature& next) {
  hash = hash * next.power + next.hash;
  power *= next.power;
  elements += next.elements;
  packed = packed || next.packed;
}

TypeSignature TypeSignature::repeated(std::uint64_t times) const {
  TypeSignature all, doubled = *this;
  for (; times; times >>= 1) {
    if (times & 1) all.append(doubled);
    TypeSignature again = doubled;
    doubled.append(again);
  }
  return all;
}

TypeSignature signature_of(MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return {};
  return of_type(type).repeated(static_cast<std::uint64_t>(count));
}

TypeSignature leaf_of(MPI_Datatype type) {
  constexpr int few = 64;
  if (type == MPI_DATATYPE_NULL) return {};
  const Envelope made = made_by(type);
  if (is_basic(made)) {
    const TypeSignature& all = basic_of(type).signature;
    return all.elements == 1 ? all : TypeSignature{};
  }
  TypeContents contents;
  if (made.integers > few || made.addresses > few || made.counts > few || made.types == 0 ||
      made.types > few || !transfer::read_contents(type, made, &contents))
    return {};
  TypeSignature leaf;
  bool first = true;
  for (MPI_Datatype& part : contents.types) {
    const TypeSignature next = leaf_of(part);
    if (first) leaf = next;
    first = false;
    if (next.value() != leaf.value()) leaf = {};
    if (!is_basic(made_by(part))) PMPI_Type_free(&part);
  }
  return leaf;
}

const char* type_name(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  return is_basic(made_by(type)) ? basic_of(type).name.c_str() : "a derived type";
}

}  // namespace lapwing::sets
