// SPDX-License-Identifier: Apache-2.0
// The arguments of a call that is known by its table entry only.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "entry/spec.hpp"
#include "mpi_fortran.hpp"

namespace lapwing::entry {

class Arguments {
 public:
  /// As the System V ABI passes them: six in registers, the rest on the stack.
  Arguments(Form form, const std::int64_t* registers, const std::int64_t* stack)
      : form_(form), registers_(registers), stack_(stack) {}

  Form form() const { return form_; }
  bool fortran() const { return form_ == Form::fortran; }

  void* pointer(int index) const { return reinterpret_cast<void*>(word(index)); }

  /// Above bit 31 a 32 bit argument may hold anything.
  int integer(int index) const {
    return form_ == Form::fortran ? *static_cast<const int*>(pointer(index)) : static_cast<int>(word(index));
  }

  MPI_Count count(int index) const { return form_ == Form::large ? word(index) : integer(index); }

  MPI_Aint address(int index) const {
    return form_ == Form::fortran ? *static_cast<const MPI_Aint*>(pointer(index)) : word(index);
  }

  MPI_Datatype type(int index) const {
    return form_ == Form::fortran ? PMPI_Type_f2c(integer(index)) : handle<MPI_Datatype>(index);
  }
  MPI_Comm comm(int index) const {
    return form_ == Form::fortran ? PMPI_Comm_f2c(integer(index)) : handle<MPI_Comm>(index);
  }

  bool is_in_place(const void* address) const {
    return form_ == Form::fortran ? mpi::is_fortran_in_place(address) : address == MPI_IN_PLACE;
  }
  bool is_bottom(const void* address) const {
    return form_ == Form::fortran ? mpi::is_fortran_bottom(address) : address == MPI_BOTTOM;
  }

  MPI_Op op(int index) const {
    return form_ == Form::fortran ? PMPI_Op_f2c(integer(index)) : handle<MPI_Op>(index);
  }
  MPI_Group group(int index) const {
    return form_ == Form::fortran ? PMPI_Group_f2c(integer(index)) : handle<MPI_Group>(index);
  }
  MPI_Win win(int index) const {
    return form_ == Form::fortran ? PMPI_Win_f2c(integer(index)) : handle<MPI_Win>(index);
  }
  MPI_File file(int index) const {
    return form_ == Form::fortran ? PMPI_File_f2c(integer(index)) : handle<MPI_File>(index);
  }

 private:
  std::int64_t word(int index) const { return index < 6 ? registers_[index] : stack_[index - 6]; }

  // An int in MPICH, a pointer in Open MPI: only the C cast makes both.
  template <typename Handle>
  Handle handle(int index) const {
    return (Handle)(word(index));
  }

  Form form_;
  const std::int64_t* registers_;
  const std::int64_t* stack_;
};

}  // namespace lapwing::entry
