! SPDX-License-Identifier: Apache-2.0
!
! Two-dimensional FFTs of a series of images (HPF/MPI, section 3.2): as one data-parallel
! program that transposes among all its processes, or as a pipeline of two tasks. Lines
! are those of the first dimension, which lie side by side in Fortran's memory.
!
!   mpiexec -n 4 fft2d_f parallel [N] [IMAGES]
!   mpiexec -n 4 fft2d_f pipeline [N] [IMAGES]      N is a power of two
program fft2d
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use lapwing_arrays
  implicit none
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: image, transposed
  complex(8), allocatable :: a(:, :), b(:, :)
  real(8) :: total, all_of_task
  integer(c_int64_t) :: extents(2), first(2)
  integer :: n, images, number, task, rank, processes, comm, ierr
  character(len=16) :: word
  logical :: pipeline

  call MPI_Init(ierr)
  call get_command_argument(1, word)
  pipeline = word == "pipeline"
  n = argument(2, 32)
  images = argument(3, 3)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  if (pipeline .and. processes < 2) then
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    if (rank == 0) write (error_unit, '(a)') &
      "usage: mpiexec -n 4 fft2d pipeline [N] [IMAGES], on 2 processes or more"
    call MPI_Finalize(ierr)
    stop 2, quiet=.true.
  end if
  if (pipeline) then
    call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes - processes / 2, processes / 2], tasks)
  else
    call lapwing_tasks_of_sizes(MPI_COMM_WORLD, [processes], tasks)
  end if
  task = lapwing_tasks_rank(tasks)
  rank = lapwing_tasks_process_rank(tasks)
  processes = lapwing_tasks_processes(tasks, task)

  ! Lines in blocks, and the same shape again for the transposed array.
  call lapwing_distribution_create(image, lapwing_complex128, &
                                   [lapwing_collapsed(n), lapwing_block(n, processes, 1)], [processes])
  call lapwing_distribution_section(image, [1, 1], [n, n], transposed, permutation=[2, 1])
  extents = lapwing_local_extents(image, rank)
  first = 1
  if (product(extents) > 0) call lapwing_distribution_index(image, rank, 1_c_int64_t, first)
  allocate (a(extents(1), extents(2)), b(extents(1), extents(2)))

  total = 0
  do number = 0, images - 1
    if (task == 0) then
      call read_image(a, first(2), number)
      call fft_lines(a)
    end if
    if (.not. pipeline) then
      call lapwing_array_redistribute(a, image, b, transposed, tasks)
    else if (task == 0) then
      call lapwing_array_send(a, image, 1, number, tasks)
    else
      call lapwing_array_recv(b, transposed, 0, number, tasks)
    end if
    if (.not. pipeline .or. task == 1) then
      call fft_lines(b)
      call add_checksum(b, first(2), total)
    end if
  end do
  call lapwing_tasks_comm(tasks, comm)
  call MPI_Reduce(total, all_of_task, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierr)
  if (rank == 0 .and. (.not. pipeline .or. task == 1)) &
    print '(a,i0,a,i0,a,i0,a,es12.6)', "fft2d: ", images, " images of ", n, " x ", n, ", checksum ", all_of_task
  call lapwing_distribution_free(transposed)
  call lapwing_distribution_free(image)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  ! Radix 2, in place.
  subroutine fft(x)
    complex(8), intent(inout) :: x(0:)
    complex(8) :: swapped, w, p, q
    integer :: i, j, bit, length, k, points
    real(8) :: angle
    points = size(x)
    j = 0
    do i = 1, points - 1
      bit = points / 2
      do while (iand(j, bit) /= 0)
        j = ieor(j, bit)
        bit = bit / 2
      end do
      j = ieor(j, bit)
      if (i < j) then
        swapped = x(i)
        x(i) = x(j)
        x(j) = swapped
      end if
    end do
    length = 2
    do while (length <= points)
      angle = -2 * acos(-1d0) / length
      do k = 0, length / 2 - 1
        w = cmplx(cos(angle * k), sin(angle * k), 8)
        do i = k, points - 1, length
          p = x(i)
          q = w * x(i + length / 2)
          x(i) = p + q
          x(i + length / 2) = p - q
        end do
      end do
      length = 2 * length
    end do
  end subroutine

  subroutine fft_lines(lines)
    complex(8), intent(inout) :: lines(:, :)
    integer :: line
    do line = 1, size(lines, 2)
      call fft(lines(:, line))
    end do
  end subroutine

  ! Lines `from` and following of image `which`.
  subroutine read_image(lines, from, which)
    complex(8), intent(out) :: lines(:, :)
    integer(c_int64_t), intent(in) :: from
    integer, intent(in) :: which
    integer :: i, j
    do i = 1, size(lines, 2)
      do j = 1, size(lines, 1)
        lines(j, i) = sin(0.1d0 * ((from + i - 1) * (which + 1))) + 0.5d0 * cos(0.3d0 * j)
      end do
    end do
  end subroutine

  subroutine add_checksum(lines, from, sum)
    complex(8), intent(in) :: lines(:, :)
    integer(c_int64_t), intent(in) :: from
    real(8), intent(inout) :: sum
    integer(c_int64_t) :: i, j
    do i = 1, size(lines, 2)
      do j = 1, size(lines, 1)
        sum = sum + abs(lines(j, i)) * (mod(7 * (j - 1) + 3 * (from + i - 2), 11_8) + 1)
      end do
    end do
  end subroutine

  integer function argument(which, otherwise)
    integer, intent(in) :: which, otherwise
    character(len=16) :: given
    argument = otherwise
    call get_command_argument(which, given)
    if (given /= "") read (given, *) argument
  end function
end program
