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

Routine send(StringRef name, Kind kind, bool standard, bool has_request) {
  Routine r{name, kind, standard, has_request ? 7 : 6, 0, 1, 2, 3, 4, 5};
  if (has_request) r.request = 6;
  return r;
}

Routine receive(StringRef name, Kind kind, bool has_request) {
  Routine r{name, kind, true, 7, 0, 1, 2, 3, 4, 5};
  (has_request ? r.request : r.status) = 6;
  return r;
}

Routine plain(StringRef name, Kind kind, int arguments, std::initializer_list<int> outputs = {},
              bool whole = false) {
  Routine r{name, kind, false, arguments};
  for (int index : outputs) r.outputs |= 1u << index;
  r.whole_outputs = whole;
  return r;
}

Routine collective_routine(StringRef name, int arguments, std::initializer_list<int> memory) {
  return plain(name, Kind::collective, arguments, memory, true);
}

Routine completion(StringRef name, Kind kind, int arguments, int request, int requests, int status,
                   std::initializer_list<int> outputs = {}) {
  Routine r = plain(name, kind, arguments, outputs, true);
  r.request = request;
  r.requests = requests;
  r.status = status;
  if (requests >= 0) r.count = 0;
  return r;
}

llvm::StringMap<Routine> make_table() {
  llvm::StringMap<Routine> table;
  auto add = [&](const Routine& r) { table[r.name] = r; };
  add(send("send", Kind::send, true, false));
  add(send("bsend", Kind::send, false, false));
  add(send("rsend", Kind::send, false, false));
  add(send("ssend", Kind::ssend, false, false));
  add(send("isend", Kind::isend, true, true));
  add(send("ibsend", Kind::isend, false, true));
  add(send("irsend", Kind::isend, false, true));
  add(send("issend", Kind::issend, false, true));
  add(send("send_init", Kind::send_init, true, true));
  add(send("bsend_init", Kind::send_init, false, true));
  add(send("rsend_init", Kind::send_init, false, true));
  add(send("ssend_init", Kind::send_init, false, true));
  add(receive("recv", Kind::recv, false));
  add(receive("irecv", Kind::irecv, true));
  add(receive("recv_init", Kind::recv_init, true));

  Routine both{"sendrecv", Kind::sendrecv, true, 12, 0, 1, 2, 3, 4, 10};
  both.receive = 5;
  both.status = 11;
  add(both);
  Routine replace{"sendrecv_replace", Kind::sendrecv_replace, true, 9, 0, 1, 2, 3, 4, 7};
  replace.receive = 5;
  replace.status = 8;
  add(replace);

  add(completion("wait", Kind::wait, 2, 0, -1, 1));
  add(completion("waitall", Kind::waitall, 3, -1, 1, 2));
  add(completion("waitany", Kind::wait_some, 4, -1, 1, 3, {2}));
  add(completion("waitsome", Kind::wait_some, 5, -1, 1, 4, {2, 3}));
  add(completion("test", Kind::test, 3, 0, -1, 2, {1}));
  add(completion("testall", Kind::test, 4, -1, 1, 3, {2}));
  add(completion("testany", Kind::test, 5, -1, 1, 4, {2, 3}));
  add(completion("testsome", Kind::test, 5, -1, 1, 4, {2, 3}));
  add(completion("start", Kind::start, 1, 0, -1, -1));
  add(completion("startall", Kind::startall, 2, -1, 1, -1));
  add(completion("request_free", Kind::request_free, 1, 0, -1, -1));
  add(completion("cancel", Kind::cancel, 1, 0, -1, -1));

  add(plain("probe", Kind::probe, 4, {3}));
  add(plain("iprobe", Kind::probe, 5, {3, 4}));
  add(plain("mprobe", Kind::probe, 5, {3, 4}));
  add(plain("improbe", Kind::probe, 6, {3, 4, 5}));
  Routine mrecv = plain("mrecv", Kind::matched_recv, 5, {3});
  mrecv.buffer = 0, mrecv.count = 1, mrecv.type = 2, mrecv.status = 4;
  add(mrecv);
  Routine imrecv = plain("imrecv", Kind::matched_recv, 5, {3});
  imrecv.buffer = 0, imrecv.count = 1, imrecv.type = 2, imrecv.request = 4;
  add(imrecv);

  // Which arguments are buffers, or arrays.
  add(plain("barrier", Kind::collective, 1));
  add(collective_routine("bcast", 5, {0}));
  add(collective_routine("reduce", 7, {0, 1}));
  add(collective_routine("allreduce", 6, {0, 1}));
  add(collective_routine("gather", 8, {0, 3}));
  add(collective_routine("gatherv", 9, {0, 3, 4, 5}));
  add(collective_routine("scatter", 8, {0, 3}));
  add(collective_routine("scatterv", 9, {0, 1, 2, 4}));
  add(collective_routine("allgather", 7, {0, 3}));
  add(collective_routine("allgatherv", 8, {0, 3, 4, 5}));
  add(collective_routine("alltoall", 7, {0, 3}));
  add(collective_routine("alltoallv", 9, {0, 1, 2, 4, 5, 6}));
  add(collective_routine("alltoallw", 9, {0, 1, 2, 3, 4, 5, 6, 7}));
  add(collective_routine("scan", 6, {0, 1}));
  add(collective_routine("exscan", 6, {0, 1}));
  add(collective_routine("reduce_scatter", 6, {0, 1, 2}));
  add(collective_routine("reduce_scatter_block", 6, {0, 1}));

  // Local, without communication, and they return.
  add(plain("comm_rank", Kind::query, 2, {1}));
  add(plain("comm_size", Kind::query, 2, {1}));
  add(plain("wtime", Kind::query, 0));
  add(plain("wtick", Kind::query, 0));
  add(plain("get_count", Kind::query, 3, {0, 2}));
  add(plain("get_elements", Kind::query, 3, {0, 2}));
  add(plain("error_class", Kind::query, 2, {1}));
  add(plain("error_string", Kind::query, 3, {1, 2}, true));
  add(plain("initialized", Kind::query, 1, {0}));
  add(plain("finalized", Kind::query, 1, {0}));
  add(plain("type_size", Kind::query, 2, {1}));
  add(plain("type_get_extent", Kind::query, 3, {1, 2}));
  add(plain("comm_compare", Kind::query, 3, {2}));
  add(plain("cart_rank", Kind::query, 3, {1, 2}, true));
  add(plain("cart_coords", Kind::query, 4, {3}, true));
  add(plain("cart_shift", Kind::query, 5, {3, 4}));
  add(plain("query_thread", Kind::query, 1, {0}));
  add(plain("is_thread_main", Kind::query, 1, {0}));
  return table;
}

const llvm::StringMap<Routine>& table() {
  static const llvm::StringMap<Routine> routines = make_table();
  return routines;
}

const Routine& unknown_routine() {
  static const Routine routine{"?", Kind::outside};
  return routine;
}

const llvm::StringMap<Routine>& runtime_table() {
  static const llvm::StringMap<Routine> routines = [] {
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
  return routines;
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
