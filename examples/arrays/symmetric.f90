! SPDX-License-Identifier: Apache-2.0
!
! The symmetric part of a matrix, (A + A^T) / 2, in one call: the matrix is transposed, scaled and added while it
! goes from one distribution to another.
!
!   mpiexec -n 4 symmetric_f [N]
program symmetric
  use mpi_f08
  use lapwing_arrays_f08
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: matrix
  real(8), allocatable :: a(:, :), s(:, :)
  integer(c_int64_t) :: index(2), extents(2), position
  real(8) :: total, all_of_task
  integer :: n, rank, processes, i, j
  character(len=16) :: word

  call MPI_Init()
  n = 12
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes], tasks)
  rank = lapwing_tasks_process_rank(tasks)

  ! Rows dealt out in turn; that they are elsewhere than its columns is the call's matter.
  call lapwing_distribution_create(matrix, lapwing_float64, [lapwing_cyclic(n, 2, 1), lapwing_collapsed(n)], [processes])
  extents = lapwing_local_extents(matrix, rank)
  allocate (a(extents(1), extents(2)), s(extents(1), extents(2)))
  do j = 1, int(extents(2))
    do i = 1, int(extents(1))
      position = i + (j - 1)*extents(1)
      call lapwing_distribution_index(matrix, rank, position, index)
      a(i, j) = mod(3*(index(1) - 1) + 5*(index(2) - 1)**2, 17_8)
    end do
  end do
  s = a
  call lapwing_array_transform(lapwing_op_transpose, 0.5d0, a, matrix, 0.5d0, s, matrix, tasks)

  total = 0
  do j = 1, int(extents(2))
    do i = 1, int(extents(1))
      position = i + (j - 1)*extents(1)
      call lapwing_distribution_index(matrix, rank, position, index)
      total = total + s(i, j)*(mod(index(1) - 1 + 2*(index(2) - 1), 7_8) + 1)
    end do
  end do
  call MPI_Reduce(total, all_of_task, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,i0,a,es12.6)', "symmetric: ", n, " x ", n, ", checksum ", all_of_task
  call lapwing_distribution_free(matrix)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize()
end program
