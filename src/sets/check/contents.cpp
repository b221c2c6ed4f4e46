// SPDX-License-Identifier: Apache-2.0
#include "sets/check/contents.hpp"

#include <fmt/format.h>

#include "sets/check/type_signature.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::sets {

Element element_of(MPI_Datatype type) {
  // Basic types are never freed; most programs send messages of one.
  static thread_local MPI_Datatype last = MPI_DATATYPE_NULL;
  static thread_local Element element_of_last;
  Element element;
  if (type == MPI_DATATYPE_NULL) return element;
  if (type == last) return element_of_last;
  const TypeSignature leaf = leaf_of(type);
  int size = 0;
  // Strictly MPI_BYTE meets itself only; programs use it for anything, and get what they want.
  static const std::uint64_t byte = signature_of(1, MPI_BYTE).value();
  if (leaf.packed || leaf.value() == byte || leaf.elements != 1 || PMPI_Type_size(type, &size) != MPI_SUCCESS)
    return element;
  element.value = leaf.value();
  element.size = size;
  element.name = type_name(type);
  if (transfer::is_predefined(type)) {
    last = type;
    element_of_last = element;
  }
  return element;
}

std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

std::string amount_text(std::int64_t count, const std::string& type) {
  return fmt::format("{} {}{}", count, type.rfind("a ", 0) == 0 ? "of " : "", type);
}

void Contents::add(const Element& element, std::uint64_t bytes, const Part& first) {
  if (bytes == 0 || !known_) return;
  if (element.size == 0) return forget();
  for (Part& part : parts_) {
    if (part.value != element.value) continue;
    part.bytes += bytes;
    return;
  }
  parts_.push_back(first);
  parts_.back().value = element.value;
  parts_.back().type = element.name;
  parts_.back().bytes = bytes;
}

const Contents::Part* Contents::find(std::uint64_t value) const {
  for (const Part& part : parts_) {
    if (part.value == value) return &part;
  }
  return nullptr;
}

}  // namespace lapwing::sets
