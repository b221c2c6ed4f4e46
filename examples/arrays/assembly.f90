! SPDX-License-Identifier: Apache-2.0
!
! An assembly by cells, as finite elements have it: nodes on a torus, and a cell between
! each four of them. A process has a block of the nodes and computes the cells that begin
! at these; the nodes behind its block are ghosts. Values of nodes are brought there before
! the cells are computed, and what the cells add to ghosts goes to the nodes' owners.
!
!   mpiexec -n 4 assembly [ROWS] [COLUMNS] [STEPS]        any number of processes
program assembly
  use mpi
  use lapwing_arrays
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: array
  type(lapwing_array_request) :: update
  real(8), allocatable, target :: stiffness(:, :), x(:, :), load(:, :)
  logical, parameter :: periodic(2) = .true.
  real(8) :: total, everywhere
  integer :: rows, columns, steps, rank, shape_of_grid(2), mine(2), start(2), m, n, i, j, step, ierr

  call MPI_Init(ierr)
  rows = argument(1, 40)
  columns = argument(2, 30)
  steps = argument(3, 50)
  call lapwing_tasks_create(MPI_COMM_WORLD, 0, tasks)
  rank = lapwing_tasks_process_rank(tasks)
  shape_of_grid = 0
  call MPI_Dims_create(lapwing_tasks_processes(tasks, 0), 2, shape_of_grid, ierr)
  call lapwing_distribution_create(array, lapwing_float64, &
    [lapwing_block(rows, shape_of_grid(1), 1, ghost_above=1), &
     lapwing_block(columns, shape_of_grid(2), 2, ghost_above=1)], shape_of_grid)
  mine = int(lapwing_local_extents(array, rank))
  if (product(mine) == 0) mine = 0
  start = first_index(array, rank, mine)
  m = mine(1)
  n = mine(2)

  ! The values count indices from 0, as those of the other languages do.
  allocate (stiffness(m + 1, n + 1), x(m + 1, n + 1), load(m + 1, n + 1))
  stiffness = 0
  x = 0
  do j = 1, n
    do i = 1, m
      stiffness(i, j) = 1 + mod((start(1) + i - 2) * (start(2) + j - 2), 3)
      x(i, j) = mod(3 * (start(1) + i - 2) + 5 * (start(2) + j - 2), 17)
    end do
  end do
  ! The stiffness stays as it is: once is enough.
  call lapwing_array_update_ghosts(stiffness, array, lapwing_ghosts_corners, tasks, periodic=periodic)
  do step = 1, steps
    call lapwing_array_iupdate_ghosts(x, array, lapwing_ghosts_corners, tasks, update, periodic=periodic)
    load = 0
    call add_cells(1, m - 1, 1, n - 1)  ! these need no ghosts
    call lapwing_array_wait(update)
    if (m > 0) then
      call add_cells(m, m, 1, n)
      call add_cells(1, m - 1, n, n)
    end if
    call lapwing_array_add_ghosts(load, array, lapwing_ghosts_corners, tasks, periodic=periodic)
    x(:m, :n) = x(:m, :n) + load(:m, :n)
  end do

  total = 0
  do j = 1, n
    do i = 1, m
      total = total + x(i, j) * (mod(start(1) + i - 2 + 2 * (start(2) + j - 2), 7) + 1)
    end do
  end do
  call MPI_Reduce(total, everywhere, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,a,i0,a,es12.6)', "assembly: ", rows, " x ", columns, ", ", steps, &
    " steps, checksum ", everywhere
  call lapwing_distribution_free(array)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  ! The cells from (i0, j0) to (i1, j1), each at its four nodes.
  subroutine add_cells(i0, i1, j0, j1)
    integer, intent(in) :: i0, i1, j0, j1
    real(8) :: k, force
    integer :: p, q
    do q = j0, j1
      do p = i0, i1
        k = (stiffness(p, q) + stiffness(p, q + 1)) + (stiffness(p + 1, q) + stiffness(p + 1, q + 1))
        force = 0.0075d0 * k * ((x(p, q) + x(p + 1, q + 1)) - (x(p, q + 1) + x(p + 1, q)))
        load(p, q) = load(p, q) - force
        load(p, q + 1) = load(p, q + 1) + force
        load(p + 1, q) = load(p + 1, q) + force
        load(p + 1, q + 1) = load(p + 1, q + 1) - force
      end do
    end do
  end subroutine

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
