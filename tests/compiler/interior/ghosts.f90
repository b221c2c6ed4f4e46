! SPDX-License-Identifier: Apache-2.0
! Hydrodynamics' manner: arrays of a module, planes of three dimensions that are packed and unpacked, one wait a
! neighbour.
module state
  implicit none
  integer :: nx, ny, nz, rank, size
  double precision, allocatable :: density(:, :, :), flux(:, :, :)
  double precision, allocatable :: send_low(:), send_high(:), recv_low(:), recv_high(:)
end module

module hydro
  use state
  implicit none
  include 'mpif.h'
contains
  subroutine exchange_and_sweep()
    integer :: i, j, k, n, ierr, requests(4), low, high
    low = MPI_PROC_NULL
    high = MPI_PROC_NULL
    if (rank > 0) low = rank - 1
    if (rank < size - 1) high = rank + 1
    n = nx * ny
    call MPI_Irecv(recv_low, n, MPI_DOUBLE_PRECISION, low, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(recv_high, n, MPI_DOUBLE_PRECISION, high, 2, MPI_COMM_WORLD, requests(2), ierr)
    do j = 1, ny
      do i = 1, nx
        send_low((j - 1) * nx + i) = density(i, j, 1)
        send_high((j - 1) * nx + i) = density(i, j, nz)
      end do
    end do
    call MPI_Isend(send_low, n, MPI_DOUBLE_PRECISION, low, 2, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(send_high, n, MPI_DOUBLE_PRECISION, high, 1, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    if (rank > 0) then
      do j = 1, ny
        do i = 1, nx
          density(i, j, 0) = recv_low((j - 1) * nx + i)
        end do
      end do
    end if
    if (rank < size - 1) then
      do j = 1, ny
        do i = 1, nx
          density(i, j, nz + 1) = recv_high((j - 1) * nx + i)
        end do
      end do
    end if
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          flux(i, j, k) = 0.5d0 * (density(i, j, k + 1) - density(i, j, k - 1)) + 0.125d0 * density(i, j, k)
        end do
      end do
    end do
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          density(i, j, k) = density(i, j, k) + flux(i, j, k)
        end do
      end do
    end do
  end subroutine
end module

program ghosts
  use hydro
  implicit none
  integer :: ierr, step, i, j, k, round
  double precision :: total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  do round = 1, 2
    nx = merge(60, 3, round == 1)
    ny = merge(50, 2, round == 1)
    nz = merge(20, 1, round == 1)
    allocate (density(nx, ny, 0:nz+1), flux(nx, ny, nz))
    allocate (send_low(nx * ny), send_high(nx * ny), recv_low(nx * ny), recv_high(nx * ny))
    do k = 0, nz + 1
      do j = 1, ny
        do i = 1, nx
          density(i, j, k) = mod(i * 7919 + j * 31 + k * 17 + rank, 1000)
        end do
      end do
    end do
    do step = 1, 4
      call exchange_and_sweep()
    end do
    total = 0
    do k = 0, nz + 1
      do j = 1, ny
        do i = 1, nx
          total = total * 0.75d0 + density(i, j, k)
        end do
      end do
    end do
    print '(a, 2i3, es25.16)', 'ghosts', round, rank, total
    deallocate (density, flux, send_low, send_high, recv_low, recv_high)
  end do
  call MPI_Finalize(ierr)
end program
