! SPDX-License-Identifier: Apache-2.0
! What MPI-4 added and the library exports to mpif.h: persistent collectives, partitions, sessions. Two ranks.
#include "interface.inc"
program mpi4
  use MODULE
  use checks
  implicit none
  HANDLE(MPI_Session) :: session
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Comm) :: comm
  HANDLE(MPI_Request) :: r
  HANDLE(MPI_Info) :: info
  integer :: rank, other, ierr, n, a(4), b(4), length
  logical :: flag
  character(len=30) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IE)
  other = 1 - rank
  a = rank
  call MPI_Allreduce_init(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r IE)
  do n = 1, 2
    a = n + rank
    call MPI_Start(r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call check(all(b == 2 * n + 1), 'allreduce_init')
  end do
  call MPI_Request_free(r IE)
  call MPI_Isendrecv(a, 4, MPI_INTEGER, other, 1, b, 4, MPI_INTEGER, other, 1, MPI_COMM_WORLD, r, ierr)
  call MPI_Wait(r, MPI_STATUS_IGNORE IE)
  call check(all(b == 2 + other), 'isendrecv')
  if (rank == 0) then
    call MPI_Psend_init(a, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, r IE)
    call MPI_Start(r IE)
    call MPI_Pready(0, r IE)
    call MPI_Pready_range(1, 1, r IE)
  else
    call MPI_Precv_init(b, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_INFO_NULL, r IE)
    call MPI_Start(r IE)
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(r, 1, flag IE)
    end do
  end if
  call MPI_Wait(r, MPI_STATUS_IGNORE IE)
  if (rank == 1) call check(all(b == 2), 'partitions')
  call MPI_Request_free(r IE)
  call MPI_Info_create(info IE)
  call MPI_Info_set(info, 'tea', 'green' IE)
  length = 30
  call MPI_Info_get_string(info, 'tea', length, name, flag IE)
  call check(flag .and. name == 'green', 'info_get_string')
  call MPI_Info_free(info IE)
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session IE)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n IE)
  call check(n >= 2, 'process sets')
  length = 30
  ! MPICH's mpif.h wrapper counts from one here; the standard does not.
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, length, name IE)
  call check(name(:6) == 'mpi://', 'a name of a process set')
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group IE)
  call MPI_Comm_create_from_group(group, 'tag', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm IE)
  call MPI_Comm_size(comm, n IE)
  call check(n == 2, 'a communicator without a parent')
  call MPI_Comm_free(comm IE)
  call MPI_Group_free(group IE)
  call MPI_Session_finalize(session, ierr)
  call check(ierr == MPI_SUCCESS, 'a session''s end')
  call MPI_Finalize(ierr)
  call finish(8)
end program
