! SPDX-License-Identifier: Apache-2.0
! While a send is in flight MPI's routines are called for the first time: Lapwing looks each of them up, which must
! neither retire the send nor count as an access to its buffer.
program first_calls
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000
  integer :: a(n), b(n), rank, other, i, q(2), ierror
  real(8) :: work(4096)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  other = 1 - rank
  do i = 1, n
    a(i) = mod(i, 7) + rank
  end do
  b = 0
  work = rank
  call MPI_Irecv(b, n, MPI_INTEGER, other, 5, MPI_COMM_WORLD, q(2), ierror)
  call MPI_Isend(a, n, MPI_INTEGER, other, 5, MPI_COMM_WORLD, q(1), ierror)
  call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierror)
  do i = 2, 4096
    work(i) = work(i - 1) * 0.5d0 + i
  end do
  call MPI_Waitall(1, q(2), MPI_STATUSES_IGNORE, ierror)
  work(1) = b(n)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  if (rank == 0) print *, sum(a), sum(b), work(1), work(4096)
  call MPI_Finalize(ierror)
end program first_calls
