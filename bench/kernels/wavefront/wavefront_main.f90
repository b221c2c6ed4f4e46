! SPDX-License-Identifier: Apache-2.0
! wavefront: a pipelined sweep of many blocking messages. Classes, set-up, verification.
program wavefront
  use wavefront_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  integer :: rank, ranks, ierror
  external :: wavefront_run, wavefront_limit
  integer(i8), external :: wavefront_serial
  character(5), external :: wavefront_variant

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
  options = kernel_parse('wavefront')
  ! With two ranks: edges of 10 KiB, and 320 KiB (B: 640 KiB) from class W on, one a plane.
  select case (options%class_name)
  case ('S')
    call choose(256, 16, 8, 3, 2)
  case ('W')
    call choose(8192, 32, 8, 4, 56)
  case ('A')
    call choose(8192, 32, 24, 4, 56)
  case ('B')
    call choose(16384, 32, 16, 5, 56)
  end select
  if (.not. divide(rank, ranks)) &
    call kernel_fail('wavefront', 'the ranks, as a grid, must divide the sides of the planes.')
  steps = options%repeat
  work = options%work
  slabs = options%slabs
  spoil = options%spoil
  call measure('wavefront', wavefront_run, wavefront_limit, wavefront_serial, trim(wavefront_variant()))

contains

  include '../support/kernel_measure.inc'

  subroutine choose(x, y, z, repeat_, work_)
    integer, intent(in) :: x, y, z, repeat_, work_
    whole = (/x, y, z/)
    if (options%repeat == 0) options%repeat = repeat_
    if (options%work == 0) options%work = work_
  end subroutine

end program
