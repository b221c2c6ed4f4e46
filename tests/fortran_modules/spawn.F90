! SPDX-License-Identifier: Apache-2.0
! Dynamic processes through mpi or mpi_f08: the arguments that are arrays of strings. One rank.
#include "interface.inc"
program spawn
  use MODULE
  use checks
  implicit none
  character(len=200) :: self, word
  character(len=8) :: argv(3), commands_argv(2, 2)
  character(len=200) :: commands(2)
  character(len=MPI_MAX_PORT_NAME) :: port
  HANDLE(MPI_Comm) :: parent, children
  HANDLE(MPI_Info) :: infos(2)
  integer :: codes(2), rank, n, ierr
  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent IE)
  if (parent /= MPI_COMM_NULL) then
    call child
  else
    call get_command_argument(0, self)
    argv = ['child   ', 'red blue', '        ']
    codes = -1
    call MPI_Comm_spawn(self, argv, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, codes IE)
    call check(all(codes == MPI_SUCCESS), 'the error codes')
    call MPI_Comm_remote_size(children, n IE)
    call check(n == 2, 'two children')
    call MPI_Recv(n, 1, MPI_INTEGER, 1, 1, children, MPI_STATUS_IGNORE IE)
    call check(n == 102, 'two words')
    call MPI_Comm_disconnect(children IE)
    commands = self
    ! Row by row: a command's arguments lie in a row, ended by a blank one.
    commands_argv(:, 1) = ['one     ', '        ']
    commands_argv(:, 2) = ' '
    infos = MPI_INFO_NULL
    call MPI_Comm_spawn_multiple(2, commands, commands_argv, [1, 1], infos, 0, MPI_COMM_SELF, children, &
                                 MPI_ERRCODES_IGNORE IE)
    call MPI_Recv(n, 1, MPI_INTEGER, 0, 1, children, MPI_STATUS_IGNORE IE)
    call check(n == 1, 'one word')
    call MPI_Recv(n, 1, MPI_INTEGER, 1, 1, children, MPI_STATUS_IGNORE IE)
    call check(n == 100, 'no words')
    call MPI_Comm_disconnect(children IE)
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE IE)
    call MPI_Recv(n, 1, MPI_INTEGER, 0, 1, children, MPI_STATUS_IGNORE, ierr)
    call check(n == 0, 'no arguments')
    call MPI_Comm_disconnect(children IE)
    port = ' '
    call MPI_Open_port(MPI_INFO_NULL, port IE)
    call check(len_trim(port) > 0, 'a port')
    call MPI_Close_port(port IE)
  end if
  call MPI_Finalize(ierr)
  if (parent == MPI_COMM_NULL) call finish(7)
contains
  ! Tells how many words it was given, and its rank.
  subroutine child
    call MPI_Comm_rank(parent, rank IE)
    n = 100 * rank + command_argument_count()
    if (command_argument_count() == 2) then
      call get_command_argument(2, word)
      if (word /= 'red blue') n = -1
    end if
    call MPI_Send(n, 1, MPI_INTEGER, 0, 1, parent IE)
    call MPI_Comm_disconnect(parent IE)
    parent = MPI_COMM_WORLD
  end subroutine
end program
