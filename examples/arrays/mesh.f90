! SPDX-License-Identifier: Apache-2.0
!
! An unstructured mesh: each process has the cells of a list, in no order, and reads some of others. The cells that
! it reads are a second list, its halo, which a persistent redistribution fills before each step.
!
!   mpiexec -n 4 mesh_f [CELLS STEPS]
program mesh
  use mpi_f08
  use lapwing_arrays_f08
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_index_lists) :: own_lists, halo_lists
  type(lapwing_distribution) :: owned, around, blocks
  type(lapwing_array_request) :: update
  real(8), allocatable, target :: u(:), halo(:)
  real(8), allocatable :: next(:), b(:)
  integer, allocatable :: mine(:), others(:), places(:, :)
  logical, allocatable :: listed(:)
  integer(c_int64_t) :: index(1), position
  real(8) :: total, all_of_task
  integer :: cells, steps, rank, processes, cell, other, k, i, step, own, away
  character(len=16) :: word

  call MPI_Init()
  cells = 60
  steps = 5
  if (command_argument_count() > 1) then
    call get_command_argument(1, word)
    cells = integer_of(word)
    call get_command_argument(2, word)
    steps = integer_of(word)
  end if
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes], tasks)
  rank = lapwing_tasks_process_rank(tasks)

  ! My cells, and those of others that they read, each once.
  allocate (mine(cells), others(cells), listed(cells))
  listed = .false.
  own = 0
  away = 0
  do cell = cells, 1, -1
    if (owner(cell) /= rank) cycle
    own = own + 1
    mine(own) = cell
    do k = 1, 2
      other = neighbour(cell, k)
      if (owner(other) == rank .or. listed(other)) cycle
      listed(other) = .true.
      away = away + 1
      others(away) = other
    end do
  end do
  call lapwing_index_lists_create(own_lists, cells, mine(:own), tasks)
  call lapwing_index_lists_create(halo_lists, cells, others(:away), tasks)
  call lapwing_distribution_create(owned, lapwing_float64, [lapwing_indexed(own_lists, 1)], [processes])
  call lapwing_distribution_create(around, lapwing_float64, [lapwing_indexed(halo_lists, 1)], [processes])

  ! Where the two cells are: among mine, or, negative, in the halo.
  allocate (u(own), halo(away), next(own), places(2, own))
  do i = 1, own
    u(i) = mod((mine(i) - 1)**2, 17)
    do k = 1, 2
      other = neighbour(mine(i), k)
      places(k, i) = int(lapwing_distribution_position(owned, rank, [other]))
      if (places(k, i) == 0) places(k, i) = -int(lapwing_distribution_position(around, rank, [other]))
    end do
  end do
  call lapwing_array_redistribute_init(u, owned, halo, around, tasks, update)
  do step = 1, steps
    call lapwing_array_start(update)
    call lapwing_array_wait(update)
    do i = 1, own
      next(i) = 0.5d0*u(i) + 0.25d0*(value_at(places(1, i)) + value_at(places(2, i)))
    end do
    u = next
  end do

  ! In blocks, for what follows.
  call lapwing_distribution_create(blocks, lapwing_float64, [lapwing_block(cells, processes, 1)], [processes])
  allocate (b(sum(lapwing_local_extents(blocks, rank))))
  call lapwing_array_redistribute(u, owned, b, blocks, tasks)
  total = 0
  do position = 1, size(b)
    call lapwing_distribution_index(blocks, rank, position, index)
    total = total + b(position)*(mod(index(1) - 1, 7_8) + 1)
  end do
  call MPI_Reduce(total, all_of_task, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,i0,a,es12.6)', "mesh: ", cells, " cells, ", steps, " steps, checksum ", all_of_task

  call lapwing_array_request_free(update)
  call lapwing_distribution_free(owned)
  call lapwing_distribution_free(around)
  call lapwing_distribution_free(blocks)
  call lapwing_index_lists_free(own_lists)
  call lapwing_index_lists_free(halo_lists)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize()

contains

  integer function integer_of(text)
    character(len=*), intent(in) :: text
    read (text, *) integer_of
  end function

  ! The mesh: who has a cell, and the two cells that it reads. Cells count from 1.
  integer function owner(cell)
    integer, intent(in) :: cell
    owner = mod((cell - 1)**2 + (cell - 1)/3, processes)
  end function

  integer function neighbour(cell, which)
    integer, intent(in) :: cell, which
    neighbour = merge(mod(3*(cell - 1) + 1, cells), mod(5*(cell - 1) + 2, cells), which == 1) + 1
  end function

  real(8) function value_at(place)
    integer, intent(in) :: place
    if (place > 0) then
      value_at = u(place)
    else
      value_at = halo(-place)
    end if
  end function
end program
