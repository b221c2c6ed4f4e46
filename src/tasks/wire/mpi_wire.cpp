// SPDX-License-Identifier: Apache-2.0
// The wire of tasks on MPI: control messages on a communicator of their own.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "mpi/ending.hpp"
#include "tasks/ranks/wire.hpp"
#include "tasks/wire/bells.hpp"
#include "tasks/wire/bulks.hpp"
#include "tasks/wire/near.hpp"
#include "tasks/wire/neighbours.hpp"
#include "transfer/wire/control.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr int kinds = 16;
constexpr std::size_t long_message = 64 << 10;  // those are received where they stay

class MpiWire final : public Wire {
 public:
  explicit MpiWire(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &ranks_);
    MPI_Comm queue = MPI_COMM_NULL;
    PMPI_Comm_dup(comm, &queue);
    control_ = std::make_unique<transfer::Control>(queue, ranks_);
    MPI_Comm bulk = MPI_COMM_NULL;
    PMPI_Comm_dup(comm, &bulk);
    bulks_ = std::make_unique<Bulks>(bulk, ranks_);
    handled_from_.assign(static_cast<std::size_t>(ranks_), 0);
    sent_to_ = handled_from_;
    share(comm);
    for (int kind = 0; kind < kinds; ++kind) {
      control_->on(kind, [this, kind](int source, const char* data, std::size_t size) {
        came(source, kind, data, size);
      });
    }
  }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }

  void on_message(Handler handler) override { handler_ = std::move(handler); }

  void use_node_memory(bool on) override { by_memory_ = on && near_ != nullptr; }
  bool by_memory_only() const override { return by_memory_ && all_near_; }

  void send(int destination, int kind, const void* data, std::size_t size) override {
    if (size > most_bytes) {
      std::fputs(
          fmt::format("lapwing: rank {} cannot send an object of {} bytes to rank {}: at most {} travel\n",
                      rank_, size, destination, most_bytes)
              .c_str(),
          stderr);
      abort();
    }
    ++messages_;
    ++sent_;
    bytes_ += size;
    ++sent_to_[static_cast<std::size_t>(destination)];
    if (by_memory_ && near_->reaches(destination)) {
      near_->send(destination, kind, data, size);
    } else {
      control_->send(destination, kind, data, size);
    }
    if (bells_ != nullptr) bells_->ring(destination);
  }

  void send_object(int destination, int kind, detail::Bytes&& bytes) override {
    if (bytes.size() <= long_message || bytes.size() > most_bytes) {
      return send(destination, kind, bytes.data(), bytes.size());
    }
    auto kept = std::make_shared<detail::Bytes>(std::move(bytes));
    const Long what{kind, next_bulk(destination), kept->size()};
    send(destination, Long::kind_of_all, &what, sizeof what);
    send_bulk(destination, kept->data(), kept->size(), whole, [kept] {});
  }

  int next_bulk(int destination) const override { return bulks_->next(destination); }

  void send_bulk(int destination, const void* bytes, std::size_t size, std::size_t strip,
                 std::function<void()> left) override {
    messages_ += Bulks::strips(size, strip);
    bytes_ += size;
    bulks_->send(destination, bytes, size, strip, std::move(left));
    if (bells_ != nullptr) bells_->ring(destination);
  }

  void receive_bulk(int source, int number, void* into, std::size_t size, std::size_t strip,
                    std::function<void(std::size_t)> landed) override {
    bulks_->receive(source, number, into, size, strip, std::move(landed));
  }

  int progress() override {
    int handled = by_memory_ ? near_->progress() : 0;
    if (!by_memory_only()) handled += control_->progress();
    if (bulks_->busy()) handled += bulks_->progress();
    return handled;
  }

  std::vector<std::vector<char>> gather(const std::vector<char>& own) override {
    const int size = static_cast<int>(own.size());
    std::vector<int> sizes(static_cast<std::size_t>(ranks_)), starts(sizes);
    PMPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm_);
    int all = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      starts[i] = all;
      all += sizes[i];
    }
    std::vector<char> bytes(static_cast<std::size_t>(all));
    PMPI_Allgatherv(own.data(), size, MPI_BYTE, bytes.data(), sizes.data(), starts.data(), MPI_BYTE, comm_);
    std::vector<std::vector<char>> result;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      result.emplace_back(bytes.begin() + starts[i], bytes.begin() + starts[i] + sizes[i]);
    }
    return result;
  }

  void settle() override {
    std::vector<std::uint64_t> expected(static_cast<std::size_t>(ranks_));
    const std::vector<std::uint64_t> sent = sent_to_;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ialltoall(sent.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, comm_, &request);
    for (int done = 0;;) {
      if (done == 0) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (progress() == 0) sched_yield();
      if (done != 0 && handled_from_ == expected && !busy()) return;
    }
  }

  bool busy() const override {
    return control_->sending() || bulks_->busy() || (near_ != nullptr && near_->sending());
  }

  void listen(bool on) override {
    if (bells_ != nullptr) bells_->listen(on);
  }
  void sleep(std::chrono::nanoseconds most) override {
    if (bells_ != nullptr) return bells_->sleep(most);
    usleep(static_cast<useconds_t>(most.count() / 1000));
  }
  bool woken_by_all() const override { return all_near_; }
  int neighbours() const override { return neighbours_; }

  std::uint64_t messages() const override { return messages_; }
  std::uint64_t bytes() const override { return bytes_; }

  std::uint64_t sent() const override { return sent_; }
  std::uint64_t handled() const override { return handled_; }

  void abort() override { mpi::end_job(1); }

 private:
  static constexpr std::size_t most_bytes = 0x7fffff00;
  static constexpr std::size_t whole = most_bytes;  // in one strip
  // Says that a long message comes, and as what.
  struct Long {
    static constexpr int kind_of_all = 0;
    int kind, number;
    std::size_t size;
  };

  // The part of each that the ranks of a node share.
  struct Part {
    Bells::Bell bell;
    Mailbox box;
  };

  void share(MPI_Comm comm) {
    MPI_Comm queue = MPI_COMM_NULL;
    PMPI_Comm_dup(comm, &queue);
    const Neighbours all = share_with_neighbours(comm, sizeof(Part));
    if (all.parts.empty()) {
      PMPI_Comm_free(&queue);
      return;
    }
    neighbours_ = all.count;
    all_near_ = all.all();
    std::vector<Bells::Bell*> bells;
    std::vector<Mailbox*> boxes;
    for (char* const part : all.parts) {
      auto* const its = reinterpret_cast<Part*>(part);
      bells.push_back(its == nullptr ? nullptr : &its->bell);
      boxes.push_back(its == nullptr ? nullptr : &its->box);
    }
    bells_ = std::make_unique<Bells>(std::move(bells), rank_);
    near_ = std::make_unique<Near>(
        std::move(boxes), rank_, queue, *bells_,
        [this](int source, int kind, const char* data, std::size_t size) { came(source, kind, data, size); });
  }

  void came(int source, int kind, const char* data, std::size_t size) {
    ++handled_from_[static_cast<std::size_t>(source)];
    ++handled_;
    if (kind == Long::kind_of_all) {
      Long what;
      std::memcpy(&what, data, sizeof what);
      return long_one(source, what);
    }
    handler_(source, kind, {data, size});
  }

  void long_one(int source, const Long& what) {
    auto message = std::make_shared<Arrived>();
    message->memory = std::make_unique_for_overwrite<char[]>(what.size);
    message->data = message->memory.get();
    message->size = what.size;
    receive_bulk(source, what.number, message->memory.get(), what.size, whole,
                 [this, source, kind = what.kind, message](std::size_t) {
                   handler_(source, kind, std::move(*message));
                 });
  }

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  std::unique_ptr<transfer::Control> control_;
  std::unique_ptr<Bells> bells_;
  std::unique_ptr<Near> near_;
  int neighbours_ = 1;
  bool all_near_ = false, by_memory_ = false;
  std::unique_ptr<Bulks> bulks_;
  Handler handler_;
  std::vector<std::uint64_t> handled_from_, sent_to_;
  std::uint64_t messages_ = 0, bytes_ = 0, sent_ = 0, handled_ = 0;
};

void end_mpi() {
  int ended = 0;
  PMPI_Finalized(&ended);
  if (ended == 0) PMPI_Finalize();
}

Wire* make() {
  int there = 0;
  PMPI_Initialized(&there);
  if (there == 0) {
    // A helper polls while tasks run; the wire's lock keeps calls apart.
    int level = 0;
    PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    std::atexit(end_mpi);
  }
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) return nullptr;
  int level = 0;
  PMPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE && !(level == MPI_THREAD_SERIALIZED && there == 0)) {
    std::fprintf(
        stderr,
        "lapwing: tasks on ranks need MPI_THREAD_MULTIPLE, but this program asked for less when it called "
        "MPI_Init; call MPI_Init_thread, or leave MPI to run()\n");
    mpi::end_job(1);
  }
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return new MpiWire(comm);  // as long as the process
}

}  // namespace

}  // namespace lapwing::tasks::ranks

extern "C" __attribute__((visibility("default"))) lapwing::tasks::ranks::Wire* lapwing_tasks_wire_3() {
  return lapwing::tasks::ranks::make();
}
