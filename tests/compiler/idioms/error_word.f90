! SPDX-License-Identifier: Apache-2.0
! The error of each receive goes to the first word of a message, which is filled before that is sent. Two ranks.
include 'work_on.inc'

program errword
  implicit none
  include 'mpif.h'
  include 'usleep.inc'
  integer, parameter :: n = 100000, rounds = 4
  integer :: rank, ierr, i, k, msg(n), request
  real(8) :: y(n), w(1000), s
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  y = rank; w = 1; msg = 5; s = 0
  if (rank == 0) then
    do k = 1, rounds
      call MPI_Recv(y, n, MPI_DOUBLE_PRECISION, 1, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE, msg(1))
      call work_on(w)
      s = s + y(7)
      msg(1) = k * 10
      call MPI_Send(msg, n, MPI_INTEGER, 1, k, MPI_COMM_WORLD, ierr)
      call work_on(w)
    end do
    print *, 's', s, w(7)
  else
    do k = 1, rounds
      if (k == 1) call MPI_Send(y, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
      request = MPI_REQUEST_NULL
      if (k < rounds) call MPI_Isend(y, n, MPI_DOUBLE_PRECISION, 0, k + 1, MPI_COMM_WORLD, request, ierr)
      i = usleep(100000)
      call MPI_Recv(msg, n, MPI_INTEGER, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
      print *, k, msg(1), msg(2)
    end do
  end if
  call MPI_Finalize(ierr)
end program
