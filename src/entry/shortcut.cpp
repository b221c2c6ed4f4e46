// SPDX-License-Identifier: Apache-2.0
// The C API of short-cutting.
#include "sets/votes/shortcut.hpp"

#include <fmt/format.h>

#include "entry/p2p/p2p.hpp"
#include "entry/refuse.hpp"
#include "entry/sets/declared.hpp"
#include "lapwing/shortcut.h"
#include "sets/declared/declared.hpp"
#include "sets/declared/declared_comm.hpp"

using lapwing::entry::refuse;
using lapwing::sets::Shortcut;
namespace declared = lapwing::sets::declared;

struct lapwing_shortcut : Shortcut {
  using Shortcut::Shortcut;
};

lapwing_shortcut* lapwing::entry::begin_shortcut(const void* here, MPI_Comm comm, int choice) {
  const char* routine = "lapwing_shortcut_begin";
  if (!declared::Declared::get())
    refuse(routine, here,
           "it is called before MPI_Init or after MPI_Finalize, or not every program of this job was linked "
           "with "
           "Lapwing");
  if (choice != LAPWING_SHORTCUT_ANY && choice != LAPWING_SHORTCUT_LOWEST)
    refuse(routine, here,
           fmt::format("the choice {} is neither LAPWING_SHORTCUT_ANY nor LAPWING_SHORTCUT_LOWEST", choice));
  if (const std::string why = declared::Comm::open(comm); !why.empty()) refuse(routine, here, why);
  return new lapwing_shortcut(comm, choice == LAPWING_SHORTCUT_LOWEST);
}

LAPWING_ENTRY lapwing_shortcut* lapwing_shortcut_begin(MPI_Comm comm, int choice) {
  return lapwing::entry::begin_shortcut(__builtin_return_address(0), comm, choice);
}

LAPWING_ENTRY void lapwing_shortcut_found(lapwing_shortcut* context, const void* data, size_t size) {
  context->found(data, size);
}

LAPWING_ENTRY int lapwing_shortcut_done(lapwing_shortcut* context) { return context->done(); }

LAPWING_ENTRY int lapwing_shortcut_end(lapwing_shortcut* context, void* data, size_t size) {
  std::string why;
  const int finder = context->end(data, size, &why);
  if (!why.empty()) refuse("lapwing_shortcut_end", __builtin_return_address(0), why);
  delete context;
  return finder;
}
