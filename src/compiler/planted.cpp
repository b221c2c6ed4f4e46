// SPDX-License-Identifier: Apache-2.0
#include "compiler/planted.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace lapwing::compiler {
namespace {

Planted read_planted() {
  const char* testing = std::getenv("LAPWING_TESTING");
  const char* name = std::getenv("LAPWING_PASS_FAULT");
  if (!name || !testing || llvm::StringRef(testing) != "1") return Planted::none;
  const auto fault = llvm::StringSwitch<Planted>(name)
                         .Case("writes", Planted::writes)
                         .Case("reads", Planted::reads)
                         .Case("overwrites", Planted::overwrites)
                         .Case("blocks", Planted::blocks)
                         .Case("calls", Planted::calls)
                         .Case("aliases", Planted::aliases)
                         .Case("sizes", Planted::sizes)
                         .Case("exchanged", Planted::exchanged)
                         .Case("status", Planted::status)
                         .Case("place", Planted::place)
                         .Case("climb", Planted::climb)
                         .Case("interior", Planted::interior)
                         .Case("survey", Planted::survey)
                         .Case("lists", Planted::lists)
                         .Default(Planted::none);
  if (fault == Planted::none) llvm::errs() << "lapwing: LAPWING_PASS_FAULT=" << name << " names no fault.\n";
  return fault;
}

}  // namespace

bool has(Planted fault) {
  static const Planted planted = read_planted();
  return planted == fault;
}

}  // namespace lapwing::compiler
