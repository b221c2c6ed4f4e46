! SPDX-License-Identifier: Apache-2.0
!
! An ensemble: up to three models of one field, each a task with its share of the processes, and
! collective calls between them. In each step a task gets a band of rows of all models (alltoall)
! and forms their mean; the bands of all tasks are the mean field (allgather), which each model
! draws near to. The same calls with plain arguments tell what a task knows as a whole: its weight,
! and its distances from the mean.
!
!   mpiexec -n 6 ensemble [BAND] [COLUMNS] [STEPS]        any number of processes
program ensemble
  use mpi_f08
  use lapwing_arrays_f08
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: rows, bands, one_band
  type(MPI_Comm) :: comm
  real(8), allocatable :: field(:, :), mean(:, :), all(:, :), mine(:, :)
  integer, allocatable :: row_of(:)
  integer(c_int64_t) :: index(2)
  real(8) :: weights(3), far(3), reported(3), weight(1), checksum, total
  integer :: band, columns, steps, world_rank, world, models, model, rank, processes, extents(2), m, i, j, step

  call MPI_Init()
  band = argument(1, 5)
  columns = argument(2, 12)
  steps = argument(3, 4)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call MPI_Comm_size(MPI_COMM_WORLD, world)
  models = min(world, 3)
  call lapwing_tasks_create(MPI_COMM_WORLD, world_rank * models / world, tasks)
  model = lapwing_tasks_rank(tasks)
  rank = lapwing_tasks_process_rank(tasks)
  processes = lapwing_tasks_processes(tasks, model)
  call lapwing_tasks_comm(tasks, comm)

  ! A model, and the mean field; one band of all models, one behind the other; that band of the mean.
  call lapwing_distribution_create(rows, lapwing_float64, &
    [lapwing_block(models * band, processes, 1), lapwing_collapsed(columns)], [processes])
  call lapwing_distribution_create(bands, lapwing_float64, &
    [lapwing_collapsed(models * band), lapwing_block(columns, processes, 1)], [processes])
  call lapwing_distribution_create(one_band, lapwing_float64, &
    [lapwing_collapsed(band), lapwing_block(columns, processes, 1)], [processes])
  extents = int(lapwing_local_extents(rows, rank))
  allocate (field(extents(1), extents(2)), mean(extents(1), extents(2)), row_of(extents(1)))
  extents = int(lapwing_local_extents(bands, rank))
  allocate (all(extents(1), extents(2)), mine(band, extents(2)))
  do i = 1, size(field, 1)
    call lapwing_distribution_index(rows, rank, int(i, c_int64_t), index)
    row_of(i) = int(index(1))
  end do
  ! The values count indices from 0, as those of the other languages do.
  do j = 1, size(field, 2)
    do i = 1, size(field, 1)
      field(i, j) = mod(7 * (row_of(i) - 1) + 3 * (j - 1) + 11 * model, 13)
    end do
  end do

  weight = model + 1
  call lapwing_tasks_allgather(weight, weights, 1, MPI_DOUBLE_PRECISION%MPI_VAL, tasks)
  checksum = 0
  do step = 1, steps
    call lapwing_array_alltoall(field, rows, all, bands, tasks)
    mine = 0
    do m = 1, models
      mine = mine + weights(m) / sum(weights(:models)) * all((m - 1) * band + 1:m * band, :)
    end do
    call lapwing_array_allgather(mine, one_band, mean, rows, tasks)

    far = 0
    do i = 1, size(field, 1)
      m = (row_of(i) - 1) / band + 1
      far(m) = max(far(m), maxval(abs(mean(i, :) - field(i, :))))
    end do
    field = field + 0.25d0 * (mean - field)
    ! All processes of a task have plain arguments alike.
    call MPI_Allreduce(MPI_IN_PLACE, far, models, MPI_DOUBLE_PRECISION, MPI_MAX, comm)
    call lapwing_tasks_alltoall(far, reported, 1, MPI_DOUBLE_PRECISION%MPI_VAL, tasks)
    if (rank == 0) checksum = checksum + sum(reported(:models) * [(3 * model + m, m=1, models)])
  end do

  do j = 1, size(field, 2)
    do i = 1, size(field, 1)
      checksum = checksum + (model + 1) * field(i, j) * (mod(row_of(i) - 1 + 2 * (j - 1), 7) + 1)
    end do
  end do
  call MPI_Reduce(checksum, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (world_rank == 0) print '(a,i0,a,i0,a,i0,a,i0,a,es12.6)', "ensemble: ", models, " models of ", models * band, &
    " x ", columns, ", ", steps, " steps, checksum ", total
  call lapwing_distribution_free(rows)
  call lapwing_distribution_free(bands)
  call lapwing_distribution_free(one_band)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize()

contains

  integer function argument(which, otherwise)
    integer, intent(in) :: which, otherwise
    character(len=16) :: given
    argument = otherwise
    call get_command_argument(which, given)
    if (given /= "") read (given, *) argument
  end function
end program
