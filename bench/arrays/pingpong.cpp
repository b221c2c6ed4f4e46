// SPDX-License-Identifier: Apache-2.0
// HPF/MPI's ping-pong (section 3.1): two tasks of equal size send each other an
// array that is (BLOCK, *) where it comes from and (*, BLOCK) where it arrives.
//   pingpong [--sizes LIST] [--rounds N] [--repeat N]
// One JSON line a round, and one with the steps of section 2.1 (figure 5).
#include <cstdio>
#include <cstring>

#include "arrays/redistribute.hpp"
#include "lapwing/arrays.h"
#include "support/texts.hpp"

namespace lapwing::bench {
namespace {

using Doubles = std::vector<double>;

struct Part {
  int first, last;
  int count() const { return last - first; }
};

Part block(int n, int process, int processes) {
  const int each = (n + processes - 1) / processes;
  return {std::min(n, process * each), std::min(n, (process + 1) * each)};
}

/// The best that MPI can do by hand: persistent requests, packed where it must be;
/// what arrives lies as it is received.
class ByHand {
 public:
  ByHand(int rows, int columns, int rank, int processes, bool second, Doubles& a, Doubles& b)
      : columns_(columns), a_(a) {
    mine_ = block(rows, rank, processes);
    const Part here = block(columns, rank, processes);
    const int other = second ? 0 : processes;
    for (int d = 0; d < processes; ++d) {
      const int peer = (rank + d) % processes;
      const Part theirs = block(columns, peer, processes), above = block(rows, peer, processes);
      Message message{theirs, Doubles(static_cast<std::size_t>(mine_.count() * theirs.count())),
                      MPI_REQUEST_NULL};
      double* from = processes == 1 ? a.data() : message.wire.data();
      const int out = mine_.count() * theirs.count(), in = above.count() * here.count();
      MPI_Send_init(from, out, MPI_DOUBLE, other + peer, 3, MPI_COMM_WORLD, &message.request);
      sends_.push_back(std::move(message));
      receives_.emplace_back();
      MPI_Recv_init(b.data() + above.first * here.count(), in, MPI_DOUBLE, other + peer, 3, MPI_COMM_WORLD,
                    &receives_.back());
    }
  }
  ~ByHand() {
    for (Message& message : sends_) MPI_Request_free(&message.request);
    for (MPI_Request& request : receives_) MPI_Request_free(&request);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  void send() {
    for (Message& message : sends_) {
      const auto width = static_cast<std::size_t>(message.columns.count());
      for (int i = 0; sends_.size() > 1 && i < mine_.count(); ++i)
        std::memcpy(&message.wire[static_cast<std::size_t>(i) * width],
                    &a_[static_cast<std::size_t>(i * columns_ + message.columns.first)],
                    width * sizeof(double));
      MPI_Start(&message.request);
    }
    for (Message& message : sends_) MPI_Wait(&message.request, MPI_STATUS_IGNORE);
  }
  void receive() {
    MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
    MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  struct Message {
    Part columns;
    Doubles wire;
    MPI_Request request;
  };
  int columns_;
  Part mine_{};
  Doubles& a_;
  std::vector<Message> sends_;
  std::vector<MPI_Request> receives_;
};

struct Tasks {
  lapwing_tasks* tasks = nullptr;
  int task = 0, rank = 0, processes = 1;
};

lapwing_distribution* make(int rows, int columns, int processes, bool by_rows) {
  const lapwing_grid grid{1, &processes, LAPWING_ROW_MAJOR, nullptr};
  const lapwing_dimension dimensions[2] = {
      by_rows ? lapwing_block(rows, processes, 0) : lapwing_collapsed(rows),
      by_rows ? lapwing_collapsed(columns) : lapwing_block(columns, processes, 0)};
  lapwing_distribution* made = nullptr;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, nullptr, &made);
  return made;
}

/// One way's sums of the steps, of the slowest process; sender and receiver together.
void report_steps(const Tasks& on, const char* kind, std::size_t bytes, int repeat) {
  lapwing_array_steps steps{};
  lapwing_tasks_steps(on.tasks, &steps);
  const double mine[8] = {
      static_cast<double>(steps.inquiry_ns),     static_cast<double>(steps.call_ns),
      static_cast<double>(steps.exchange_ns),    static_cast<double>(steps.schedule_ns),
      static_cast<double>(steps.packing_ns),     static_cast<double>(steps.transmission_ns),
      static_cast<double>(steps.messages) * 1e3, static_cast<double>(steps.bytes) * 1e3};
  double worst[8];
  MPI_Allreduce(mine, worst, 8, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const char* names[8] = {"step1_inquiry_us",  "step2_call_us",    "step3_exchange_us",
                          "step4_schedule_us", "step5_packing_us", "step6_transmission_us",
                          "messages",          "bytes_sent"};
  JsonLine line;
  line.text("what", "steps").text("kind", kind).integer("bytes", static_cast<std::int64_t>(bytes));
  line.integer("processes", on.processes);
  for (int i = 0; i < 8; ++i) line.number(names[i], worst[i] * 1e-3 / repeat);
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  if (world == 0) line.print();
}

bool measure(const Tasks& on, std::size_t bytes, int rounds, int repeat) {
  // 4 KiB are 16 x 32 doubles, 1 MiB 256 x 512.
  int rows = 1;
  while (static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows) * 16 < bytes) rows *= 2;
  if (static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows) * 16 > bytes) rows /= 2;
  rows = std::max(rows, 1);
  const int columns = std::max(1, static_cast<int>(bytes / 8 / static_cast<std::size_t>(rows)));
  lapwing_distribution *by_rows = make(rows, columns, on.processes, true),
                       *by_columns = make(rows, columns, on.processes, false);
  const Part r = block(rows, on.rank, on.processes), c = block(columns, on.rank, on.processes);
  Doubles a(static_cast<std::size_t>(r.count() * columns)), b(static_cast<std::size_t>(rows * c.count()));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<double>(static_cast<std::size_t>(r.first * columns) + i) + 1e7 * on.task;
  const auto out = static_cast<std::int64_t>(a.size()), in = static_cast<std::int64_t>(b.size());
  lapwing_array_request *sending = nullptr, *receiving = nullptr;
  lapwing_array_send_init(a.data(), out, by_rows, 1 - on.task, 5, on.tasks, &sending);
  lapwing_array_recv_init(b.data(), in, by_columns, 1 - on.task, 5, on.tasks, &receiving);
  const auto run = [](lapwing_array_request* request) {
    lapwing_array_start(request);
    lapwing_array_wait(&request, nullptr);
  };
  bool verified = true;
  const auto check = [&] {
    for (int i = 0; i < rows; ++i)
      for (int j = c.first; j < c.last; ++j)
        verified = verified && b[static_cast<std::size_t>(i * c.count() + j - c.first)] ==
                                   i * columns + j + 1e7 * (1 - on.task);
    std::fill(b.begin(), b.end(), -1);
  };
  {
    ByHand hand(rows, columns, on.rank, on.processes, on.task == 1, a, b);
    const auto round_trip = [&](auto send, auto receive) {
      if (on.task == 0) send();
      receive();
      if (on.task == 1) send();
    };
    const auto fresh = [&] {
      round_trip([&] { lapwing_array_send(a.data(), out, by_rows, 1 - on.task, 4, on.tasks); },
                 [&] { lapwing_array_recv(b.data(), in, by_columns, 1 - on.task, 4, on.tasks, nullptr); });
    };
    const auto persistent = [&] { round_trip([&] { run(sending); }, [&] { run(receiving); }); };
    const auto by_hand = [&] { round_trip([&] { hand.send(); }, [&] { hand.receive(); }); };
    fresh(), check(), persistent(), check(), by_hand(), check();
    verified = all_agree(verified);
    const auto many = [&](auto once) {
      return time_together([&] {
        for (int i = 0; i < repeat; ++i) once();
      });
    };
    for (int round = 0; round < rounds; ++round) {
      Taken times[4];
      for (int v = 0; v < 4; ++v) {
        const int which = (v + round) % 4;
        times[which] = which == 0 ? many(fresh) : which == 1 ? many(persistent) : many(by_hand);
      }
      JsonLine line;
      line.text("what", "pingpong").integer("bytes", static_cast<std::int64_t>(bytes));
      line.integer("processes", on.processes).integer("round", round).boolean("verified", verified);
      const char* names[4] = {"fresh", "persistent", "hand", "again"};
      for (int v = 0; v < 4; ++v)
        line.number(std::string(names[v]) + "_s", times[v].seconds / repeat / 2)
            .number(std::string(names[v]) + "_cpu_s", times[v].cpu / repeat / 2);
      if (on.task == 0 && on.rank == 0) line.print();
    }
    lapwing_tasks_time_steps(on.tasks, 1);
    many(fresh);
    report_steps(on, "fresh", bytes, repeat);
    lapwing_tasks_time_steps(on.tasks, 1);
    many(persistent);
    report_steps(on, "persistent", bytes, repeat);
    lapwing_tasks_time_steps(on.tasks, 0);
  }
  lapwing_array_request_free(&sending);
  lapwing_array_request_free(&receiving);
  lapwing_distribution_free(&by_rows);
  lapwing_distribution_free(&by_columns);
  return verified;
}

}  // namespace
}  // namespace lapwing::bench

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  MPI_Init(&argc, &argv);
  int world = 1, rank = 0, rounds = 10, repeat = 200;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = true;
  try {
    std::vector<std::string> sizes{"4K", "1M"};
    for (int i = 1; i < argc; i += 2) {
      const std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
      if (word == "--sizes")
        sizes = split_list(value);
      else if (word == "--rounds")
        rounds = static_cast<int>(parse_bytes(value));
      else if (word == "--repeat")
        repeat = static_cast<int>(parse_bytes(value));
      else
        throw BadOption(word + " is not an option: --sizes LIST --rounds N --repeat N");
    }
    if (world % 2 != 0) throw BadOption("two tasks of equal size need an even number of ranks");
    Tasks on;
    on.processes = world / 2;
    const int of[2] = {world / 2, world / 2};
    lapwing_tasks_of_sizes(MPI_COMM_WORLD, 2, of, &on.tasks);
    lapwing_tasks_strategy(on.tasks, LAPWING_STRATEGY_PARALLEL);  // as in HPF/MPI 3.1
    on.task = lapwing_tasks_rank(on.tasks);
    on.rank = lapwing_tasks_process_rank(on.tasks);
    for (const std::string& words : sizes) {
      const std::size_t bytes = parse_bytes(words);
      right = measure(on, bytes, rounds, bytes > 100000 ? std::max(1, repeat / 10) : repeat) && right;
    }
    lapwing_tasks_free(&on.tasks);
  } catch (const BadOption& error) {
    if (rank == 0) std::fprintf(stderr, "pingpong: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
