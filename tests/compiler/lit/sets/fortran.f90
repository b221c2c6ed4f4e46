! SPDX-License-Identifier: Apache-2.0
! Branches and loops of Fortran.
!
! RUN: flang-new -O0 -gline-tables-only -S -emit-llvm %modules %s -o - | %sets -o - 2> %t.remarks | FileCheck %s
! RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
program sets
  use mpi_f08
  implicit none
  integer :: rank, n, i, total
  type(mpi_comm) :: comm
  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  n = rank
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world)
  ! REMARK: all processes go the same way at fortran.f90:[[@LINE+1]]
  do i = 1, n
    call mpi_barrier(mpi_comm_world)
  end do
  ! REMARK: processes part 2 ways at fortran.f90:[[@LINE+1]]
  if (rank < 3) then
    call mpi_barrier(mpi_comm_world)
  else if (rank > 5) then
    n = 4
  end if
  ! REMARK: processes part 2 ways at fortran.f90:[[@LINE+1]]
  select case (rank)
  case (1)
    call mpi_barrier(mpi_comm_world)
  case (2, 5)
    call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world)
  case default
    total = 3
  end select
  call mpi_comm_dup(mpi_comm_world, comm)
  ! REMARK: processes part 2 ways at fortran.f90:[[@LINE+1]]
  do while (rank > 0)
    call mpi_allreduce(rank, total, 1, mpi_integer, mpi_sum, comm)
    rank = rank - 1
  end do
  call mpi_bcast(n, 1, mpi_integer, 0, comm)
  call inner(n)
  call mpi_finalize()
contains
  subroutine inner(times)
    integer, intent(in) :: times
    ! REMARK: all processes go the same way at fortran.f90:[[@LINE+1]]
    if (times > 3) call mpi_barrier(comm)
    ! REMARK: processes part 2 ways at fortran.f90:[[@LINE+1]]
    if (rank == 1) return
    call mpi_barrier(comm)
    ! Messages from one to another, and an end of the program, are no splits.
    ! REMARK-NOT: remark
    if (rank == 2) call mpi_send(rank, 1, mpi_integer, 0, 0, mpi_comm_world)
    if (rank == 3) stop 1
    if (rank == 4) call mpi_abort(mpi_comm_world, 2)
    call mpi_barrier(comm)
  end subroutine
end program
! CHECK-LABEL: define {{.*}}@_QQmain(
! CHECK: call i32 @lapwing_sets_enter()
! CHECK: call void @lapwing_sets_call(
! CHECK-NEXT: call void @lapwing_f08_bcast(
! CHECK: load i32, ptr %{{.*}}
! CHECK: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 1, ptr %lapwing.comms, i32 1)
