! SPDX-License-Identifier: Apache-2.0
! Fortran's error argument, looked at: MPI_SUCCESS where the call is split.
!
! RUN: %fortran_ir %s -o - | %lapwing -passes='lapwing,verify' | FileCheck %s
subroutine checked(a, w, peer)
  implicit none
  include 'mpif.h'
  integer :: peer, i, ierr
  double precision :: a(200000), w(200000)
  call mpi_send(a, 200000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr)
  if (ierr /= MPI_SUCCESS) stop 'no send'
  do i = 1, 200000
    w(i) = w(i) * 0.5d0 + 1
  end do
  a(5) = 0
end subroutine

! CHECK-LABEL: define {{.*}}@checked_(
! CHECK: call i32 @lapwing_may_split_(i32 200000, i32 1275070495, i32 %{{.*}}, i32 1140850688)
! CHECK: call ptr @lapwing_start_send_({{.*}}, ptr null)
! CHECK-NEXT: store i32 0, ptr [[ERROR:%[0-9]+]]
! CHECK: call {{.*}}@mpi_send_({{.*}}, ptr {{.*}}[[ERROR]])
! CHECK: load i32, ptr [[ERROR]]
! CHECK: call void @lapwing_wait(

! A dummy argument is looked at by whoever calls this.
subroutine handed_on(a, w, peer, ierr)
  implicit none
  include 'mpif.h'
  integer :: peer, i, ierr
  double precision :: a(200000), w(200000)
  call mpi_send(a, 200000, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr)
  do i = 1, 200000
    w(i) = w(i) * 0.5d0 + 1
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@handed_on_(
! CHECK: call i32 @lapwing_may_split_(
! CHECK: call {{.*}}@mpi_send_(
