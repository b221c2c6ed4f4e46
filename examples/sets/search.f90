! SPDX-License-Identifier: Apache-2.0
!
! Parallel search with short-cutting: each process looks through a piece of the numbers, in
! order of ranks, for the first one whose cube leaves a given rest. As soon as a lower rank has
! found one, the work of the higher ones is needless and ends. The result is that of a serial
! search in every run.
!
!   lwfc examples/sets/search.f90 -o search && mpiexec -n 4 ./search [NUMBERS [REST]]
program search
  use mpi
  use lapwing
  implicit none
  integer, parameter :: modulus = 999983
  type(c_ptr) :: race
  integer, target :: found(1)
  integer :: numbers, rest, rank, processes, first, last, number, looked, all_looked, finder, expected, ierr
  logical :: right
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  numbers = argument(1, 400000)
  rest = argument(2, 7)
  first = numbers / processes * rank + 1
  last = merge(numbers, numbers / processes * (rank + 1), rank == processes - 1)

  looked = 0
  race = lapwing_shortcut_begin(MPI_COMM_WORLD, lapwing_shortcut_lowest)
  do number = first, last
    looked = looked + 1
    if (fits(number)) then
      found(1) = number
      call lapwing_shortcut_found(race, found, 4_c_size_t)
      exit
    end if
    if (mod(looked, 1024) == 0) then
      if (lapwing_shortcut_done(race) /= 0) exit
    end if
  end do
  found = 0
  finder = lapwing_shortcut_end(race, found, 4_c_size_t)

  do expected = 1, numbers
    if (fits(expected)) exit
  end do
  if (expected > numbers) expected = 0
  right = found(1) == expected .and. ((finder >= 0) .eqv. (expected > 0))
  call MPI_Reduce(looked, all_looked, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,a,i0,2a)', "search: ", found(1), ", after ", all_looked, " of ", numbers, " numbers, ", &
    merge("verified", "WRONG   ", right)
  call MPI_Finalize(ierr)
  if (.not. right) error stop

contains

  logical function fits(number)
    integer, intent(in) :: number
    integer(8) :: square
    square = mod(int(number, 8)**2, int(modulus, 8))
    fits = mod(square * number, int(modulus, 8)) == rest
  end function

  integer function argument(which, otherwise)
    integer, intent(in) :: which, otherwise
    character(len=16) :: given
    argument = otherwise
    call get_command_argument(which, given)
    if (given /= "") read (given, *) argument
  end function
end program
