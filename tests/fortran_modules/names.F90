! SPDX-License-Identifier: Apache-2.0
! MPI's names of the specific procedures of mpi_f08, which may be passed on. Two ranks; mpi_f08 only.
program names
  use mpi_f08
  use checks
  implicit none
  integer :: rank, n, a(1000), b(1000)
  type(MPI_Request) :: r
  call MPI_Init_f08()
  call MPI_Comm_rank_f08(MPI_COMM_WORLD, rank)
  call check(answer(MPI_Comm_size_f08) == 2, 'passed as an argument')
  call check(answer(PMPI_Comm_rank_f08) == rank, 'that of the profiling interface')
  a = rank
  b = -1
  call MPI_Irecv_f08(b, 1000, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD, r)
  call PMPI_Send_f08(a, 1000, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD)
  call MPI_Wait_f08(r, MPI_STATUS_IGNORE, n)
  call check(n == MPI_SUCCESS .and. all(b == 1 - rank), 'irecv')
#ifdef LARGE
  call MPI_Irecv_c_f08(b, 3_MPI_COUNT_KIND, MPI_INTEGER, 1 - rank, 6, MPI_COMM_WORLD, r)
  call PMPI_Send_c_f08([7, 8, 9], 3_MPI_COUNT_KIND, MPI_INTEGER, 1 - rank, 6, MPI_COMM_WORLD)
  call MPI_Wait_f08(r, MPI_STATUS_IGNORE)
  call check(all(b == [7, 8, 9, spread(1 - rank, 1, 997)]), 'irecv with a large count')
#endif
  call MPI_Finalize_f08()
#ifdef LARGE
  call finish(4)
#else
  call finish(3)
#endif
contains
  integer function answer(ask)
    procedure(MPI_Comm_size_f08) :: ask
    call ask(MPI_COMM_WORLD, answer)
  end function
end program
