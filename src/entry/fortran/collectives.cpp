// SPDX-License-Identifier: Apache-2.0
// The collectives of compiled Fortran: arguments by reference, handles as integers.
#include "entry/compiled/collectives.hpp"
#include "entry/fortran/fortran.hpp"
#include "entry/p2p/p2p.hpp"

using lapwing::entry::Collectives;
using lapwing::entry::give;
using lapwing::entry::Wish;

namespace {

void* place(void* address) {
  return lapwing::mpi::is_fortran_in_place(address) ? MPI_IN_PLACE : lapwing::entry::buffer(address);
}
MPI_Datatype type_of(const MPI_Fint* type) { return PMPI_Type_f2c(*type); }
MPI_Comm comm_of(const MPI_Fint* comm) { return PMPI_Comm_f2c(*comm); }
MPI_Op op_of(const MPI_Fint* op) { return PMPI_Op_f2c(*op); }

}  // namespace

// Where the job has not agreed the wrapper of MPI's own gets the call, as ever; a
// program of which nothing else is in that library may not have it.
#define FORTRAN_COLLECTIVE(NAME, PARAMETERS, REFERENCES, ...)                                         \
  LAPWING_ENTRY int lapwing_may_split_##NAME##_ PARAMETERS {                                          \
    if (!Collectives::on(Collectives::NAME)) return 0;                                                \
    Wish wish{Wish::ask};                                                                             \
    lapwing::entry::make_##NAME(wish, __VA_ARGS__);                                                   \
    return wish.yes;                                                                                  \
  }                                                                                                   \
  LAPWING_ENTRY lapwing_token* lapwing_start_##NAME##_ PARAMETERS {                                   \
    Wish wish{Wish::start};                                                                           \
    lapwing::entry::make_##NAME(wish, __VA_ARGS__);                                                   \
    return wish.token;                                                                                \
  }                                                                                                   \
  LAPWING_ENTRY void lapwing_call_##NAME##_(WITHOUT_BRACKETS PARAMETERS, MPI_Fint* ierror) {          \
    using Own = void(WITHOUT_BRACKETS PARAMETERS, MPI_Fint*);                                         \
    static Own* const own = reinterpret_cast<Own*>(lapwing::entry::program_symbol("mpi_" #NAME "_")); \
    MPI_Fint unwanted = 0;                                                                            \
    if (!Collectives::on(Collectives::NAME) && own)                                                   \
      return own(WITHOUT_BRACKETS REFERENCES, ierror ? ierror : &unwanted);                           \
    Wish wish{Wish::all};                                                                             \
    give(ierror, lapwing::entry::make_##NAME(wish, __VA_ARGS__));                                     \
  }
#define WITHOUT_BRACKETS(...) __VA_ARGS__

FORTRAN_COLLECTIVE(bcast, (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm),
                   (buffer, count, type, root, comm), place(buffer), *count, type_of(type), *root,
                   comm_of(comm))
FORTRAN_COLLECTIVE(reduce,
                   (void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                    MPI_Fint* comm),
                   (send, recv, count, type, op, root, comm), place(send), place(recv), *count, type_of(type),
                   op_of(op), *root, comm_of(comm))
FORTRAN_COLLECTIVE(allreduce,
                   (void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                   (send, recv, count, type, op, comm), place(send), place(recv), *count, type_of(type),
                   op_of(op), comm_of(comm))
FORTRAN_COLLECTIVE(gather,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                    MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm),
                   (send, scount, stype, recv, rcount, rtype, root, comm), place(send), *scount,
                   type_of(stype), place(recv), *rcount, type_of(rtype), *root, comm_of(comm))
FORTRAN_COLLECTIVE(gatherv,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                    MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm),
                   (send, scount, stype, recv, rcounts, displs, rtype, root, comm), place(send), *scount,
                   type_of(stype), place(recv), rcounts, displs, type_of(rtype), *root, comm_of(comm))
FORTRAN_COLLECTIVE(scatter,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                    MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm),
                   (send, scount, stype, recv, rcount, rtype, root, comm), place(send), *scount,
                   type_of(stype), place(recv), *rcount, type_of(rtype), *root, comm_of(comm))
FORTRAN_COLLECTIVE(scatterv,
                   (void* send, MPI_Fint* scounts, MPI_Fint* displs, MPI_Fint* stype, void* recv,
                    MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm),
                   (send, scounts, displs, stype, recv, rcount, rtype, root, comm), place(send), scounts,
                   displs, type_of(stype), place(recv), *rcount, type_of(rtype), *root, comm_of(comm))
FORTRAN_COLLECTIVE(allgather,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                    MPI_Fint* rtype, MPI_Fint* comm),
                   (send, scount, stype, recv, rcount, rtype, comm), place(send), *scount, type_of(stype),
                   place(recv), *rcount, type_of(rtype), comm_of(comm))
FORTRAN_COLLECTIVE(allgatherv,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                    MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* comm),
                   (send, scount, stype, recv, rcounts, displs, rtype, comm), place(send), *scount,
                   type_of(stype), place(recv), rcounts, displs, type_of(rtype), comm_of(comm))
FORTRAN_COLLECTIVE(alltoall,
                   (void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                    MPI_Fint* rtype, MPI_Fint* comm),
                   (send, scount, stype, recv, rcount, rtype, comm), place(send), *scount, type_of(stype),
                   place(recv), *rcount, type_of(rtype), comm_of(comm))
FORTRAN_COLLECTIVE(alltoallv,
                   (void* send, MPI_Fint* scounts, MPI_Fint* sdispls, MPI_Fint* stype, void* recv,
                    MPI_Fint* rcounts, MPI_Fint* rdispls, MPI_Fint* rtype, MPI_Fint* comm),
                   (send, scounts, sdispls, stype, recv, rcounts, rdispls, rtype, comm), place(send), scounts,
                   sdispls, type_of(stype), place(recv), rcounts, rdispls, type_of(rtype), comm_of(comm))
