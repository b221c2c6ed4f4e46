! SPDX-License-Identifier: Apache-2.0
! adi: multi-partition line solves. Classes, set-up, verification.
program adi
  use adi_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  type(result_t) :: result
  type(phases_t) :: phases
  integer :: ierror
  integer(i8), external :: adi_serial
  character(5), external :: adi_variant
  integer(i8) :: right_sum
  real(r8) :: start
  logical :: verified

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
  options = kernel_parse('adi')
  ! With two ranks: 8 KiB, 256 KiB, 1 MiB and 2 MiB forward, half as much backward.
  select case (options%class_name)
  case ('S')
    call choose(32, 32, 32, 5, 2)
  case ('W')
    call choose(64, 64, 512, 20, 5)
  case ('A')
    call choose(64, 64, 2048, 10, 5)
  case ('B')
    call choose(64, 64, 4096, 10, 5)
  end select
  if (modulo(nx, ranks) /= 0) call kernel_fail('adi', 'the number of ranks must divide the sides of the layers.')
  ni = nx/ranks
  nj = ny/ranks
  points = ni*nj*nz
  steps = options%repeat
  work = options%work
  slabs = options%slabs
  spoil = options%spoil
  received = 0

  if (.not. options%serial) then
    result%checksum = each_point(.true.)
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    start = mpi_wtime()
    if (options%limit) then
      call adi_limit(phases)
    else
      call adi_run()
    end if
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    result%seconds = mpi_wtime() - start
    result%received = received
    result%checksum = kernel_sum(each_point(.false.))
  end if

  if (rank == 0) then
    start = mpi_wtime()
    right_sum = options%expected
    if (.not. options%expects) right_sum = adi_serial()
    if (options%serial) then
      result%checksum = right_sum
      result%seconds = mpi_wtime() - start
    end if
    result%verified = result%checksum == right_sum
  end if
  if (options%serial) then
    verified = kernel_report('adi', 'serial', options, result)
  else if (options%limit) then
    verified = kernel_report('adi', trim(adi_variant()), options, result, phases)
  else
    verified = kernel_report('adi', trim(adi_variant()), options, result)
  end if
  call mpi_finalize(ierror)
  if (.not. verified) call exit(1)

contains

  subroutine choose(x, y, z, repeat_, work_)
    integer, intent(in) :: x, y, z, repeat_, work_
    nx = x
    ny = y
    nz = z
    if (options%repeat == 0) options%repeat = repeat_
    if (options%work == 0) options%work = work_
  end subroutine

end program
