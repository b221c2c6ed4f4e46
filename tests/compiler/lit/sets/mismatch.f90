! SPDX-License-Identifier: Apache-2.0
! Warnings of check mode in Fortran, whose compiler shows no diagnostics of plugins: the pass prints them.
!
! RUN: %fortran_ir -g %s -o - | %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
program main
  implicit none
  include 'mpif.h'
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) then
    ! CHECK: mismatch.f90:[[@LINE+1]]:5: warning: MPI_Barrier is not called by all processes alike: the branch at mismatch.f90:[[@LINE-1]] depends on the rank, and another way from it makes fewer such calls [-Wlapwing-sets]
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end if
  if (rank > 1) then
    call MPI_Barrier(MPI_COMM_WORLD, error)
  else
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end if
  call MPI_Finalize(error)
end program main
