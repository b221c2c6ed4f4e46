// SPDX-License-Identifier: Apache-2.0
#include "entry/compiled/whole_exchange.hpp"

#include <optional>
#include <utility>

#include "entry/p2p/blocking.hpp"
#include "transfer/compiled/proved.hpp"

namespace lapwing::entry {
namespace {

struct Half {
  transfer::SendArguments sends;
  bool replaces;
};
thread_local std::optional<Half> held;
thread_local int failed = MPI_SUCCESS;

}  // namespace

void hold_half(const transfer::SendArguments& sends, bool replaces) { held = Half{sends, replaces}; }

void fail_half(int error) { failed = error; }

int take_failed_half() { return std::exchange(failed, MPI_SUCCESS); }

bool holds_half() { return held.has_value(); }

int exchange_whole(const transfer::ReceiveArguments& given, MPI_Status* status) {
  const Half half = *held;
  transfer::ReceiveArguments r = given;
  r.caller = half.sends.caller;  // one call of the program's
  held.reset();
  transfer::Proved::receive_matched();
  const transfer::SendArguments& s = half.sends;
  const int out = static_cast<int>(s.count), in = static_cast<int>(r.count);
  auto plain = [&](MPI_Status* to) {
    return half.replaces
               ? PMPI_Sendrecv_replace(r.buffer, in, r.type, s.rank, s.tag, r.rank, r.tag, r.comm, to)
               : PMPI_Sendrecv(s.buffer, out, s.type, s.rank, s.tag, r.buffer, in, r.type, r.rank, r.tag,
                               r.comm, to);
  };
  if (straight(s.count, s.type) && straight(r.count, r.type)) return noted(plain(status));
  return half.replaces ? replace_blocking(s, r, status, plain) : exchange_blocking(s, r, status, plain);
}

}  // namespace lapwing::entry
