// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include "collectives/collectives.hpp"

namespace lapwing::bench::collectives {

namespace {

constexpr int root = 0, tag = 5;
const MPI_Datatype type = MPI_UINT64_T;

volatile std::uint64_t computed;  // keeps the computation

void compute(const Job& job, std::uint64_t steps) {
  if (steps > 0) computed = chain::turned(1, job.work.factor, steps);
}

std::uint64_t read(const Job& job) { return chain::scan(job.in.data(), job.in.size(), job.work); }

std::uint64_t ended(Job& job, std::uint64_t steps, MPI_Request& request) {
  compute(job, steps);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return read(job);
}

std::uint64_t iallreduce(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Iallreduce(job.out.data(), job.in.data(), job.words, type, MPI_SUM, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t ireduce(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Ireduce(job.out.data(), job.in.data(), job.words, type, MPI_SUM, root, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t ibcast(Job& job, std::uint64_t steps) {
  MPI_Request request;
  auto& data = job.rank == root ? job.out : job.in;
  MPI_Ibcast(data.data(), job.words, type, root, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t iallgather(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Iallgather(job.out.data(), job.words, type, job.in.data(), job.words, type, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t igather(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Igather(job.out.data(), job.words, type, job.in.data(), job.words, type, root, MPI_COMM_WORLD,
              &request);
  return ended(job, steps, request);
}

std::uint64_t iscatter(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Iscatter(job.out.data(), job.words, type, job.in.data(), job.words, type, root, MPI_COMM_WORLD,
               &request);
  return ended(job, steps, request);
}

std::uint64_t ialltoall(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Ialltoall(job.out.data(), job.words, type, job.in.data(), job.words, type, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t ialltoallv(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Ialltoallv(job.out.data(), job.counts.data(), job.places.data(), type, job.in.data(), job.counts.data(),
                 job.places.data(), type, MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t ibarrier(Job& job, std::uint64_t steps) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  return ended(job, steps, request);
}

std::uint64_t p2p(Job& job, std::uint64_t steps) {
  MPI_Request requests[2];
  const int right = (job.rank + 1) % job.size, left = (job.rank + job.size - 1) % job.size;
  MPI_Irecv(job.in.data(), job.words, type, left, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(job.out.data(), job.words, type, right, tag, MPI_COMM_WORLD, &requests[1]);
  compute(job, steps);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return read(job);
}

int none(int, int) { return 0; }
int one(int, int) { return 1; }
int all(int, int size) { return size; }
int one_at_root(int rank, int) { return rank == root ? 1 : 0; }
int one_elsewhere(int rank, int) { return rank == root ? 0 : 1; }
int all_at_root(int rank, int size) { return rank == root ? size : 0; }

Kind::Origin sum(int, int) { return {-1, 0}; }
Kind::Origin of_root(int, int) { return {root, 0}; }
Kind::Origin own_of_root(int, int rank) { return {root, rank}; }
Kind::Origin first_of_each(int block, int) { return {block, 0}; }
Kind::Origin own_of_each(int block, int rank) { return {block, rank}; }

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"iallreduce", iallreduce, one, one, sum},
      {"ialltoall", ialltoall, all, all, own_of_each},
      {"ibcast", ibcast, one_at_root, one_elsewhere, of_root},
      {"iallgather", iallgather, one, all, first_of_each},
      {"ireduce", ireduce, one, one_at_root, sum},
      {"igather", igather, one, all_at_root, first_of_each},
      {"iscatter", iscatter, all_at_root, one, own_of_root},
      {"ialltoallv", ialltoallv, all, all, own_of_each},
      {"ibarrier", ibarrier, none, none, of_root},
      {"p2p", p2p, one, one, nullptr},  // from the left
  };
  return list;
}

}  // namespace lapwing::bench::collectives
