// SPDX-License-Identifier: Apache-2.0
// Type signatures: which basic elements a message has, in which order. Those of
// all members of a collective call must agree, however their types are built.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace lapwing::sets {

/// Of a sequence of basic elements; equal for equal sequences, and different
/// ones differ but for a chance of 2^-64.
struct TypeSignature {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  ///< of the base, to the number of elements
  std::uint64_t elements = 0;
  bool packed = false;  ///< MPI_PACKED may stand for anything

  void append(const TypeSignature& next);
  TypeSignature repeated(std::uint64_t times) const;
  /// For comparing: never 0.
  std::uint64_t value() const { return packed ? ~std::uint64_t{0} : (hash * 31 + elements) | 1; }
};

/// Of `count` elements of a type; empty for arguments that MPI will refuse.
/// C's and Fortran's names of one machine type count as the same.
TypeSignature signature_of(MPI_Count count, MPI_Datatype type);

/// Of the one basic type of which all elements of a type are; without elements where
/// there are several, or the type is too large to be looked into for each message.
TypeSignature leaf_of(MPI_Datatype type);

/// "MPI_INT", or "a derived type": lives on.
const char* type_name(MPI_Datatype type);

}  // namespace lapwing::sets
