// SPDX-License-Identifier: Apache-2.0
// What the hand-written Fortran entry points share: arguments by reference,
// handles as integers, indices from 1.
//
// They serve mpif.h, use mpi and mpi_f08 alike (an error argument may be absent
// in the last) and call the exported C entry points of this library, so that
// every call goes through one implementation. Which spellings lead here is
// decided by table.py; the stubs jump, so the return address is the program's.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>

#include "entry/caller.hpp"
#include "mpi_fortran.hpp"

#define LAPWING_FORTRAN extern "C" void
#define LAPWING_NOTE_CALLER() lapwing::entry::note_fortran_caller(__builtin_return_address(0))

namespace lapwing::entry {

inline void give(MPI_Fint* error, int code) {
  if (error) *error = code;
}

inline void* buffer(void* address) { return mpi::is_fortran_bottom(address) ? MPI_BOTTOM : address; }

/// Handles of requests for the time of one call; written back at its end.
class RequestArray {
 public:
  RequestArray(MPI_Fint count, MPI_Fint* fortran) : count_(count > 0 ? count : 0), fortran_(fortran) {
    if (count_ > static_cast<MPI_Fint>(few_.size()))
      many_ = std::make_unique<MPI_Request[]>(static_cast<std::size_t>(count_));
    for (MPI_Fint i = 0; i < count_; ++i) data()[i] = PMPI_Request_f2c(fortran_[i]);
  }
  ~RequestArray() {
    for (MPI_Fint i = 0; i < count_; ++i) {
      const MPI_Fint now = PMPI_Request_c2f(data()[i]);
      if (fortran_[i] != now) fortran_[i] = now;  // the array may be a constant one
    }
  }
  RequestArray(const RequestArray&) = delete;
  RequestArray& operator=(const RequestArray&) = delete;

  MPI_Request* data() { return many_ ? many_.get() : few_.data(); }

 private:
  MPI_Fint count_;
  MPI_Fint* fortran_;
  std::array<MPI_Request, 16> few_;
  std::unique_ptr<MPI_Request[]> many_;
};

/// LOGICAL of both MPIs' compilers: .true. is 1.
inline void give_flag(MPI_Fint* flag, int value) { *flag = value ? 1 : 0; }

/// The number of the first request in this MPI's own wrappers: 1, but 0 in mpi_f08 of
/// MPICH 4.0. Programs see what they would see without Lapwing.
int first_index();

inline MPI_Fint fortran_index(int index) { return index < 0 ? index : index + first_index(); }

}  // namespace lapwing::entry
