! SPDX-License-Identifier: Apache-2.0
! As parallel.c: flang hands a region the addresses of what it shares in a structure.
!
! RUN: %fortran_ir -fopenmp %s -o - | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
! CHECK: MPI_Send {{.*}} is split: its wait stands at {{.*}} (a write to
! CHECK-NEXT: MPI_Send: stopped at {{.*}}: a call that may write to
module parallel
  implicit none
  double precision :: out(50000), grid(50000)
contains
  subroutine crossed(n, peer)
    include 'mpif.h'
    integer :: n, peer, ierr, i
    call mpi_send(out, 50000, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierr)
!$omp parallel do
    do i = 1, n
      grid(i) = grid(i) * 0.5d0 + i
    end do
!$omp end parallel do
    out(1) = 1
  end subroutine

  subroutine written(n, peer)
    include 'mpif.h'
    integer :: n, peer, ierr, i
    call mpi_send(out, 50000, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierr)
!$omp parallel do
    do i = 1, n
      out(i) = grid(i)
    end do
!$omp end parallel do
  end subroutine
end module
