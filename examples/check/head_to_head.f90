! SPDX-License-Identifier: Apache-2.0
! Unsafe sends. Neighbours send to each other first and receive then, which works as long as MPI buffers the
! messages, and hangs where it does not: with larger messages, on another machine. The checker warns of it
! in the run that works; with --sends=error it ends the job.
!
!   lapwing check -- mpiexec -n 2 ./head_to_head [NUMBERS]        2 processes or more
program head_to_head
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  implicit none
  real(8), allocatable :: mine(:), theirs(:)
  integer :: n, rank, processes, partner, i
  character(len=16) :: word
  n = 100
  call get_command_argument(1, word)
  if (word /= "") read (word, *) n
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  if (processes < 2) then
    write (error_unit, '(a)') "usage: mpiexec -n 2 head_to_head [NUMBERS], on 2 processes or more"
    call MPI_Finalize()
    stop 2, quiet=.true.
  end if
  partner = merge(rank + 1, rank - 1, mod(rank, 2) == 0)  ! the last of an odd number has none
  mine = [(real(rank + i, 8), i=0, n - 1)]
  allocate (theirs(n))
  if (partner < processes) then
    call MPI_Send(mine, n, MPI_DOUBLE_PRECISION, partner, 1, MPI_COMM_WORLD)  ! MPI_Sendrecv is right
    call MPI_Recv(theirs, n, MPI_DOUBLE_PRECISION, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  if (rank == 0) print '(a,i0,a,i0,a,i0)', "head_to_head: ", n, " numbers from rank ", partner, ", the first is ", int(theirs(1))
  call MPI_Finalize()
end program
