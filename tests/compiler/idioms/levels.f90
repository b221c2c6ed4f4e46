! SPDX-License-Identifier: Apache-2.0
! Time levels that change places by MOVE_ALLOC while one of them is sent. Three ranks.
program levels
  use mpi
  implicit none
  include 'usleep.inc'
  integer, parameter :: n = 100000
  real(8), allocatable, save, target :: u(:), unew(:), other(:)
  real(8) :: g(n)
  integer :: rank, ranks, ierr, it, i, request, left, right
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks); right = modulo(rank + 1, ranks)
  allocate (u(n), unew(n))
  u = rank; unew = 0; g = 0
  do it = 1, 5
    call MPI_Isend(u, n, MPI_DOUBLE_PRECISION, right, it, MPI_COMM_WORLD, request, ierr)
    do i = 2, n - 1
      unew(i) = u(i) + 0.25d0*(u(i-1) - 2*u(i) + u(i+1)) + it
    end do
    if (modulo(it + rank, 2) == 0) i = usleep(20000)
    call MPI_Recv(g, n, MPI_DOUBLE_PRECISION, left, it, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    unew(1) = g(n-1); unew(n) = g(2)
    call move_alloc(u, other)
    call move_alloc(unew, u)
    call move_alloc(other, unew)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    do i = 1, n
      unew(i) = 0.5d0*g(i)
    end do
    do i = 1, n
      u(i) = u(i) + unew(i)
    end do
  end do
  print *, rank, sum(u), sum(g)
  call MPI_Finalize(ierr)
end program
