! SPDX-License-Identifier: Apache-2.0
! Buffers in use. Rank 1 writes the next values into the array that it still sends, or rank 0 reads what it
! receives before the wait. Both look right in most runs. `lapwing check --buffers`
! watches the memory of operations that the program has not completed, and names the place of the first such
! access; a word on the command line chooses which of the two it is.
!
!   lapwing check --buffers -- mpiexec -n 2 ./buffers write|read        2 processes or more
program buffers
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  implicit none
  integer, parameter :: numbers = 20000
  real(8), allocatable, asynchronous :: sent(:), received(:)
  real(8) :: seen
  integer :: request, rank, processes, i, ierr
  character(len=8) :: word
  call get_command_argument(1, word)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  if (processes < 2) then
    write (error_unit, '(a)') "usage: mpiexec -n 2 buffers write|read, on 2 processes or more"
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if
  allocate (sent(numbers), received(numbers))
  do i = 1, numbers
    sent(i) = i
  end do
  received = 0
  seen = 0
  request = MPI_REQUEST_NULL
  if (rank == 1) then
    call MPI_Isend(sent, numbers, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, request, ierr)
    if (word == "write") sent(numbers / 2) = 0  ! belongs behind the wait
  else if (rank == 0) then
    call MPI_Irecv(received, numbers, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, request, ierr)
    if (word == "read") seen = received(numbers / 2)  ! belongs behind the wait
  end if
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  if (word /= "read" .and. rank == 0) seen = received(numbers / 2)
  if (rank == 0) print '(a,i0)', "buffers: in the middle is ", int(seen)
  call MPI_Finalize(ierr)
end program
