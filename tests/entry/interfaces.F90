! SPDX-License-Identifier: Apache-2.0
! Every point-to-point routine through one Fortran interface (-DUSE_MPIF,
! -DUSE_MPI or -DUSE_F08); prints what came of it. The output must not depend
! on Lapwing.
program interfaces
#if defined(USE_F08)
  use mpi_f08
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define STATUS(S) type(MPI_Status) :: S
#define STATUSES(S, N) type(MPI_Status) :: S(N)
#define SOURCE_OF(S) S%MPI_SOURCE
#define SOURCE_AT(S, I) S(I)%MPI_SOURCE
#define STATUS_AT(S, I) S(I)
#define TAG_OF(S) S%MPI_TAG
#define DATATYPE type(MPI_Datatype)
#elif defined(USE_MPI)
  use mpi
#endif
#if !defined(USE_F08)
#define REQUEST integer
#define MESSAGE integer
#define STATUS(S) integer :: S(MPI_STATUS_SIZE)
#define STATUSES(S, N) integer :: S(MPI_STATUS_SIZE, N)
#define SOURCE_OF(S) S(MPI_SOURCE)
#define SOURCE_AT(S, I) S(MPI_SOURCE, I)
#define STATUS_AT(S, I) S(:, I)
#define TAG_OF(S) S(MPI_TAG)
#define DATATYPE integer
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: n = 200000
  real(8), save :: a(n), b(n)
  real(8), allocatable :: matrix(:, :)
  integer :: rank, other, ierr, i, index, done, indices(4), provided, got
  integer(kind=MPI_ADDRESS_KIND) :: at(1)
  integer :: one(1)
  logical :: flag
  REQUEST :: r(4)
  MESSAGE :: m
  DATATYPE :: absolute
  STATUS(s)
  STATUSES(ss, 4)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Query_thread(i, ierr)
  if (rank == 0) print '(a, l2)', 'level', i == provided
  other = 1 - rank

  ! Blocking sends of all modes but buffered.
  call fill(1)
  if (rank == 0) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, s, ierr)
  if (rank == 1) call MPI_Get_count(s, MPI_DOUBLE_PRECISION, got, ierr)
  if (rank == 1) print '(a, 3i8)', 'status', SOURCE_OF(s), TAG_OF(s), got
  call show('send')
  call fill(2)
  if (rank == 0) call MPI_Ssend(a, n, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                               MPI_STATUS_IGNORE, ierr)
  call show('ssend')

  ! Non-blocking ones, every way to complete them.
  call fill(3)
  call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Waitall(2, r, ss, ierr)
  if (rank == 0) print '(a, i4)', 'waitall', SOURCE_AT(ss, 2)
  call show('isend')
  call fill(4)
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Issend(a, n, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(r(1), s, ierr)
  call show('issend')
  call fill(5)
  r = MPI_REQUEST_NULL
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(3), ierr)
  call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, other, 6, MPI_COMM_WORLD, ierr)
  call MPI_Recv(a, 10, MPI_DOUBLE_PRECISION, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(4), ierr)
  call MPI_Waitany(3, r, index, s, ierr)
  if (rank == 0) print '(a, 2i4, l2)', 'waitany', index, SOURCE_OF(s), r(3) == MPI_REQUEST_NULL
  call MPI_Waitsome(4, r, done, indices, MPI_STATUSES_IGNORE, ierr)
  if (rank == 0) print '(a, 2i4)', 'waitsome', done, indices(1)
  call MPI_Waitany(4, r, index, s, ierr)
  if (rank == 0) print '(a, l2)', 'none left', index == MPI_UNDEFINED
  call show('waitany')
  call fill(7)
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, r(1), ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Request_get_status(r(2), flag, s, ierr)
  end do
  flag = .false.
  do while (.not. flag)
    call MPI_Test(r(2), flag, s, ierr)
  end do
  flag = .false.
  do while (.not. flag)
    call MPI_Testany(1, r, index, flag, s, ierr)
  end do
  if (rank == 0) print '(a, i4)', 'testany', index
  call show('test')
  call fill(8)
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, r(2), ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, ierr)
  end do
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Send(a, 3, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, ierr)
  done = 0
  do while (done == 0)
    call MPI_Testsome(2, r, done, indices, ss, ierr)
  end do
  call MPI_Get_count(STATUS_AT(ss, 1), MPI_DOUBLE_PRECISION, got, ierr)
  if (rank == 0) print '(a, 4i4)', 'testsome', done, indices(1), SOURCE_AT(ss, 1), got
  call show('testall')

  ! Probes.
  call fill(10)
  if (rank == 0) then
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 10, MPI_COMM_WORLD, ierr)
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 11, MPI_COMM_WORLD, ierr)
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 12, MPI_COMM_WORLD, ierr)
  else
    call MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, s, ierr)
    call MPI_Get_count(s, MPI_DOUBLE_PRECISION, got, ierr)
    print '(a, 3i8)', 'probe', SOURCE_OF(s), TAG_OF(s), got
    call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(0, 11, MPI_COMM_WORLD, flag, s, ierr)
    end do
    call MPI_Mprobe(0, 11, MPI_COMM_WORLD, m, s, ierr)
    call MPI_Mrecv(a, n, MPI_DOUBLE_PRECISION, m, s, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(0, 12, MPI_COMM_WORLD, flag, m, s, ierr)
    end do
    call MPI_Imrecv(b, n, MPI_DOUBLE_PRECISION, m, r(1), ierr)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
    print '(a, l2)', 'message', m == MPI_MESSAGE_NULL
  end if
  call show('probe')

  ! Persistent requests, cancelling.
  call fill(13)
  call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, other, 13, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Recv_init(b, n, MPI_DOUBLE_PRECISION, other, 13, MPI_COMM_WORLD, r(2), ierr)
  do i = 1, 2
    a = a + 1
    call MPI_Start(r(2), ierr)
    call MPI_Startall(1, r, ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    call show('persistent')
  end do
  call MPI_Request_free(r(1), ierr)
  call MPI_Request_free(r(2), ierr)
  if (rank == 0) print '(a, l2)', 'freed', r(1) == MPI_REQUEST_NULL
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, other, 99, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Cancel(r(1), ierr)
  call MPI_Wait(r(1), s, ierr)
  call MPI_Test_cancelled(s, flag, ierr)
  if (rank == 0) print '(a, l2)', 'cancelled', flag

  ! Both ways at once; then collectives on what has just come.
  call fill(14)
  call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, other, 14, b, n, MPI_DOUBLE_PRECISION, other, 14, MPI_COMM_WORLD, s, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call show('sendrecv')
  call MPI_Sendrecv_replace(a, n, MPI_DOUBLE_PRECISION, other, 15, other, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call show('replace')

  ! Absolute addresses.
  call fill(16)
  call MPI_Get_address(a, at(1), ierr)
  one(1) = n
  call MPI_Type_create_hindexed(1, one, at, MPI_DOUBLE_PRECISION, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)
  if (rank == 0) call MPI_Send(MPI_BOTTOM, 1, absolute, 1, 16, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 16, MPI_COMM_WORLD, s, ierr)
  call MPI_Type_free(absolute, ierr)
  call show('bottom')

  ! A section that is not contiguous.
  allocate(matrix(500, 400))
  matrix = rank
  do i = 1, 400
    matrix(3, i) = matrix(3, i) + i
  end do
  if (rank == 0) call MPI_Send(matrix(3, :), 400, MPI_DOUBLE_PRECISION, 1, 17, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Send(matrix(1:499:2, 1:399:2), 50000, MPI_DOUBLE_PRECISION, 1, 18, MPI_COMM_WORLD, ierr)
#if defined(USE_F08)
  if (rank == 1 .and. MPI_SUBARRAYS_SUPPORTED) then
    call MPI_Recv(matrix(4, :), 400, MPI_DOUBLE_PRECISION, 0, 17, MPI_COMM_WORLD, s, ierr)
    call MPI_Recv(matrix(2:500:2, 2:400:2), 50000, MPI_DOUBLE_PRECISION, 0, 18, MPI_COMM_WORLD, s, ierr)
    print '(a, 2f12.1)', 'section', sum(matrix), matrix(4, 400)
  else if (rank == 1) then
#else
  if (rank == 1) then
#endif
    call MPI_Recv(matrix, 400, MPI_DOUBLE_PRECISION, 0, 17, MPI_COMM_WORLD, s, ierr)
    call MPI_Recv(a, 50000, MPI_DOUBLE_PRECISION, 0, 18, MPI_COMM_WORLD, s, ierr)
    print '(a, 2f12.1)', 'section', sum(matrix), sum(a)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
#if defined(USE_F08)
  call MPI_Finalize()
#else
  call MPI_Finalize(ierr)
#endif

contains

  subroutine fill(tag)
    integer, intent(in) :: tag
    integer :: k
    do k = 1, n
      a(k) = tag + mod(k, 1000) + 0.5d0 * rank
    end do
    b = -1
  end subroutine

  subroutine show(what)
    character(len=*), intent(in) :: what
    integer :: k
    real(8) :: mine(2), all(4)
    mine = 0
    do k = 1, n
      mine(1) = mine(1) + a(k) * (1 + mod(k, 7))
      mine(2) = mine(2) + b(k) * (1 + mod(k, 7))
    end do
    call MPI_Gather(mine, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a, 4es26.17)', what, all
  end subroutine
end program
