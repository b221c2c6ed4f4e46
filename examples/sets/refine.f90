! SPDX-License-Identifier: Apache-2.0
! refine.c in Fortran: processes converge at different iterations, and those that
! still iterate reduce among themselves. Hangs in plain MPI; right with
! lwfc --sets=run.
program refine
  use mpi
  implicit none
  integer :: rank, size, ierror
  integer :: one, active, mine, iterations, expected_iterations
  double precision :: x, total, expected
  logical :: right

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  one = 1
  mine = 0
  x = start_of(rank)
  do while (is_rough(x, rank))
    call MPI_Allreduce(one, active, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    x = step_of(x, rank, active)
    mine = mine + 1
  end do
  call MPI_Allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(mine, iterations, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call simulate(expected, expected_iterations)
  right = abs(total - expected) < 1d-9 .and. iterations == expected_iterations
  if (rank == 0 .and. right) print "(a, i0, a, f0.9, a)", "refine: ", iterations, " iterations, sum ", total, ", verified"
  if (rank == 0 .and. .not. right) print "(a)", "refine: WRONG"
  call MPI_Finalize(ierror)
  if (.not. right) stop 1

contains
  double precision function start_of(who)
    integer, intent(in) :: who
    start_of = 1 + 100d0 * modulo(who * 7, 5)
  end function

  ! The damping depends on how many processes still refine, so a reduction over
  ! the wrong processes gives a wrong result.
  double precision function step_of(y, who, refining)
    double precision, intent(in) :: y
    integer, intent(in) :: who, refining
    double precision :: full
    full = 0.5d0 * (y + (2 + who) / y)
    step_of = y + (full - y) * (1 - 0.5d0 / (refining + 1))
  end function

  logical function is_rough(y, who)
    double precision, intent(in) :: y
    integer, intent(in) :: who
    is_rough = abs(y * y - (2 + who)) > 1d-6
  end function

  subroutine simulate(all_of_it, steps)
    double precision, intent(out) :: all_of_it
    integer, intent(out) :: steps
    double precision :: y(0:1023)
    integer :: i, refining
    steps = 0
    do i = 0, size - 1
      y(i) = start_of(i)
    end do
    do
      refining = 0
      do i = 0, size - 1
        if (is_rough(y(i), i)) refining = refining + 1
      end do
      if (refining == 0) exit
      do i = 0, size - 1
        if (.not. is_rough(y(i), i)) cycle
        y(i) = step_of(y(i), i, refining)
        steps = steps + 1
      end do
    end do
    all_of_it = sum(y(0:size - 1))
  end subroutine
end program
