! SPDX-License-Identifier: Apache-2.0
! As the case `reads` of cases.c.
program reads
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 400000
  integer :: a(n), rank, i, ierror, status(MPI_STATUS_SIZE)
  integer(8) :: total
  real(8) :: work(4096)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  a = 0
  work = 0
  if (rank == 0) then
    do i = 1, n
      a(i) = mod(i, 7)
    end do
    call sleep(1)
    call MPI_Send(a, n, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierror)
  else if (rank == 1) then
    call MPI_Recv(a, n, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, status, ierror)
    do i = 2, 4096
      work(i) = work(i - 1) * 0.5d0 + i
    end do
    total = 0
    do i = 1, n
      total = total + a(i) ! reads
    end do
    print *, total, work(4096)
  end if
  call MPI_Finalize(ierror)
end program reads
