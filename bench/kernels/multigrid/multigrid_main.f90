! SPDX-License-Identifier: Apache-2.0
! multigrid: a 3-D V-cycle with blocking halo sends. Classes, set-up, verification.
program multigrid
  use multigrid_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  type(result_t) :: result
  type(phases_t) :: phases
  integer :: rank, ranks, ierror
  integer(i8), external :: multigrid_serial
  character(5), external :: multigrid_variant
  integer(i8) :: right_sum
  real(r8) :: start
  logical :: verified

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
  received = 0

  if (.not. options%serial) then
    result%checksum = each_point(.true.)
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    start = mpi_wtime()
    if (options%limit) then
      call multigrid_limit(phases)
    else
      call multigrid_run()
    end if
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    result%seconds = mpi_wtime() - start
    result%received = received
    result%checksum = kernel_sum(each_point(.false.))
  end if

  if (rank == 0) then
    start = mpi_wtime()
    right_sum = options%expected
    if (.not. options%expects) right_sum = multigrid_serial()
    if (options%serial) then
      result%checksum = right_sum
      result%seconds = mpi_wtime() - start
    end if
    result%verified = result%checksum == right_sum
  end if
  if (options%serial) then
    verified = kernel_report('multigrid', 'serial', options, result)
  else if (options%limit) then
    verified = kernel_report('multigrid', trim(multigrid_variant()), options, result, phases)
  else
    verified = kernel_report('multigrid', trim(multigrid_variant()), options, result)
  end if
  call mpi_finalize(ierror)
  if (.not. verified) call exit(1)

contains

  subroutine choose(x, y, z, repeat_, work_)
    integer, intent(in) :: x, y, z, repeat_, work_
    whole = (/x, y, z/)
    if (options%repeat == 0) options%repeat = repeat_
    if (options%work == 0) options%work = work_
  end subroutine

end program
