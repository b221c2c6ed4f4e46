! SPDX-License-Identifier: Apache-2.0
! Remarks name the buffer as the program does: a dummy argument, a variable of a
! module, in a common, local, allocatable; with debug information and without.
!
! RUN: %fortran_ir -g %s -o - | %lapwing -passes=lapwing -pass-remarks=lapwing -disable-output 2>&1 | FileCheck %s --check-prefixes=CHECK,DEBUG
! RUN: %fortran_ir %s -o - | %lapwing -passes=lapwing -pass-remarks=lapwing -disable-output 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
module data
  implicit none
  double precision, save :: held(20000), work(20000)
  double precision, allocatable, save :: grown(:)
end module

! DEBUG: MPI_Send at names.f90:[[#@LINE+6]] is split: its wait stands at {{.*}} (a write to `edge`
! PLAIN: MPI_Send {{.*}} is split: its wait stands at {{.*}} (a write to the buffer
subroutine argument(edge, peer)
  use data
  include 'mpif.h'
  double precision :: edge(20000)
  call mpi_send(edge, 20000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ignored)
  do i = 1, 20000
    work(i) = work(i) * 0.5d0 + 1
  end do
  edge(7) = 1
end subroutine

! CHECK: MPI_Send {{.*}} is split: its wait stands at {{.*}} (a write to `held`
subroutine module_variable(peer)
  use data
  include 'mpif.h'
  call mpi_send(held, 20000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ignored)
  do i = 1, 20000
    work(i) = work(i) * 0.5d0 + 1
  end do
  held(7) = 1
end subroutine

! CHECK: MPI_Send {{.*}} is split: its wait stands at {{.*}} (a write to `block`
subroutine common_block(peer)
  use data
  include 'mpif.h'
  double precision :: shared(20000)
  common /block/ shared
  call mpi_send(shared, 20000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ignored)
  do i = 1, 20000
    work(i) = work(i) * 0.5d0 + 1
  end do
  shared(7) = 1
end subroutine

! CHECK: MPI_Send {{.*}} is split: its wait stands at {{.*}} (a write to `grown`
subroutine allocatable_variable(peer)
  use data
  include 'mpif.h'
  call mpi_send(grown, 20000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ignored)
  do i = 1, 20000
    work(i) = work(i) * 0.5d0 + 1
  end do
  grown(7) = 1
end subroutine
