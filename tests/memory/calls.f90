! SPDX-License-Identifier: Apache-2.0
! lapwing_memory with the handles of mpi_f08: handles that are looked at, sections, errors that come back.
program calls
  use mpi_f08
  use lapwing_memory
  implicit none
  integer, parameter :: n = 20000
  integer :: rank, size, next, ierr, done, i
  type(MPI_Win) :: window
  type(c_ptr) :: base
  type(lapwing_memory_handle) :: get, put
  integer, pointer :: mine(:)
  integer, asynchronous :: here(n), given(100)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  call lapwing_memory_allocate(4_c_size_t * n, MPI_COMM_WORLD%MPI_VAL, base, window%MPI_VAL, ierr)
  call expect(ierr == MPI_SUCCESS, "allocate")
  call c_f_pointer(base, mine, [n])
  mine = [(100000 * rank + i, i=1, n)]
  call lapwing_memory_barrier(window%MPI_VAL, MPI_COMM_WORLD%MPI_VAL)

  call lapwing_memory_wait(get)
  call lapwing_memget_nb(here, 400_c_intptr_t, next, 4_c_size_t * (n - 100), window%MPI_VAL, get)
  done = 0
  do while (done == 0)
    call lapwing_memory_try(get, done, ierr)
  end do
  call lapwing_memory_try(get, done)
  call expect(done == 1 .and. ierr == MPI_SUCCESS, "try")
  call expect(all(here(:n - 100) == [(100000 * next + i, i=101, n)]), "a get that is only started")

  ! A section with gaps goes through a copy.
  call lapwing_memget(here(2:n:2), 0_c_intptr_t, next, 4_c_size_t * n / 2, window%MPI_VAL)
  call expect(all(here(2:n:2) == [(100000 * next + i, i=1, n / 2)]), "a get to every other element")
  call expect(here(1) == 100000 * next + 101, "elements between")

  given = -rank - 1
  call lapwing_memory_barrier(window%MPI_VAL, MPI_COMM_WORLD%MPI_VAL)
  call lapwing_memput_nb(0_c_intptr_t, next, given, 400_c_size_t, window%MPI_VAL, put)
  call lapwing_memory_wait(put, ierr)
  call lapwing_memory_barrier(window%MPI_VAL, MPI_COMM_WORLD%MPI_VAL)
  call expect(all(mine(:100) == -mod(rank + size - 1, size) - 1) .and. mine(101) == 100000 * rank + 101, "a put")

  call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)
  call lapwing_memget(here, 4_c_intptr_t, next, 4_c_size_t * n, window%MPI_VAL, ierr)
  call expect(ierr == MPI_ERR_DISP, "a get behind the end")
  call lapwing_memget_nb(here, 0_c_intptr_t, size, 4_c_size_t, window%MPI_VAL, get, ierr)
  call expect(ierr == MPI_ERR_RANK, "a get from nowhere")
  call lapwing_memory_wait(get)
  call lapwing_memory_free(window%MPI_VAL)
  call MPI_Finalize()
  if (rank == 0) print "(a)", "all calls are right"

contains

  subroutine expect(holds, name)
    logical, intent(in) :: holds
    character(*), intent(in) :: name
    if (holds) return
    print "(a, i0, 2a)", "rank ", rank, ": wrong: ", name
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program calls
