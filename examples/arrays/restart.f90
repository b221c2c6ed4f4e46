! SPDX-License-Identifier: Apache-2.0
!
! A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds the
! array in the order of its indices, whoever wrote it and whoever reads it. C's programs
! read it too: their rows are x(:, row) here.
!
!   mpiexec -n 6 restart_f memory
!   mpiexec -n 4 restart_f write FILE; mpiexec -n 6 restart_f read FILE
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

  call MPI_Init(ierr)
  call get_command_argument(1, mode)
  call get_command_argument(2, name)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes], tasks)
  if (processes < merge(4, 6, mode == "write")) then
    if (rank == 0) print '(a)', "restart: start it on 4 processes to write, and on 6 to read"
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if

  if (mode == "read") then
    call in_file(from)
  else  ! as the program of 4 processes has it
    call create(from, [lapwing_block(columns, 2, 2), lapwing_block(rows, 2, 1)], [2, 2])
  end if
  if (mode == "write") then
    call in_file(to)
  else  ! as that of 6 likes it
    call create(to, [lapwing_cyclic(columns, 2, 2), lapwing_cyclic(rows, 3, 1)], [3, 2])
  end if
  extents = lapwing_local_extents(from, rank)
  allocate (a(extents(1), extents(2)))
  extents = lapwing_local_extents(to, rank)
  allocate (b(extents(1), extents(2)))
  if (mode == "read") then
    call transfer_file(from, a, .false.)
  else
    call set(from, a)
  end if
  call lapwing_array_redistribute(a, from, b, to, tasks)
  if (mode == "write") call transfer_file(to, b, .true.)
  call print_checksum(to, b)
  call lapwing_distribution_free(from)
  call lapwing_distribution_free(to)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  subroutine create(array, dimensions, grid)
    type(lapwing_distribution), intent(out) :: array
    type(lapwing_dimension), intent(in) :: dimensions(2)
    integer, intent(in) :: grid(2)
    call lapwing_distribution_create(array, lapwing_int64, dimensions, grid)
  end subroutine

  subroutine in_file(array)
    type(lapwing_distribution), intent(out) :: array
    call create(array, [lapwing_collapsed(columns), lapwing_block(rows, processes, 1)], [processes, 1])
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

  ! This process' part of the file.
  subroutine transfer_file(array, x, writing)
    type(lapwing_distribution), intent(in) :: array
    integer(c_int64_t), intent(inout) :: x(:, :)
    logical, intent(in) :: writing
    integer(c_int64_t) :: index(2)
    integer(MPI_OFFSET_KIND) :: at
    integer :: file
    call MPI_File_open(MPI_COMM_WORLD, trim(name), merge(MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_MODE_RDONLY, writing), &
                       MPI_INFO_NULL, file, ierr)
    if (ierr /= MPI_SUCCESS) then
      print '(a)', "restart: the file " // trim(name) // " cannot be opened"
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end if
    index = 1
    if (size(x) > 0) call lapwing_distribution_index(array, rank, 1_c_int64_t, index)
    at = 8 * columns * (index(2) - 1)
    if (writing) then
      call MPI_File_write_at_all(file, at, x, size(x), MPI_INTEGER8, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_File_read_at_all(file, at, x, size(x), MPI_INTEGER8, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_File_close(file, ierr)
  end subroutine
end program
