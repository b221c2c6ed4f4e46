// SPDX-License-Identifier: Apache-2.0
// The routines that the pass knows. Any other MPI call may do anything.
#include <llvm/ADT/StringMap.h>

#include <initializer_list>
#include <string>

#include "compiler/mpi/calls.hpp"
#include "compiler/waits/split_collectives.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

// Written by src/calls/generate.py.
const Routine routines[] = {
#include "routines.inc"
};

Routine plain(StringRef name, Kind kind, int arguments, std::initializer_list<int> outputs = {},
              bool whole = false) {
  Routine r{name, kind, false, arguments};
  for (int index : outputs) r.outputs |= 1u << index;
  r.whole_outputs = whole;
  return r;
}

const llvm::StringMap<Routine>& table() {
  static const llvm::StringMap<Routine> by_name = [] {
    llvm::StringMap<Routine> t;
    for (const Routine& one : routines) t[one.name] = one;
    return t;
  }();
  return by_name;
}

const Routine& unknown_routine() {
  static const Routine routine{"?", Kind::outside};
  return routine;
}

const llvm::StringMap<Routine>& runtime_table() {
  static const llvm::StringMap<Routine> by_name = [] {
    llvm::StringMap<Routine> t;
    for (const char* name : {"lapwing_start_send", "lapwing_start_ssend", "lapwing_post_send",
                             "lapwing_post_ssend", "lapwing_pair_send", "lapwing_pair_copy"}) {
      Routine r{name, Kind::token_start, true, 6, 0, 1, 2, 3, 4, 5};
      t[name] = r;
      t[std::string(name) + "_"] = r;
    }
    for (const char* name : {"lapwing_start_recv", "lapwing_start_recv_matched", "lapwing_post_recv",
                             "lapwing_pair_recv", "lapwing_pair_recv_matched"}) {
      Routine r{name, Kind::token_start, true, 7, 0, 1, 2, 3, 4, 5};
      r.status = 6;
      r.receive = 0;
      t[name] = r;
      t[std::string(name) + "_"] = r;
    }
    t["lapwing_wait"] = Routine{"lapwing_wait", Kind::token_wait, false, 1};
    for (const char* name : {"lapwing_push", "lapwing_drain"})
      t[name] = plain(name, Kind::token_wait, name[8] == 'p' ? 2 : 1, {0}, true);
    for (const char* name : {"lapwing_poll", "lapwing_reach_token"})
      t[name] = Routine{name, Kind::poll, false, 1};
    for (const char* name :
         {"lapwing_defer", "lapwing_defer_receives", "lapwing_retire", "lapwing_reach", "lapwing_defer_",
          "lapwing_defer_receives_", "lapwing_retire_", "lapwing_reach_"})
      t[name] = Routine{name, Kind::poll, false, 2};
    for (const char* name : {"lapwing_may_split", "lapwing_may_split_"})
      t[name] = Routine{name, Kind::poll, false, 4};
    for (const char* name : {"lapwing_verify_started", "lapwing_verify_started_"})
      t[name] = Routine{name, Kind::poll, false, 6};
    for (const char* name : {"lapwing_may_sink", "lapwing_may_sink_", "lapwing_verify_next"})
      t[name] = Routine{name, Kind::poll, false, 1};
    for (const char* name : {"lapwing_interior_is_worth", "lapwing_interior_begin", "lapwing_interior_inside",
                             "lapwing_interior_end_inside"})
      t[name] = Routine{name, Kind::poll, false, 1};
    t["lapwing_interior_access"] = Routine{"lapwing_interior_access", Kind::poll, false, 10};
    t["lapwing_interior_end"] = Routine{"lapwing_interior_end", Kind::poll, false, 0};
    t["lapwing_interior_avoided"] = Routine{"lapwing_interior_avoided", Kind::poll, false, 1};
    t["lapwing_interior_open"] = Routine{"lapwing_interior_open", Kind::poll, false, 4};
    for (const char* name : {"lapwing_interior_lay_out", "lapwing_interior_lay_out_"})
      t[name] = Routine{name, Kind::poll, false, 4};
    for (const char* name : {"lapwing_interior_put_aside", "lapwing_interior_stop", "lapwing_interior_keep",
                             "lapwing_interior_keep_layout"})
      t[name] = Routine{name, Kind::poll, false, 2};
    for (const char* name : {"lapwing_interior_left", "lapwing_interior_early", "lapwing_interior_look"})
      t[name] = Routine{name, Kind::poll, false, 1};
    for (const char* name : {"lapwing_interior_recall", "lapwing_interior_written", "lapwing_interior_give"})
      t[name] = Routine{name, Kind::poll, false, 3};
    t["lapwing_interior_remember"] = Routine{"lapwing_interior_remember", Kind::poll, false, 5};
    for (const Collective& one : collectives()) {
      const std::string name = one.name.str();
      const Routine& plain_call = table().find(one.name)->second;
      for (const char* language : {"", "_"}) {
        for (const char* stem : {"lapwing_may_split_", "lapwing_start_", "lapwing_call_"}) {
          auto& entry = *t.try_emplace(stem + name + language).first;
          entry.second = plain_call;
          entry.second.name = entry.first();
        }
      }
    }
    return t;
  }();
  return by_name;
}

}  // namespace

std::optional<Symbol> find_symbol(StringRef symbol) {
  Interface interface = Interface::c;
  StringRef name = symbol;
  if (name.consume_front("MPI_") || name.consume_front("PMPI_")) {
    if (name.empty()) return {};
  } else if (name.consume_front("mpi_") || name.consume_front("pmpi_")) {
    interface = Interface::fortran;
    if (!name.consume_back("__") && !name.consume_back("_")) return {};
  } else if (name.consume_front("lapwing_f08_")) {
    interface = Interface::fortran;
  } else {
    const auto found = runtime_table().find(symbol);
    if (found == runtime_table().end()) return {};
    return Symbol{&found->second, Interface::c};
  }
  const auto found = table().find(name.lower());
  return Symbol{found == table().end() ? &unknown_routine() : &found->second, interface};
}

}  // namespace lapwing::compiler
