// SPDX-License-Identifier: Apache-2.0
// What the demo's two programs share: options, the computation, the report.
// Only what they do with MPI differs, and that is in their own files.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace lapwing::bench {

struct DemoOptions {
  std::size_t bytes = 8 << 20;  ///< per block
  int iterations = 20;
  int work = 25;  ///< computation per number of a block
};

/// Ends the job with a sentence where an option is wrong.
inline DemoOptions parse_demo_options(int argc, char** argv) {
  DemoOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const long long value = i + 1 < argc ? std::atoll(argv[i + 1]) : 0;
    const bool known = name == "--bytes" || name == "--iterations" || name == "--work";
    if (!known || value <= 0 || value > (1LL << 30)) {
      std::fprintf(stderr, "usage: mpiexec -n 2 %s [--bytes N] [--iterations N] [--work N], each above 0\n",
                   argv[0]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (name == "--bytes") options.bytes = static_cast<std::size_t>(value);
    if (name == "--iterations") options.iterations = static_cast<int>(value);
    if (name == "--work") options.work = static_cast<int>(value);
  }
  return options;
}

/// A running quantity along the block, such as a flow that picks up and drops
/// as it passes each number: `length` numbers of `in` give as many of `out`.
/// `carry` is what flows in and then out, so that a block can be done in parts.
[[gnu::noinline]] inline void compute(const double* in, double* out, std::size_t length, int work,
                                      double& carry) {
  double flow = carry;
  for (std::size_t i = 0; i < length; ++i) {
    flow = 0.5 * (flow + in[i]);
    for (int step = 1; step < work; ++step) flow = 0.875 * flow + 0.125;
    out[i] = 0.75 * in[i] + 0.25 * flow;
  }
  carry = flow;
}

inline std::vector<double> first_block(std::size_t numbers, int rank) {
  std::vector<double> block(numbers);
  for (std::size_t i = 0; i < numbers; ++i)
    block[i] = static_cast<double>((i * 2654435761u + rank * 97u) % 1000003u) / 1000003.0;
  return block;
}

/// Every bit of every rank's block counts.
inline std::uint64_t checksum(const std::vector<double>& block) {
  std::uint64_t mine = 1469598103934665603ULL, all = 0;
  for (double value : block) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    mine = (mine ^ bits) * 1099511628211ULL;
  }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

inline void report(const char* version, const DemoOptions& options, double seconds, double in_mpi,
                   std::uint64_t sum) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double longest[2], mine[2] = {seconds, in_mpi};
  MPI_Reduce(mine, longest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf(
        "{\"program\": \"%s\", \"bytes\": %zu, \"iterations\": %d, \"work\": %d, \"seconds\": %.6f, "
        "\"mpi_seconds\": %.6f, \"checksum\": \"%016llx\"}\n",
        version, options.bytes, options.iterations, options.work, longest[0], longest[1],
        static_cast<unsigned long long>(sum));
}

}  // namespace lapwing::bench
