// SPDX-License-Identifier: Apache-2.0
// Two halves of a program that know each other only by a name: the first part splits the processes and names
// the sets, the second, which stands for a library that uses MPI's sessions, finds them among MPI's process
// sets and makes communicators of them. A split ends with its scope.
// Needs an MPI with sessions (MPI 4): MPICH from 4.0 on, Open MPI from 5.0 on.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "lapwing/sets.hpp"

namespace {

// The library: it knows MPI and a name. Adds up `value` over the process set, or gives -1 where there is
// none.
long sum_over(const std::string& set, long value) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  int sets = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  long sum = -1;
  for (int n = 0; n < sets; ++n) {
    std::array<char, 1024> name{};
    int length = static_cast<int>(name.size());
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name.data());
    if (set != name.data()) continue;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, name.data(), &group);
    MPI_Comm_create_from_group(group, set.c_str(), MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
  }
  MPI_Session_finalize(&session);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const bool ocean = rank >= size / 3;  // a third of the processes for the ice, the others for the ocean
  std::vector<int> members;
  {
    const lapwing::SetScope split(MPI_COMM_WORLD, 2, ocean ? 1 : 0);
    lapwing_set_publish(MPI_COMM_WORLD, ocean ? "ocean" : "ice");
    members = lapwing::set_members(MPI_COMM_WORLD);
  }

  // The split is merged; the names stay.
  const long expected = std::accumulate(members.begin(), members.end(), 0L);
  const long sum = sum_over(ocean ? "lapwing://ocean" : "lapwing://ice", rank);
  int wrong = sum != expected || sum_over(ocean ? "lapwing://ice" : "lapwing://ocean", rank) != -1, any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("sessions: %d processes, %d of them ice: %s\n", size, size / 3, any ? "wrong" : "right");
  MPI_Finalize();
  return any;
}
