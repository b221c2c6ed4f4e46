// SPDX-License-Identifier: Apache-2.0
// What tasks cost on two ranks: those whose objects are there, beside the same
// on threads, and those whose object must travel, beside a ping-pong of its
// bytes by hand. `tasks_ranks TURNS`: a JSON line for each turn of each case.
#include <mpi.h>
#include <lapwing/tasks.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace lt = lapwing::tasks;

namespace {

constexpr int local_tasks = 20000;
int rank = 0;
const char* const flavour = LAPWING_FLAVOUR;

double microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

lt::Options one_worker(bool ranks) {
  lt::Options options;
  options.workers = 1;
  options.ranks = ranks;
  return options;
}

// Chains on the objects of one worker; microseconds a task.
double chains(int worker) {
  std::vector<lt::shared<long>> cells;
  for (int i = 0; i < 16; ++i) cells.push_back(lt::create<long>(0));
  for (const auto& cell : cells) lt::spawn([](long& x) { ++x; }, lt::read_write(cell), lt::on(worker));
  lt::finish();
  const double begin = microseconds();
  for (int i = 0; i < local_tasks; ++i) {
    lt::spawn([](long& x) { ++x; }, lt::read_write(cells[static_cast<std::size_t>(i % 16)]), lt::on(worker));
  }
  lt::finish();
  const double us = (microseconds() - begin) / local_tasks;
  long sum = 0;
  for (const auto& cell : cells) sum += *lt::read(cell);
  if (sum != local_tasks + 16) std::printf("{\"wrong\":true}\n");
  for (const auto& cell : cells) lt::destroy(cell);
  return us;
}

void local_cases() {
  double threads = 0;
  if (rank == 0) lt::run(one_worker(false), [&] { threads = chains(0); });
  MPI_Barrier(MPI_COMM_WORLD);
  lt::run(one_worker(true), [&] {
    const double here = chains(0), there = chains(1);
    for (const auto& [name, us] : {std::pair{"local", here}, std::pair{"local, on the other rank", there}}) {
      std::printf("{\"mpi\":\"%s\",\"case\":\"%s\",\"us\":%.4f,\"us_threads\":%.4f}\n", flavour, name, us,
                  threads);
    }
  });
}

double pingpong(std::size_t size, int rounds) {
  std::vector<char> bytes(size);
  const int count = static_cast<int>(size);
  double begin = 0;
  for (int i = -2; i < rounds; ++i) {
    if (i == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      begin = microseconds();
    }
    if (rank == 0) MPI_Send(bytes.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(bytes.data(), count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++bytes[0];
    if (rank == 1) MPI_Send(bytes.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  return (microseconds() - begin) / rounds;
}

// A task on the other rank changes the object, then the main program does.
void remote_case(std::size_t size, int rounds) {
  const double plain = pingpong(size, rounds);
  lt::run(one_worker(true), [&] {
    const auto data = lt::create<std::vector<char>>(size);
    lt::Statistics before;
    double begin = 0;
    for (int i = -2; i < rounds; ++i) {
      if (i == 0) {
        lt::finish();  // all have told how much they have sent
        before = lt::statistics();
        begin = microseconds();
      }
      lt::spawn([](std::vector<char>& bytes) { ++bytes[0]; }, lt::read_write(data), lt::on(1));
      ++(*lt::read_write(data))[0];
    }
    const double us = (microseconds() - begin) / rounds;
    lt::finish();
    const lt::Statistics after = lt::statistics();
    const char expected = static_cast<char>(2 * (rounds + 2));
    if ((*lt::read(data))[0] != expected) std::printf("{\"wrong\":true}\n");
    std::printf(
        "{\"mpi\":\"%s\",\"case\":\"remote\",\"bytes\":%zu,\"us\":%.3f,\"us_pingpong\":%.3f,\"messages_per_"
        "fetch\":"
        "%.3f}\n",
        flavour, size, us, plain,
        static_cast<double>(after.messages - before.messages) /
            static_cast<double>(after.moved - before.moved));
  });
}

// Processor time of a rank that has nothing to do while the main program computes.
void idle_case() {
  lt::run(one_worker(true), [&] {
    const auto there = lt::create<long>(0);
    const auto visit = [&] {
      lt::spawn([](long& x) { ++x; }, lt::read_write(there), lt::on(1));
      lt::finish();
    };
    visit();
    const double cpu = lt::statistics().cpu_seconds[1];
    const double begin = microseconds();
    while (microseconds() < begin + 500e3) {
    }
    visit();
    const double used = lt::statistics().cpu_seconds[1] - cpu;
    std::printf("{\"mpi\":\"%s\",\"case\":\"idle rank\",\"cpu_percent\":%.3f}\n", flavour,
                1e8 * used / (microseconds() - begin));
  });
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || argc != 2) {
    if (rank == 0) std::fprintf(stderr, "usage: mpiexec -n 2 tasks_ranks TURNS\n");
    MPI_Finalize();
    return 2;
  }
  for (int turn = std::atoi(argv[1]); turn > 0; --turn) {
    local_cases();
    remote_case(8, 500);
    remote_case(4096, 500);
    remote_case(65536, 200);
    remote_case(std::size_t{1} << 20, 30);
    remote_case(std::size_t{4} << 20, 10);
    idle_case();
    std::fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
