! SPDX-License-Identifier: Apache-2.0
!
! RUN: %fortran_ir -g %s -o - | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
!
! A routine that is called touches what allocatables of a module hold: not what another one holds. Memory that was
! allocated before anything was sent is nobody else's.
module field
  real(8), allocatable :: grid(:, :, :, :), old(:, :, :, :), out(:)
contains
  subroutine sweep(n)
    integer, intent(in) :: n
    integer :: i, j, k, m
    do m = 2, n - 1
      do k = 2, n - 1
        do j = 2, n - 1
          do i = 2, n - 1
            grid(i, j, k, m) = old(i - 1, j, k, m) + old(i + 1, j, k, m) + old(i, j - 1, k, m) + old(i, j + 1, k, m) &
              + old(i, j, k - 1, m) + old(i, j, k + 1, m) + old(i, j, k, m - 1) + old(i, j, k, m + 1)
          end do
        end do
      end do
    end do
    do m = 2, n - 1
      do k = 2, n - 1
        do j = 2, n - 1
          do i = 2, n - 1
            old(i, j, k, m) = grid(i - 1, j, k, m) + grid(i + 1, j, k, m) + grid(i, j - 1, k, m) + grid(i, j + 1, k, m) &
              + grid(i, j, k - 1, m) + grid(i, j, k + 1, m) + grid(i, j, k, m - 1) + grid(i, j, k, m + 1)
          end do
        end do
      end do
    end do
  end subroutine

  subroutine pack_all(n)
    integer, intent(in) :: n
    integer :: i, j, k, m
    do m = 2, n - 1
      do k = 2, n - 1
        do j = 2, n - 1
          do i = 2, n - 1
            out(i + n * (j + n * (k + n * m))) = old(i - 1, j, k, m) + old(i + 1, j, k, m) + old(i, j - 1, k, m) &
              + old(i, j + 1, k, m) + old(i, j, k - 1, m) + old(i, j, k + 1, m) + old(i, j, k, m - 1) + old(i, j, k, m + 1)
          end do
        end do
      end do
    end do
    call sweep(n)
  end subroutine
end module

subroutine steps(n, peer)
  use field
  implicit none
  include 'mpif.h'
  integer :: n, peer, step, request, error
  allocate (grid(n, n, n, n), old(n, n, n, n), out(n * n * n * n))
  grid = 0
  old = 0
  do step = 1, n
    out = step
    call MPI_Isend(out, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, request, error)
    ! CHECK-DAG: MPI_Wait at owners.f90:[[#@LINE+1]] is moved: its wait stands at {{.*}} (a call that may write to `out`)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call sweep(n)
    call sweep(n)
    call pack_all(n)
  end do
end subroutine
