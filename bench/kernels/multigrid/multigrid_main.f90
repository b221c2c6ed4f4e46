! SPDX-License-Identifier: Apache-2.0
! multigrid: a 3-D V-cycle with blocking halo sends. Classes, set-up, verification.
program multigrid
  use multigrid_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  integer :: rank, ranks, ierror
  external :: multigrid_run, multigrid_limit
  integer(i8), external :: multigrid_serial
  character(5), external :: multigrid_variant

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
  options = kernel_parse('multigrid')
  ! With two ranks, planes of 8 KiB, and 512 KiB from class W on, on the finest level.
  select case (options%class_name)
  case ('S')
    call choose(32, 32, 16, 2, 2)
  case ('W')
    call choose(256, 256, 32, 4, 6)
  case ('A')
    call choose(256, 256, 64, 8, 2)
  case ('B')
    call choose(256, 256, 256, 4, 2)
  end select
  if (.not. divide(rank, ranks)) call kernel_fail('multigrid', 'the number of ranks must be 1, 2, 4 or 8.')
  cycles = options%repeat
  work = options%work
  slabs = options%slabs
  spoil = options%spoil
  call measure('multigrid', multigrid_run, multigrid_limit, multigrid_serial, trim(multigrid_variant()))

contains

  include '../support/kernel_measure.inc'

  subroutine choose(x, y, z, repeat_, work_)
    integer, intent(in) :: x, y, z, repeat_, work_
    whole = (/x, y, z/)
    if (options%repeat == 0) options%repeat = repeat_
    if (options%work == 0) options%work = work_
  end subroutine

end program
