// SPDX-License-Identifier: Apache-2.0
// What compiled code says of declared communication (lapwing/compiled_declared.h).
#include <algorithm>

#include "entry/p2p/p2p.hpp"
#include "lapwing/compiled_declared.h"
#include "lapwing/declare.h"
#include "mpi_fortran.hpp"
#include "sets/declared/declared.hpp"

using lapwing::sets::declared::Declared;
using lapwing::sets::declared::Layout;
using lapwing::sets::declared::Range;

// The declaration itself reports wrong arguments.
LAPWING_ENTRY void lapwing_declared_note(lapwing_noted* noted, const void* buffer, int count,
                                         MPI_Datatype type) {
  if (!Declared::get() || count <= 0 || type == MPI_DATATYPE_NULL || buffer == MPI_IN_PLACE) return;
  const Range range = Layout(count, type).range(buffer);
  if (range.begin == range.end) return;
  const bool keeps = noted->begin != noted->end && Declared::get()->pending() > 0;
  noted->begin = keeps ? std::min<std::size_t>(noted->begin, range.begin) : range.begin;
  noted->end = keeps ? std::max<std::size_t>(noted->end, range.end) : range.end;
}

LAPWING_ENTRY void lapwing_declared_note_f(lapwing_noted* noted, const void* buffer, int count,
                                           MPI_Fint type) {
  if (!lapwing::mpi::is_fortran_in_place(buffer))
    lapwing_declared_note(noted, buffer, count, PMPI_Type_f2c(type));
}

LAPWING_ENTRY void lapwing_declared_use(const lapwing_noted* noted) {
  lapwing_use(reinterpret_cast<const void*>(noted->begin), noted->end - noted->begin);
}

LAPWING_ENTRY void lapwing_declared_define(const lapwing_noted* noted) {
  lapwing_define(reinterpret_cast<const void*>(noted->begin), noted->end - noted->begin);
}
