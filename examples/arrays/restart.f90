! SPDX-License-Identifier: Apache-2.0
!
! A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds the
! array in the order of its indices, whoever wrote it and whoever reads it. C's programs
! read it too: their rows are x(:, row) here.
!
!   mpiexec -n 6 restart_f memory
!   mpiexec -n 4 restart_f write FILE; mpiexec -n 6 restart_f read FILE
!
! A FILE whose name ends in .h5 is an HDF5 file with the array as its dataset "x".
program restart
  use mpi
  use lapwing_arrays
  implicit none
  integer, parameter :: rows = 20, columns = 14
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: from, to
  integer(c_int64_t), allocatable :: a(:, :), b(:, :)
  integer(c_int64_t) :: extents(2)
  integer :: rank, processes, ierr
  character(len=16) :: mode
  character(len=1024) :: name
  logical :: hdf5

  call MPI_Init(ierr)
  call get_command_argument(1, mode)
  call get_command_argument(2, name)
  hdf5 = index(trim(name)//"|", ".h5|") > 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes], tasks)
  if (processes < merge(4, 6, mode == "write")) then
    if (rank == 0) print '(a)', "restart: start it on 4 processes to write, and on 6 to read"
    call lapwing_tasks_free(tasks)
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if

  ! As the program of 4 processes has it, and as that of 6 likes it.
  call create(from, [lapwing_block(columns, 2, 2), lapwing_block(rows, 2, 1)], [2, 2])
  if (mode /= "write") call create(to, [lapwing_cyclic(columns, 2, 2), lapwing_cyclic(rows, 3, 1)], [3, 2])
  extents = lapwing_local_extents(from, rank)
  allocate (a(extents(1), extents(2)))
  if (mode /= "read") call set(from, a)
  if (mode == "write") then
    if (hdf5) then
      call lapwing_array_write_hdf5(name, "x", a, from, tasks)
    else
      call lapwing_array_write(name, a, from, tasks)
    end if
    call print_checksum(from, a)
  else
    extents = lapwing_local_extents(to, rank)
    allocate (b(extents(1), extents(2)))
    if (mode == "read" .and. hdf5) then
      call lapwing_array_read_hdf5(name, "x", b, to, tasks)
    else if (mode == "read") then
      call lapwing_array_read(name, b, to, tasks)
    else
      call lapwing_array_redistribute(a, from, b, to, tasks)
    end if
    call print_checksum(to, b)
    call lapwing_distribution_free(to)
  end if
  call lapwing_distribution_free(from)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  subroutine create(array, dimensions, grid)
    type(lapwing_distribution), intent(out) :: array
    type(lapwing_dimension), intent(in) :: dimensions(2)
    integer, intent(in) :: grid(2)
    call lapwing_distribution_create(array, lapwing_int64, dimensions, grid)
  end subroutine

  subroutine set(array, x)
    type(lapwing_distribution), intent(in) :: array
    integer(c_int64_t), intent(out) :: x(:, :)
    integer(c_int64_t) :: index(2), i, j
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        call lapwing_distribution_index(array, rank, i + (j - 1) * size(x, 1), index)
        x(i, j) = 1000 * index(2) + index(1)
      end do
    end do
  end subroutine

  subroutine print_checksum(array, x)
    type(lapwing_distribution), intent(in) :: array
    integer(c_int64_t), intent(in) :: x(:, :)
    integer(c_int64_t) :: index(2), i, j, total, everywhere
    total = 0
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        call lapwing_distribution_index(array, rank, i + (j - 1) * size(x, 1), index)
        total = total + x(i, j) * (mod((index(2) - 1) * columns + index(1) - 1, 31_8) + 1)
      end do
    end do
    call MPI_Reduce(total, everywhere, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a,i0,a,i0,a,i0)', "restart: ", rows, " x ", columns, ", checksum ", everywhere
  end subroutine
end program
