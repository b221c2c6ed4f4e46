! SPDX-License-Identifier: Apache-2.0
! A program that looks at the error of every call, in each of Fortran's interfaces.
module checks
  implicit none
  integer, parameter :: n = 20000
  double precision, save :: a(n), b(n), w(n)
  integer, save :: rank
contains
  subroutine compute()
    integer :: i
    do i = 1, n
      w(i) = w(i) * 0.5d0 + i
    end do
  end subroutine

  subroutine fill(first)
    integer, intent(in) :: first
    integer :: i
    do i = 1, n
      a(i) = first + i
    end do
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print *, 'rank', rank, ': not so: ', what
    error stop 3
  end subroutine

  subroutine look(first)
    integer, intent(in) :: first
    integer :: i
    do i = 1, n
      if (b(i) /= first + i) call expect(.false., 'what was received')
    end do
  end subroutine
end module

program checked
  use checks
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_F08)
  type(MPI_Comm) :: comm
  type(MPI_Request) :: request
#else
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer :: comm, request
#endif
  integer :: peer, ierr, wrong, ignored
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  peer = 1 - rank
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call healthy()
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call healthy()
  call fill(7)
  if (rank == 0) then
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 5, comm, ierr)
    call expect(ierr == MPI_SUCCESS, 'first send')
    call compute()
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 5, comm, ierr)
    call expect(ierr == MPI_SUCCESS, 'second send')
  else
    call MPI_Recv(b, n / 2, MPI_DOUBLE_PRECISION, 0, 5, comm, MPI_STATUS_IGNORE, ierr)
    call compute()
    call MPI_Error_class(ierr, wrong, ignored)
    call expect(wrong == MPI_ERR_TRUNCATE, 'a receive that is too short')
    call MPI_Irecv(b, n / 2, MPI_DOUBLE_PRECISION, 0, 5, comm, request, ierr)
    call expect(ierr == MPI_SUCCESS, 'a receive that starts')
    call compute()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call compute()
    call MPI_Error_class(ierr, wrong, ignored)
    call expect(wrong == MPI_ERR_TRUNCATE, 'a wait for what is too long')
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 77, 5, comm, ierr)
    call compute()
    call MPI_Error_class(ierr, wrong, ignored)
    call expect(wrong == MPI_ERR_RANK, 'a send to nobody')
  end if
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  call healthy()
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'every error is where it belongs'
contains
  subroutine healthy()
    integer :: round
#if defined(USE_F08)
    type(MPI_Request) :: request
#else
    integer :: request
#endif
    do round = 1, 3
      call fill(rank + round)
      if (rank == 0) then
        call MPI_Send(a, n, MPI_DOUBLE_PRECISION, peer, 1, comm, ierr)
        if (ierr /= MPI_SUCCESS) error stop 4
        call compute()
        call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, peer, 1, comm, MPI_STATUS_IGNORE, ierr)
      else
        call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, peer, 1, comm, MPI_STATUS_IGNORE, ierr)
        if (ierr /= MPI_SUCCESS) error stop 4
        call compute()
        call MPI_Send(a, n, MPI_DOUBLE_PRECISION, peer, 1, comm, ierr)
      end if
      if (ierr /= MPI_SUCCESS) error stop 4
      call compute()
      call look(peer + round)
      call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, peer, 2, comm, request, ierr)
      if (ierr /= MPI_SUCCESS) error stop 4
      call MPI_Send(a, n, MPI_DOUBLE_PRECISION, peer, 2, comm, ierr)
      if (ierr /= MPI_SUCCESS) error stop 4
      call compute()
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
      if (ierr /= MPI_SUCCESS) error stop 4
      call compute()
      call look(peer + round)
    end do
  end subroutine
end program
