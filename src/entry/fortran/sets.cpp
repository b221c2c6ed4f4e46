// SPDX-License-Identifier: Apache-2.0
// What the Fortran module `lapwing` calls where C has handles: the same functions
// with integers. The module passes everything by value, addresses of data, and characters as Fortran does.
#include <mpi.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "entry/p2p/p2p.hpp"
#include "entry/sets/declared.hpp"
#include "lapwing/sets.h"
#include "lapwing/shortcut.h"
#include "mpi_fortran.hpp"
#include "transfer/accounts/places.hpp"

namespace entry = lapwing::entry;
namespace mpi = lapwing::mpi;
namespace transfer = lapwing::transfer;

#define LAPWING_HERE __builtin_return_address(0)

namespace {

struct Line {
  std::string file;
  int line;
};

// Fortran has no __LINE__ that a module could pass: found once for each call.
const Line& line_of(const void* here) {
  static std::mutex lock;
  static std::map<const void*, Line> known;
  const std::lock_guard guard(lock);
  const auto found = known.find(here);
  if (found != known.end()) return found->second;
  const std::string site = transfer::place_of(here).site;
  const auto colon = site.rfind(':');
  Line line{site, 0};
  if (colon != std::string::npos) line = {site.substr(0, colon), std::atoi(site.c_str() + colon + 1)};
  return known.emplace(here, std::move(line)).first->second;
}

MPI_Comm comm_of(MPI_Fint comm) { return PMPI_Comm_f2c(comm); }

const void* sent(const void* buffer) { return mpi::is_fortran_in_place(buffer) ? MPI_IN_PLACE : buffer; }

}  // namespace

LAPWING_ENTRY void lapwing_declare_open_f(MPI_Fint comm) { entry::declare_open(LAPWING_HERE, comm_of(comm)); }

LAPWING_ENTRY void lapwing_declare_send_f(const void* buffer, int count, MPI_Fint type, int dest, int tag,
                                          MPI_Fint comm) {
  entry::declare_send(LAPWING_HERE, buffer, count, PMPI_Type_f2c(type), dest, tag, comm_of(comm));
}

LAPWING_ENTRY void lapwing_declare_recv_f(void* buffer, int count, MPI_Fint type, int source, int tag,
                                          MPI_Fint comm) {
  entry::declare_recv(LAPWING_HERE, buffer, count, PMPI_Type_f2c(type), source, tag, comm_of(comm));
}

LAPWING_ENTRY void lapwing_declare_bcast_f(void* buffer, int count, MPI_Fint type, int root, MPI_Fint comm) {
  entry::declare_bcast(LAPWING_HERE, buffer, count, PMPI_Type_f2c(type), root, comm_of(comm));
}

LAPWING_ENTRY void lapwing_declare_reduce_f(const void* send, void* recv, int count, MPI_Fint type,
                                            MPI_Fint op, int root, MPI_Fint comm) {
  entry::declare_reduce(LAPWING_HERE, sent(send), recv, count, PMPI_Type_f2c(type), PMPI_Op_f2c(op), root,
                        comm_of(comm));
}

LAPWING_ENTRY void lapwing_declare_allreduce_f(const void* send, void* recv, int count, MPI_Fint type,
                                               MPI_Fint op, MPI_Fint comm) {
  entry::declare_allreduce(LAPWING_HERE, sent(send), recv, count, PMPI_Type_f2c(type), PMPI_Op_f2c(op),
                           comm_of(comm));
}

LAPWING_ENTRY lapwing_shortcut* lapwing_shortcut_begin_f(MPI_Fint comm, int choice) {
  return entry::begin_shortcut(LAPWING_HERE, comm_of(comm), choice);
}

LAPWING_ENTRY void lapwing_split_f(MPI_Fint comm, int branches, int branch) {
  const Line& here = line_of(LAPWING_HERE);
  lapwing_split_at(comm_of(comm), branches, branch, here.file.c_str(), here.line);
}

LAPWING_ENTRY void lapwing_merge_f(MPI_Fint comm) {
  const Line& here = line_of(LAPWING_HERE);
  lapwing_merge_at(comm_of(comm), here.file.c_str(), here.line);
}

LAPWING_ENTRY void lapwing_on_set_f() {
  const Line& here = line_of(LAPWING_HERE);
  lapwing_on_set_at(here.file.c_str(), here.line);
}

// Characters come with their number behind all other arguments, as gfortran and flang pass them.
LAPWING_ENTRY void lapwing_set_publish_(const MPI_Fint* comm, const char* name, std::size_t length) {
  const Line& here = line_of(LAPWING_HERE);
  while (length > 0 && name[length - 1] == ' ') --length;
  lapwing_set_publish_at(comm_of(*comm), std::string(name, length).c_str(), here.file.c_str(), here.line);
}

LAPWING_ENTRY int lapwing_set_size_f(MPI_Fint comm) { return lapwing_set_size(comm_of(comm)); }

LAPWING_ENTRY int lapwing_set_rank_f(MPI_Fint comm) { return lapwing_set_rank(comm_of(comm)); }

LAPWING_ENTRY int lapwing_set_members_f(MPI_Fint comm, int* ranks, int room) {
  return lapwing_set_members(comm_of(comm), ranks, room);
}

LAPWING_ENTRY MPI_Fint lapwing_set_comm_f(MPI_Fint comm) {
  return PMPI_Comm_c2f(lapwing_set_comm(comm_of(comm)));
}

LAPWING_ENTRY unsigned long long lapwing_set_token_f(MPI_Fint comm) {
  return lapwing_set_token(comm_of(comm));
}

LAPWING_ENTRY int lapwing_set_is_current_f(MPI_Fint comm, unsigned long long token) {
  return lapwing_set_is_current(comm_of(comm), token);
}

LAPWING_ENTRY void lapwing_set_expect_f(MPI_Fint comm, unsigned long long token) {
  lapwing_set_expect(comm_of(comm), token);
}

LAPWING_ENTRY void lapwing_sets_exclude_f(MPI_Fint comm) { lapwing_sets_exclude(comm_of(comm)); }
