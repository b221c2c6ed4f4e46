! SPDX-License-Identifier: Apache-2.0
! adi: multi-partition line solves. Classes, set-up, verification.
program adi
  use adi_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  integer :: ierror
  external :: adi_run, adi_limit
  integer(i8), external :: adi_serial
  character(5), external :: adi_variant

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
  call measure('adi', adi_run, adi_limit, adi_serial, trim(adi_variant()))

contains

  include '../support/kernel_measure.inc'

  subroutine choose(x, y, z, repeat_, work_)
    integer, intent(in) :: x, y, z, repeat_, work_
    nx = x
    ny = y
    nz = z
    if (options%repeat == 0) options%repeat = repeat_
    if (options%work == 0) options%work = work_
  end subroutine

end program
