// SPDX-License-Identifier: Apache-2.0
// The sending side. It rewrites its buffer as soon as a send has returned, as
// a program does that computes its next data in place: a send that returned
// before the data left must stop it.
#include <vector>

#include "overlap.hpp"

namespace lapwing::bench {

void run_sender(std::size_t max_bytes, const LapwingSwitch& lapwing, int defer_mode) {
  std::vector<std::uint64_t> data(max_bytes / sizeof(std::uint64_t));
  std::size_t bytes = 0;
  std::uint64_t round = 0;
  for (;;) {
    Command command;
    MPI_Recv(&command, sizeof command, MPI_BYTE, receiver_rank, tag_command, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (command.kind == Command::finish) return;
    if (command.bytes != bytes) {
      bytes = command.bytes;
      fill_payload(data.data(), bytes, round);
    }
    lapwing.set(command.variant == Variant::lapwing ? defer_mode : LAPWING_DEFER_OFF);
    char go = 0;
    MPI_Send(&round, sizeof round, MPI_BYTE, receiver_rank, tag_ready, MPI_COMM_WORLD);
    MPI_Recv(&go, 1, MPI_BYTE, receiver_rank, tag_go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    if (command.variant == Variant::hand)
      hand_send(data.data(), bytes, command.descending != 0, {command.strip, command.window, 0});
    else
      MPI_Send(data.data(), static_cast<int>(bytes), MPI_BYTE, receiver_rank, tag_data, MPI_COMM_WORLD);
    advance_payload(data.data(), bytes);
    ++round;
  }
}

}  // namespace lapwing::bench
