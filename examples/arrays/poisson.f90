! SPDX-License-Identifier: Apache-2.0
!
! Poisson's equation in a periodic box, by Fourier transforms: in the frequencies it is
! a division. FFTW 3 makes the serial transforms, where it is installed.
!
!   mpiexec -n 4 poisson_f90 [N]      any number of processes
program poisson
  use mpi
  use lapwing_arrays
  implicit none
  integer, parameter :: complex128 = kind(1d0)
  type(lapwing_tasks) :: tasks
  type(lapwing_distribution) :: field, waves
  type(lapwing_fft) :: plan
  complex(complex128), allocatable :: f(:, :, :), u(:, :, :), solution(:, :, :), spectrum(:, :, :)
  integer(c_int64_t) :: extents(3), at(3), element
  integer :: n, rank, processes, ierr, i, j, k
  real(complex128) :: x, y, z, step, square, error, largest
  character(len=16) :: argument

  call MPI_Init(ierr)
  n = 24
  call get_command_argument(1, argument)
  if (argument /= "") read (argument, *) n
  call lapwing_tasks_create(MPI_COMM_WORLD, 0, tasks)
  rank = lapwing_tasks_process_rank(tasks)
  processes = lapwing_tasks_processes(tasks, 0)
  ! Slabs of the last dimension; the frequencies in slabs of the one before: that saves a redistribution.
  call lapwing_distribution_create(field, lapwing_complex128, &
    [lapwing_collapsed(n), lapwing_collapsed(n), lapwing_block(n, processes, 1)], [processes])
  call lapwing_distribution_create(waves, lapwing_complex128, &
    [lapwing_collapsed(n), lapwing_block(n, processes, 1), lapwing_collapsed(n)], [processes])
  call lapwing_fft_create(field, tasks, plan, destination=waves)

  extents = lapwing_local_extents(field, rank)
  allocate (f(extents(1), extents(2), extents(3)))
  allocate (u, solution, mold=f)
  step = 2 * acos(-1d0) / n
  do k = 1, size(f, 3)
    do j = 1, size(f, 2)
      do i = 1, size(f, 1)
        element = i + size(f, 1) * (j - 1 + size(f, 2) * (k - 1_c_int64_t))
        call lapwing_distribution_index(field, rank, element, at)
        x = step * (at(1) - 1)
        y = step * (at(2) - 1)
        z = step * (at(3) - 1)
        solution(i, j, k) = sin(x) * cos(2 * y) + cos(3 * z) * sin(y)
        f(i, j, k) = 5 * sin(x) * cos(2 * y) + 10 * cos(3 * z) * sin(y)  ! minus the Laplacian of the solution
      end do
    end do
  end do

  extents = lapwing_local_extents(waves, rank)
  allocate (spectrum(extents(1), extents(2), extents(3)))
  call lapwing_fft_forward(plan, f, spectrum)
  do k = 1, size(spectrum, 3)
    do j = 1, size(spectrum, 2)
      do i = 1, size(spectrum, 1)
        element = i + size(spectrum, 1) * (j - 1 + size(spectrum, 2) * (k - 1_c_int64_t))
        call lapwing_distribution_index(waves, rank, element, at)
        square = sum(wave(at)**2)
        spectrum(i, j, k) = merge(spectrum(i, j, k) / max(square, 1d0), (0d0, 0d0), square > 0)
      end do
    end do
  end do
  call lapwing_fft_backward(plan, spectrum, u)

  error = 0
  if (size(u) > 0) error = maxval(abs(u - solution))
  call MPI_Reduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,2(i0,a),i0,a,es7.1)', "poisson: ", n, " x ", n, " x ", n, ", error ", largest

  call lapwing_fft_free(plan)
  call lapwing_distribution_free(field)
  call lapwing_distribution_free(waves)
  call lapwing_tasks_free(tasks)
  call MPI_Finalize(ierr)

contains

  elemental real(complex128) function wave(index)
    integer(c_int64_t), intent(in) :: index
    wave = merge(index - 1 - n, index - 1, 2 * (index - 1) > n)
  end function
end program
