// SPDX-License-Identifier: Apache-2.0
#include "overlap_runner.hpp"

#include <cstdio>
#include <cstring>

namespace lapwing::bench {

namespace {

struct Times {
  double received = 0, finished = 0;
};

// The program that everybody writes: receive, then compute. One instance per
// case, so that each case has a call site of its own.
template <Case kind>
[[gnu::noinline]] Times receive_and_compute(std::uint64_t* data, std::size_t bytes, const HandWork& work,
                                            std::uint64_t& checksum) {
  Times times;
  std::uint64_t acc = 1;
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, sender_rank, tag_data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  times.received = now();
  if constexpr (kind == Case::independent || kind == Case::independent_copy)
    acc = independent_part(work, 0, work.independent_bytes, acc);
  if constexpr (kind == Case::copy || kind == Case::independent_copy)
    std::memcpy(work.copy, data, bytes);
  else if constexpr (kind == Case::scan_down)
    acc = scan_down(data, 0, bytes, work.work, acc);
  else
    acc = scan_up(data, 0, bytes, work.work, acc);
  times.finished = now();
  checksum = acc;
  return times;
}

Times blocking(std::uint64_t* data, std::size_t bytes, const HandWork& work, std::uint64_t& checksum) {
  switch (work.kind) {
    case Case::scan_up:
      return receive_and_compute<Case::scan_up>(data, bytes, work, checksum);
    case Case::scan_down:
      return receive_and_compute<Case::scan_down>(data, bytes, work, checksum);
    case Case::copy:
      return receive_and_compute<Case::copy>(data, bytes, work, checksum);
    case Case::independent:
      return receive_and_compute<Case::independent>(data, bytes, work, checksum);
    case Case::independent_copy:
      break;
  }
  return receive_and_compute<Case::independent_copy>(data, bytes, work, checksum);
}

}  // namespace

Runner::Runner(std::size_t max_bytes, const LapwingSwitch& lapwing, int defer_mode)
    : lapwing_(lapwing),
      defer_mode_(defer_mode),
      data_(max_bytes / sizeof(std::uint64_t), 1),
      copy_(max_bytes / sizeof(std::uint64_t), 1),
      scratch_(scratch_bytes / sizeof(std::uint64_t)) {
  fill_payload(scratch_.data(), scratch_bytes, 7);
}

Runner::~Runner() {
  const Command finish;
  MPI_Send(&finish, sizeof finish, MPI_BYTE, sender_rank, tag_command, MPI_COMM_WORLD);
}

void Runner::configure(const Setup& setup) {
  setup_ = setup;
  work_ = {setup.kind, setup.work, setup.bytes, setup.independent_work, scratch_.data(), copy_.data()};
  expected_ =
      Expectation(setup.bytes, is_copy(setup.kind) ? Work{} : setup.work, setup.kind == Case::scan_down);
  if (is_independent(setup.kind))
    independent_result_ = independent_part(work_, 0, work_.independent_bytes, 1);
}

std::uint64_t Runner::start(const Command& command) {
  lapwing_.set(command.variant == Variant::lapwing ? defer_mode_ : LAPWING_DEFER_OFF);
  std::uint64_t round = 0;
  MPI_Send(&command, sizeof command, MPI_BYTE, sender_rank, tag_command, MPI_COMM_WORLD);
  MPI_Recv(&round, sizeof round, MPI_BYTE, sender_rank, tag_ready, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const char go = 1;
  MPI_Send(&go, 1, MPI_BYTE, sender_rank, tag_go, MPI_COMM_WORLD);
  return round;
}

void Runner::check(std::uint64_t checksum, std::uint64_t round) {
  std::uint64_t start = 1;  // what the scan began with: the independent computation's result
  if (is_copy(setup_.kind))
    checksum = scan_up(copy_.data(), 0, setup_.bytes, {}, 1);
  else if (is_independent(setup_.kind))
    start = independent_result_;
  const std::uint64_t expected = expected_.of(round, start);
  if (checksum == expected) return;
  if (mismatches_++ == 0)
    std::fprintf(stderr,
                 "overlap: the received data are wrong: checksum %016llx where %016llx was expected\n",
                 static_cast<unsigned long long>(checksum), static_cast<unsigned long long>(expected));
}

double Runner::transfer_alone(std::size_t bytes) {
  Command command{Command::transfer, Variant::plain, 0, 1, bytes, bytes};
  start(command);
  const double begin = now();
  MPI_Recv(data_.data(), static_cast<int>(bytes), MPI_BYTE, sender_rank, tag_data, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return now() - begin;
}

Sample Runner::run(Variant variant, const HandPlan& plan) {
  const Command command{Command::transfer, variant,      setup_.kind == Case::scan_down,
                        plan.window,       setup_.bytes, plan.strip};
  if (is_copy(setup_.kind)) std::memset(copy_.data(), 0, setup_.bytes);
  const lapwing_stats before = lapwing_.stats();
  const std::uint64_t round = start(command);

  Sample sample;
  std::uint64_t checksum = 0;
  const double begin = now();
  if (variant == Variant::hand) {
    checksum = hand_receive(data_.data(), setup_.bytes, plan, work_);
    sample.total_s = now() - begin;
  } else {
    const Times times = blocking(data_.data(), setup_.bytes, work_, checksum);
    sample.receive_s = times.received - begin;
    sample.total_s = times.finished - begin;
  }
  const lapwing_stats after = lapwing_.stats();
  sample.faults = static_cast<double>(after.faults - before.faults);
  sample.deferred = after.deferred_receives != before.deferred_receives;
  check(checksum, round);
  return sample;
}

Work Runner::calibrated(Case kind, std::size_t bytes, double seconds) {
  if (is_independent(kind)) {
    const double share = static_cast<double>(scratch_bytes) / static_cast<double>(bytes);
    return calibrate(scratch_.data(), scratch_bytes, seconds * share);
  }
  return calibrate(data_.data(), bytes, seconds);
}

}  // namespace lapwing::bench
