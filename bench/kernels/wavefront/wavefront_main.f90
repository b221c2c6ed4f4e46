! SPDX-License-Identifier: Apache-2.0
! wavefront: a pipelined sweep of many blocking messages. Classes, set-up, verification.
program wavefront
  use wavefront_data
  implicit none
  include 'mpif.h'
  type(options_t) :: options
  type(result_t) :: result
  type(phases_t) :: phases
  integer :: rank, ranks, ierror
  integer(i8), external :: wavefront_serial
  character(5), external :: wavefront_variant
  integer(i8) :: right_sum
  real(r8) :: start
  logical :: verified

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
  received = 0

  if (.not. options%serial) then
    result%checksum = each_point(.true.)
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    start = mpi_wtime()
    if (options%limit) then
      call wavefront_limit(phases)
    else
      call wavefront_run()
    end if
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    result%seconds = mpi_wtime() - start
    result%received = received
    result%checksum = kernel_sum(each_point(.false.))
  end if

  if (rank == 0) then
    start = mpi_wtime()
    right_sum = options%expected
    if (.not. options%expects) right_sum = wavefront_serial()
    if (options%serial) then
      result%checksum = right_sum
      result%seconds = mpi_wtime() - start
    end if
    result%verified = result%checksum == right_sum
  end if
  if (options%serial) then
    verified = kernel_report('wavefront', 'serial', options, result)
  else if (options%limit) then
    verified = kernel_report('wavefront', trim(wavefront_variant()), options, result, phases)
  else
    verified = kernel_report('wavefront', trim(wavefront_variant()), options, result)
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
