! SPDX-License-Identifier: Apache-2.0
!
! A Jacobi sweep over an array in blocks of both dimensions. Each block has a layer of
! ghosts, which a persistent update fills while the elements that need none are computed.
! The outermost elements of the array are its boundary.
!
!   mpiexec -n 4 jacobi [ROWS] [COLUMNS] [STEPS]        any number of processes
program jacobi
  use mpi
  use lapwing_arrays
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: array
  type(lapwing_array_request) :: updates(2)
  real(8), allocatable, target :: a(:, :), b(:, :)
  real(8) :: total, everywhere
  integer :: rows, columns, steps, rank, shape_of_grid(2), mine(2), start(2), r(4), c(4), i, j, step, ierr

  call MPI_Init(ierr)
  rows = argument(1, 40)
  columns = argument(2, 30)
  steps = argument(3, 50)
  call lapwing_tasks_create(MPI_COMM_WORLD, 0, tasks)
  rank = lapwing_tasks_process_rank(tasks)
  shape_of_grid = 0
  call MPI_Dims_create(lapwing_tasks_processes(tasks, 0), 2, shape_of_grid, ierr)
  call lapwing_distribution_create(array, lapwing_float64, &
    [lapwing_block(rows, shape_of_grid(1), 1, ghost_below=1, ghost_above=1), &
     lapwing_block(columns, shape_of_grid(2), 2, ghost_below=1, ghost_above=1)], shape_of_grid)
  mine = int(lapwing_local_extents(array, rank))
  start = first_index(array, rank, mine)

  ! Two arrays that take turns, each with its update. The values count indices from 0, as those of the other languages do.
  allocate (a(0:mine(1) + 1, 0:mine(2) + 1), b(0:mine(1) + 1, 0:mine(2) + 1))
  a = 0
  do j = 1, mine(2)
    do i = 1, mine(1)
      a(i, j) = mod(3 * (start(1) + i - 2) + 5 * (start(2) + j - 2), 17)
    end do
  end do
  b = a
  call lapwing_array_update_ghosts_init(a, array, lapwing_ghosts_faces, tasks, updates(1))
  call lapwing_array_update_ghosts_init(b, array, lapwing_ghosts_faces, tasks, updates(2))

  r = range_of(start(1), mine(1), rows)
  c = range_of(start(2), mine(2), columns)
  do step = 1, steps
    if (mod(step, 2) == 1) then
      call sweep(a, b, updates(1))
    else
      call sweep(b, a, updates(2))
    end if
  end do

  if (mod(steps, 2) == 1) a = b
  total = 0
  do j = 1, mine(2)
    do i = 1, mine(1)
      total = total + a(i, j) * (mod(start(1) + i - 2 + 2 * (start(2) + j - 2), 7) + 1)
    end do
  end do
  call MPI_Reduce(total, everywhere, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,a,i0,a,es12.6)', "jacobi: ", rows, " x ", columns, ", ", steps, &
    " steps, checksum ", everywhere
  call lapwing_array_request_free(updates(1))
  call lapwing_array_request_free(updates(2))
  call lapwing_distribution_free(array)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  subroutine sweep(u, next, update)
    real(8), intent(inout), asynchronous :: u(0:, 0:)
    real(8), intent(inout) :: next(0:, 0:)
    type(lapwing_array_request), intent(inout) :: update
    call lapwing_array_start(update)
    call relax(u, next, r(2), r(3), c(2), c(3))
    call lapwing_array_wait(update)
    call relax(u, next, r(1), r(2) - 1, c(1), c(4))
    call relax(u, next, r(3) + 1, r(4), c(1), c(4))
    call relax(u, next, r(2), r(3), c(1), c(2) - 1)
    call relax(u, next, r(2), r(3), c(3) + 1, c(4))
  end subroutine

  subroutine relax(u, next, i0, i1, j0, j1)
    real(8), intent(in), asynchronous :: u(0:, 0:)
    real(8), intent(inout) :: next(0:, 0:)
    integer, intent(in) :: i0, i1, j0, j1
    integer :: p, q
    do q = j0, j1
      do p = i0, i1
        next(p, q) = 0.25d0 * ((u(p - 1, q) + u(p + 1, q)) + (u(p, q - 1) + u(p, q + 1)))
      end do
    end do
  end subroutine

  ! Along one dimension: the first and the last owned element that change, and between them those that need no ghosts.
  function range_of(first, count, extent) result(range)
    integer, intent(in) :: first, count, extent
    integer :: range(4)
    range(1) = merge(2, 1, first == 1)
    range(4) = merge(count - 1, count, first + count - 1 == extent)
    range(2) = min(max(range(1), 2), range(4) + 1)
    range(3) = max(range(2) - 1, min(range(4), count - 1))
  end function

  ! The index of the first element here; all ones where there is none.
  function first_index(array, rank, mine) result(index)
    type(lapwing_distribution), intent(in) :: array
    integer, intent(in) :: rank, mine(2)
    integer :: index(2)
    integer(8) :: found(2)
    type(lapwing_local_part) :: part
    index = 1
    if (product(mine) == 0) return
    call lapwing_distribution_local(array, rank, part=part)
    call lapwing_distribution_index(array, rank, part%offset + 1, found)
    index = int(found)
  end function

  integer function argument(which, otherwise)
    integer, intent(in) :: which, otherwise
    character(len=16) :: given
    argument = otherwise
    call get_command_argument(which, given)
    if (given /= "") read (given, *) argument
  end function
end program
