// SPDX-License-Identifier: Apache-2.0
// Redistributions of matrices, against ScaLAPACK, against a hand-written exchange,
// and their schedules alone. One JSON line a round.
#include "arrays/redistribute.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "support/texts.hpp"

namespace {

lapwing::bench::RedistributeOptions parse(int argc, char** argv) {
  lapwing::bench::RedistributeOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 == argc) throw lapwing::bench::BadOption(word + " needs a value");
    const std::string value = argv[i + 1];
    if (word == "--what")
      options.what = value;
    else if (word == "--cases")
      options.cases = lapwing::bench::split_list(value);
    else if (word == "--sizes")
      options.sizes = lapwing::bench::split_list(value);
    else if (word == "--rounds")
      options.rounds = std::max(1, std::atoi(value.c_str()));
    else if (word == "--seconds")
      options.seconds = lapwing::bench::parse_positive(value);
    else
      throw lapwing::bench::BadOption(
          word + " is not an option: --what transfer|small|lists|construct --cases LIST " +
          "--sizes LIST --rounds N --seconds S");
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  try {
    const auto options = parse(argc, argv);
    if (options.what == "transfer")
      right = measure_transfers(options);
    else if (options.what == "small")
      right = measure_small(options);
    else if (options.what == "lists")
      right = measure_lists(options);
    else if (options.what == "construct")
      right = measure_construction(options);
    else
      throw lapwing::bench::BadOption("--what " + options.what +
                                      ": it is transfer, small, lists or construct");
  } catch (const lapwing::bench::BadOption& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "redistribute: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
