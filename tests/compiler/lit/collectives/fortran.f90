! SPDX-License-Identifier: Apache-2.0
! RUN: %fortran_ir %s -o - | %lapwing -passes=lapwing-whole,verify | FileCheck %s
! RUN: flang-new -O2 -S -emit-llvm %modules -DMODERN -cpp %s -o - | %lapwing -passes=lapwing-whole,verify | FileCheck %s --check-prefix=MODERN
#ifdef MODERN
subroutine modern(a, w)
  use mpi_f08
  integer :: i
  integer :: a(40000)
  double precision :: w(40000)
  call MPI_Allreduce(MPI_IN_PLACE, a, 40000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  do i = 1, 40000
    w(i) = w(i) * 0.5d0 + 1
  end do
  a(1) = a(2)
end subroutine
! MODERN: call ptr @lapwing_start_allreduce_(
! MODERN: call void @lapwing_call_allreduce_(
! MODERN: fmul
! MODERN: call void @lapwing_wait(
#else
subroutine broadcast(a, w, ierr)
  implicit none
  include 'mpif.h'
  integer :: a(40000), i, ierr
  double precision :: w(40000)
  call mpi_bcast(a, 40000, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (ierr /= MPI_SUCCESS) return
  do i = 1, 40000
    w(i) = w(i) * 0.5d0 + 1
  end do
  a(1) = a(2)
end subroutine
! CHECK-LABEL: define {{.*}}@broadcast_(
! CHECK: call i32 @lapwing_may_split_bcast_(ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}})
! CHECK: call ptr @lapwing_start_bcast_(ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}}, ptr {{[^,]*}})
! CHECK: store i32 0
! CHECK: call void @lapwing_call_bcast_(
! CHECK: fmul
! CHECK: call void @lapwing_wait(

subroutine summed(x, y, w)
  implicit none
  include 'mpif.h'
  integer :: i, ierr
  double precision :: x(40000), y(40000), w(40000)
  call mpi_allreduce(x, y, 40000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  do i = 1, 40000
    w(i) = w(i) * 0.5d0 + 1
  end do
end subroutine
! CHECK-LABEL: define {{.*}}@summed_(
! CHECK-NOT: lapwing_
! CHECK: call void @mpi_allreduce_(
#endif
