! SPDX-License-Identifier: Apache-2.0
! Fortran passes scalars by reference. A start that stands earlier than the call
! did must find them as the call would: the receiving half of this send-receive
! may be posted before the loop, but not before its source is known.
!
! RUN: %fortran_ir %s -o - | %lapwing -passes=lapwing | FileCheck %s
subroutine halves(a, b, w, n, rank, peers)
  implicit none
  include 'mpif.h'
  integer :: n, rank, peers(0:7), from, i, ierr
  double precision :: a(200000), b(200000), w(200000)
  do i = 1, 200000
    w(i) = w(i) * 0.5d0 + 1
  end do
  from = peers(rank)
  do i = 1, 200000
    a(i) = a(i) + 1
  end do
  call mpi_sendrecv(a, 200000, MPI_DOUBLE_PRECISION, 0, 1, b, 200000, MPI_DOUBLE_PRECISION, from, 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  do i = 1, 200000
    w(i) = w(i) * 0.5d0 + b(i)
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@halves_(
! CHECK: store i32 %{{.*}}, ptr [[FROM:%[0-9]+]]
! CHECK: [[SOURCE:%[0-9]+]] = load i32, ptr [[FROM]]
! CHECK: call ptr @lapwing_pair_recv_({{.*}}, i32 [[SOURCE]], i32 1,
! CHECK: call ptr @lapwing_post_send_(

! A number that a collective gives is none that is known, whatever was stored
! before.
subroutine reduced(a, w, m)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, ierr
  double precision :: a(200000), w(200000)
  n = 0
  call mpi_allreduce(m, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call mpi_send(a, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
  do i = 1, 200000
    w(i) = w(i) * 0.5d0 + 1
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@reduced_(
! CHECK: @mpi_allreduce_(ptr %{{[0-9]+}}, ptr nonnull [[N:%[0-9]+]],
! CHECK: [[COUNT:%[0-9]+]] = load i32, ptr [[N]]
! CHECK: call ptr @lapwing_start_send_(ptr {{.*}}, i32 [[COUNT]],
