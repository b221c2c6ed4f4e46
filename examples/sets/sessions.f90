! SPDX-License-Identifier: Apache-2.0
!
! Two halves of a program that know each other only by a name: the first splits the
! processes and names the sets, the second, which stands for a library that uses MPI's
! sessions, finds them among MPI's process sets. Needs an MPI with sessions (MPI 4).
!
! Compile it with lwfc --sets=run, or start it with LAPWING_SETS=run.
program sessions
  use mpi
  use lapwing
  implicit none
  integer :: rank, processes, ierr
  integer :: ice, sum, expected, r, first, last, wrong, any
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)

  ice = processes / 3  ! a third of the processes for the ice, the others for the ocean
  call lapwing_split(MPI_COMM_WORLD, 2, merge(1, 0, rank >= ice))
  if (rank >= ice) then
    call lapwing_set_publish(MPI_COMM_WORLD, "ocean")
  else
    call lapwing_set_publish(MPI_COMM_WORLD, "ice")
  end if
  call lapwing_merge(MPI_COMM_WORLD)

  ! The split is merged; the names stay.
  first = merge(ice, 0, rank >= ice)
  last = merge(processes, ice, rank >= ice) - 1
  expected = 0
  do r = first, last
    expected = expected + r
  end do
  sum = sum_over(trim(merge("lapwing://ocean", "lapwing://ice  ", rank >= ice)), rank)
  wrong = merge(0, 1, sum == expected)
  call MPI_Allreduce(wrong, any, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,2a)', "sessions: ", processes, " processes, ", ice, " of them ice: ", &
    merge("wrong", "right", any /= 0)
  call MPI_Finalize(ierr)

contains

  ! The library: it knows MPI and a name. Adds up `value` over the process set.
  integer function sum_over(set, value)
    character(len=*), intent(in) :: set
    integer, intent(in) :: value
    integer :: session, group, comm
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierr)
    call MPI_Group_from_session_pset(session, set, group, ierr)
    call MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, ierr)
    call MPI_Allreduce(value, sum_over, 1, MPI_INTEGER, MPI_SUM, comm, ierr)
    call MPI_Comm_free(comm, ierr)
    call MPI_Group_free(group, ierr)
    call MPI_Session_finalize(session, ierr)
  end function
end program
