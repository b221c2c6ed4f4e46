// SPDX-License-Identifier: Apache-2.0
// What the engine must know of a datatype: how many bytes, and whether a
// buffer of it is one run of bytes in the order in which they are sent.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "flavour.hpp"

namespace lapwing::transfer {

/// Bytes of payload of `count` elements; 0 for arguments that MPI will refuse.
std::size_t payload_bytes(MPI_Count count, MPI_Datatype type);

/// True where `count` elements of `type` surely hold fewer than `limit` bytes.
/// A few instructions for predefined datatypes: the fast path of every call.
inline bool surely_below(MPI_Count count, MPI_Datatype type, std::size_t limit) {
  const std::size_t size = mpi::quick_type_size(type);
  return size != 0 && static_cast<std::size_t>(count) * size < limit;
}

/// The first byte if the buffer is one run in send order that the processor
/// reaches, else nullptr: then only MPI reads and writes it.
char* contiguous_base(const void* buffer, MPI_Count count, MPI_Datatype type);

/// The memory that the buffer spans, gaps included.
struct Span {
  const char* begin;
  std::size_t length;
};
Span buffer_span(const void* buffer, MPI_Count count, MPI_Datatype type);

/// True where the first header_bytes bytes of a buffer end with a whole element and MPI carries
/// all bytes of each: all basic elements of the type have one size, a divisor of header_multiple.
bool header_fits(MPI_Datatype type);

/// True for a datatype that no program may free.
bool is_predefined(MPI_Datatype type);

/// Makes `*type` one that lives on when the program frees its own: a duplicate,
/// then also in `*kept` for whoever frees it.
void outlive(MPI_Datatype* type, MPI_Datatype* kept);

}  // namespace lapwing::transfer
