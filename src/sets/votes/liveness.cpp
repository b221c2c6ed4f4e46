// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/liveness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "mpi/ending.hpp"
#include "sets/messages.hpp"
#include "sets/report/error_status.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t first_ns = 1'000'000'000, longest_ns = 10'000'000'000;

struct Door {
  std::uint64_t next = 0, pause = first_ns, last = 0;
};
std::map<int, Door> doors;
std::string waited_why;

void note(MPI_Comm*, int* code, ...) { error_noted = *code; }

}  // namespace

void note_errors(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(note, &handler);
  PMPI_Comm_set_errhandler(comm, handler);
  PMPI_Errhandler_free(&handler);
}

void end_lost() {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(error_noted, text, &length);
  // MPICH's first line says nothing; its last one says most.
  std::string said(text);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  said = said.substr(said.rfind('\n') + 1);
  int kind = MPI_ERR_OTHER;
  PMPI_Error_class(error_noted, &kind);
  if (kind != MPI_ERR_OTHER && kind != MPI_ERR_INTERN && kind != MPI_ERR_UNKNOWN) {
    fmt::print(stderr, "lapwing: rank {}: MPI reports an error in a call of Lapwing's: {}.\n",
               Messages::rank(), said);
    mpi::end_job(error_status);
  }
  const std::string who = error_at < 0 ? "a process" : fmt::format("rank {} of MPI_COMM_WORLD", error_at);
  fmt::print(
      stderr,
      "lapwing: rank {}: {} cannot be reached any more{}: it has ended without MPI_Finalize, or its node is "
      "gone (MPI says: {}).\n",
      Messages::rank(), who, waited_why, said);
  mpi::end_job(error_status);
}

void check_alive(int rank, const std::string& what) {
  if (Messages::board() && Messages::board()->neighbour(rank)) return;  // its lock tells
  const std::uint64_t now = transfer::now_ns();
  Door& door = doors[rank];
  // Another wait than the last one.
  if (now - door.last > longest_ns) door = {now + first_ns, first_ns, now};
  door.last = now;
  if (now < door.next) return;
  door.next = now + door.pause;
  door.pause = std::min(2 * door.pause, longest_ns);
  waited_why = ", " + what;
  Messages::send(rank, liveness_kind, nullptr, 0);
  end_if_lost();
  waited_why.clear();
}

}  // namespace lapwing::sets
