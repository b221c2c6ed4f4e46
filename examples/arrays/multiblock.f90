! SPDX-License-Identifier: Apache-2.0
!
! A multiblock code: three blocks of a domain lie side by side. Each is a task of its own
! size that relaxes its block; neighbours send each other the lines next to their common
! boundary, by persistent requests. The second dimension is distributed, so that what C's
! version calls a row is u(:, i) here.
!
!   mpiexec -n 6 multiblock_f [ROWS] [COLUMNS] [STEPS]
program multiblock
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use lapwing_arrays
  implicit none
  integer, parameter :: blocks = 3
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: block, sections(4)
  type(lapwing_dimension) :: dimensions(2)
  type(lapwing_array_request) :: requests(4)
  real(8), allocatable, target :: u(:, :)
  real(8), allocatable :: next(:, :)
  real(8) :: total, everywhere
  integer, allocatable :: sizes(:)
  integer :: rows, columns, steps, all_processes, task, rank, processes, comm, ierr
  integer :: p, i, j, step, side, neighbour, count, mine, start, low, high

  call MPI_Init(ierr)
  rows = argument(1, 12)
  columns = argument(2, 9)
  steps = argument(3, 20)
  call MPI_Comm_size(MPI_COMM_WORLD, all_processes, ierr)
  if (all_processes < 6) then
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    if (rank == 0) write (error_unit, '(a)') &
      "usage: mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS], on 6 processes or more"
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if
  call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [all_processes / 2, &
                              all_processes - all_processes / 2 - all_processes / 6, all_processes / 6], tasks)
  task = lapwing_tasks_rank(tasks)
  rank = lapwing_tasks_process_rank(tasks)
  processes = lapwing_tasks_processes(tasks, task)
  call lapwing_tasks_comm(tasks, comm)

  ! Equal shares of rows, with a ghost row on both sides.
  sizes = [(rows * (p + 1) / processes - rows * p / processes, p=0, processes - 1)]
  dimensions(1) = lapwing_collapsed(columns)
  dimensions(2) = lapwing_irregular(sizes, 1, ghost_below=1, ghost_above=1)
  call lapwing_distribution_create(block, lapwing_float64, dimensions, [processes])
  mine = sizes(rank + 1)
  start = sum(sizes(:rank))
  allocate (u(columns, 0:mine + 1), next(columns, mine))
  u = 0
  do i = 1, mine
    do j = 1, columns
      u(j, i) = mod(3 * (start + i - 1) + 5 * (j - 1) + 7 * task, 17)
    end do
  end do

  ! My outermost inner columns go to the neighbours' boundary columns.
  count = 0
  do side = -1, 1, 2
    neighbour = task + side
    if (neighbour < 0 .or. neighbour >= blocks) cycle
    call lapwing_distribution_section(block, [merge(2, columns - 1, side < 0), 1], [1, rows], sections(count + 1))
    call lapwing_array_send_init(u, sections(count + 1), neighbour, 5, tasks, requests(count + 1))
    call lapwing_distribution_section(block, [merge(1, columns, side < 0), 1], [1, rows], sections(count + 2))
    call lapwing_array_recv_init(u, sections(count + 2), neighbour, 5, tasks, requests(count + 2))
    count = count + 2
  end do

  low = merge(2, 1, start == 0)
  high = merge(mine - 1, mine, start + mine == rows)
  do step = 1, steps
    call lapwing_array_startall(requests(:count))
    call exchange_rows()
    call lapwing_array_waitall(requests(:count))
    do i = low, high
      do j = 2, columns - 1
        next(j, i) = 0.25d0 * ((u(j, i - 1) + u(j, i + 1)) + (u(j - 1, i) + u(j + 1, i)))
      end do
    end do
    u(2:columns - 1, low:high) = next(2:columns - 1, low:high)
  end do

  total = 0
  do i = 1, mine
    do j = 1, columns
      total = total + u(j, i) * (mod(start + i - 1 + 2 * (j - 1) + 3 * task, 7) + 1)
    end do
  end do
  call MPI_Reduce(total, everywhere, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (task == 0 .and. rank == 0) print '(a,i0,a,i0,a,i0,a,i0,a,es12.6)', "multiblock: ", blocks, " blocks of ", rows, &
    " x ", columns, ", ", steps, " steps, checksum ", everywhere
  do i = 1, count
    call lapwing_array_request_free(requests(i))
    call lapwing_distribution_free(sections(i))
  end do
  call lapwing_distribution_free(block)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  ! Rows of the neighbours above and below into the ghost rows.
  subroutine exchange_rows()
    integer :: up, down
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank + 1 < processes)
    call MPI_Sendrecv(u(1, 1), columns, MPI_DOUBLE_PRECISION, up, 1, u(1, mine + 1), columns, MPI_DOUBLE_PRECISION, &
                      down, 1, comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(1, mine), columns, MPI_DOUBLE_PRECISION, down, 2, u(1, 0), columns, MPI_DOUBLE_PRECISION, &
                      up, 2, comm, MPI_STATUS_IGNORE, ierr)
  end subroutine

  integer function argument(which, otherwise)
    integer, intent(in) :: which, otherwise
    character(len=16) :: given
    argument = otherwise
    call get_command_argument(which, given)
    if (given /= "") read (given, *) argument
  end function
end program
