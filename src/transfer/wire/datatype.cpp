// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/datatype.hpp"

#include <algorithm>

#include "guard/devices.hpp"
#include "transfer/wire/type_contents.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

std::size_t payload_bytes(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

bool is_predefined(MPI_Datatype type) {
  Envelope made;
  return read_envelope(type, &made) && made.combiner == MPI_COMBINER_NAMED;
}

namespace {

// Only constructions that keep order and leave no gap; anything else travels
// the plain way, as a type map may permute bytes without leaving a gap.
bool is_run(MPI_Datatype type, int depth = 0) {
  Envelope made;
  if (!read_envelope(type, &made)) return false;
  const int combiner = made.combiner;
  if (combiner == MPI_COMBINER_NAMED) {
    MPI_Count size, lower, extent;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &extent);
    return size == extent && lower == 0;
  }
  if ((combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) || depth > 8) return false;
  TypeContents contents;
  if (!read_contents(type, made, &contents) || contents.types.size() != 1) return false;
  MPI_Datatype& inner = contents.types.front();
  const bool run = is_run(inner, depth + 1);
  if (!is_predefined(inner)) PMPI_Type_free(&inner);
  return run;
}

// Ten bytes of each sixteen are a number. MPICH copies these alone where a type leaves gaps, so that a
// header, whose bytes are of no type, loses the others.
bool has_unused_bytes(MPI_Datatype predefined) {
  return predefined == MPI_LONG_DOUBLE || predefined == MPI_C_LONG_DOUBLE_COMPLEX ||
         predefined == MPI_CXX_LONG_DOUBLE_COMPLEX;
}

// The size of all basic elements, 0 for none yet, -1 where they differ or do not carry all their bytes.
MPI_Count element_size(MPI_Datatype type, int depth) {
  Envelope made;
  if (depth > 16 || !read_envelope(type, &made)) return -1;
  const int combiner = made.combiner;
  if (combiner == MPI_COMBINER_NAMED) {
    MPI_Count size, lower, extent;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &extent);
    // A pair has elements of two sizes.
    return size == extent && !has_unused_bytes(type) ? size : -1;
  }
  if (combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
      combiner == MPI_COMBINER_F90_INTEGER) {
    return -1;
  }
  TypeContents contents;
  if (!read_contents(type, made, &contents)) return -1;
  MPI_Count size = 0;
  for (MPI_Datatype& part : contents.types) {
    const MPI_Count its = element_size(part, depth + 1);
    if (its != 0 && size != 0 && its != size)
      size = -1;
    else if (size != -1 && its != 0)
      size = its;
    if (!is_predefined(part)) PMPI_Type_free(&part);
  }
  return size;
}

}  // namespace

bool header_fits(MPI_Datatype type) {
  const MPI_Count size = element_size(type, 0);
  return size > 0 && static_cast<MPI_Count>(header_multiple) % size == 0;
}

char* contiguous_base(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (buffer == MPI_BOTTOM || !is_run(type)) return nullptr;
  if (!guard::reachable(buffer, payload_bytes(count, type))) return nullptr;
  return const_cast<char*>(static_cast<const char*>(buffer));
}

Span buffer_span(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return {static_cast<const char*>(buffer), 0};
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  // A negative extent puts later elements before earlier ones.
  const MPI_Count reach = (count - 1) * extent;
  const MPI_Count from = true_lower + std::min<MPI_Count>(0, reach);
  const MPI_Count to = true_lower + true_extent + std::max<MPI_Count>(0, reach);
  return {static_cast<const char*>(buffer) + from,
          static_cast<std::size_t>(std::max<MPI_Count>(0, to - from))};
}

void outlive(MPI_Datatype* type, MPI_Datatype* kept) {
  if (is_predefined(*type)) return;
  PMPI_Type_dup(*type, kept);
  *type = *kept;
}

}  // namespace lapwing::transfer
