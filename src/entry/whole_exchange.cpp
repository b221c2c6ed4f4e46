// SPDX-License-Identifier: Apache-2.0
#include "entry/whole_exchange.hpp"

#include <optional>

#include "transfer/proved.hpp"

namespace lapwing::entry {
namespace {

struct Half {
  transfer::SendArguments sends;
  bool replaces;
};
thread_local std::optional<Half> held;

}  // namespace

void hold_half(const transfer::SendArguments& sends, bool replaces) { held = Half{sends, replaces}; }

bool holds_half() { return held.has_value(); }

int exchange_whole(const transfer::ReceiveArguments& r, MPI_Status* status) {
  const Half half = *held;
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
  refuse_merged(r.comm, r.caller);
  if (watched())
    return half.replaces ? P2pWatch::send_receive_replace(s, r, status)
                         : P2pWatch::send_receive(s, r, status);
  if (straight(s.count, s.type) && straight(r.count, r.type)) return noted(plain(status));
  return half.replaces ? transfer::send_receive_replace(s, r, status, plain)
                       : transfer::send_receive(s, r, status, plain);
}

}  // namespace lapwing::entry
