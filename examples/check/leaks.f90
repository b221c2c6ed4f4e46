! SPDX-License-Identifier: Apache-2.0
! Leaks. A communicator and a datatype that are made once for each step and never freed, and a request that is
! started and never completed. MPI permits the former: the checker warns of them, and with --leaks=error ends
! the job. The latter is an error in any case; a word on the command line adds it.
!
!   lapwing check -- mpiexec -n 2 ./leaks [request]
program leaks
  use mpi_f08
  implicit none
  integer :: rank, step, part, total
  integer, asynchronous :: number
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: column
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  total = 0
  do step = 1, 3
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)  ! MPI_Comm_free is missing
    call MPI_Allreduce(rank, part, 1, MPI_INTEGER, MPI_SUM, half)
    total = total + part
  end do
  call MPI_Type_vector(4, 1, 4, MPI_DOUBLE_PRECISION, column)  ! MPI_Type_free is missing
  call MPI_Type_commit(column)
  if (command_argument_count() > 0) call MPI_Irecv(number, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, request)
  if (rank == 0) print '(a,i0)', "leaks: sum ", total
  call MPI_Finalize()
end program
