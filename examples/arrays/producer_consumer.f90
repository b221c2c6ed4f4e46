! SPDX-License-Identifier: Apache-2.0
!
! The producer and consumer of HPF/MPI (figure 2): a task sends an array that it
! has in blocks of rows to one that wants it in blocks of columns.
!
!   mpiexec -n 6 producer_consumer_f                                     one program
!   mpiexec -n 4 producer_consumer_f producer : -n 2 producer_consumer_f consumer
program producer_consumer
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use lapwing_arrays_f08
  implicit none
  integer, parameter :: n = 8, times = 10, tag = 99
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: array
  type(lapwing_dimension) :: dimensions(2)
  type(MPI_Comm) :: comm
  real(8), allocatable :: local(:, :)
  real(8) :: total, all_of_task
  integer(c_int64_t) :: extents(2)
  integer :: task, rank, processes, step
  character(len=16) :: word
  logical :: producer

  call MPI_Init()
  call get_command_argument(1, word)
  if (word /= "") then
    call lapwing_tasks_of_programs(tasks)
  else
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    if (processes < 3) then
      call MPI_Comm_rank(MPI_COMM_WORLD, rank)
      if (rank == 0) write (error_unit, '(a)') &
        "usage: mpiexec -n 6 producer_consumer, on 3 processes or more"
      call MPI_Finalize()
      stop 2, quiet=.true.
    end if
    call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes - processes / 3, processes / 3], tasks)
  end if
  task = lapwing_tasks_rank(tasks)
  rank = lapwing_tasks_process_rank(tasks)
  processes = lapwing_tasks_processes(tasks, task)
  producer = merge(task == 0, word == "producer", word == "")

  ! A (BLOCK, *) at the producer, B (*, BLOCK) at the consumer.
  if (producer) then
    dimensions = [lapwing_block(n, processes, 1), lapwing_collapsed(n)]
  else
    dimensions = [lapwing_collapsed(n), lapwing_block(n, processes, 1)]
  end if
  call lapwing_distribution_create(array, lapwing_float64, dimensions, [processes])
  extents = lapwing_local_extents(array, rank)
  allocate (local(extents(1), extents(2)))

  total = 0
  do step = 1, times
    if (producer) then
      call produce(local, step)
      call lapwing_array_send(local, array, 1, tag, tasks)
    else
      call lapwing_array_recv(local, array, 0, tag, tasks)
      call consume(local, total)
    end if
  end do
  if (.not. producer) then
    call lapwing_tasks_comm(tasks, comm)
    call MPI_Reduce(total, all_of_task, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm)
    if (rank == 0) print '(a,i0,a,i0,a,i0,a,i0)', "producer_consumer: ", times, " arrays from ", &
      lapwing_tasks_processes(tasks, 0), " to ", processes, " processes, checksum ", nint(all_of_task, 8)
  end if
  call lapwing_distribution_free(array)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize()

contains

  subroutine produce(a, time)
    real(8), intent(out) :: a(:, :)
    integer, intent(in) :: time
    integer(c_int64_t) :: index(2), i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        call lapwing_distribution_index(array, rank, i + (j - 1) * size(a, 1), index)
        a(i, j) = 10000d0 * time + 100d0 * index(1) + index(2)
      end do
    end do
  end subroutine

  subroutine consume(b, sum)
    real(8), intent(in) :: b(:, :)
    real(8), intent(inout) :: sum
    integer(c_int64_t) :: index(2), i, j
    do j = 1, size(b, 2)
      do i = 1, size(b, 1)
        call lapwing_distribution_index(array, rank, i + (j - 1) * size(b, 1), index)
        sum = sum + b(i, j) * (mod((index(1) - 1) * n + index(2) - 1, 13_8) + 1)
      end do
    end do
  end subroutine
end program
