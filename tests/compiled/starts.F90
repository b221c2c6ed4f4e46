! SPDX-License-Identifier: Apache-2.0
! The Fortran twins, as compiled Fortran calls them: scalars by value, handles as
! integers, the sentinels of mpif.h, mpi or mpi_f08 (-DUSE_MPIF, _MPI, _F08).
#ifdef USE_F08
#define HANDLE(x) x%mpi_val
#else
#define HANDLE(x) x
#endif
program starts
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#ifdef USE_MPIF
  include 'mpif.h'
#endif
  interface
    subroutine lapwing_wait(token) bind(C)
      integer(8), value :: token
    end subroutine
  end interface
  external :: lapwing_defer, lapwing_retire
  integer(8), external :: lapwing_start_send, lapwing_start_ssend, lapwing_start_recv
  integer(8), external :: lapwing_start_recv_matched, lapwing_post_recv, lapwing_post_send
  integer(8), external :: lapwing_pair_copy, lapwing_pair_recv
  integer, parameter :: large = 100000
  integer(8) :: sending, receiving
  integer :: ierror, rank, size, right, left, n, way, error, i, got
  real(8) :: out(large), in(large)
  integer(kind=MPI_ADDRESS_KIND) :: place
#ifdef USE_F08
  type(MPI_Status) :: status
  type(MPI_Datatype) :: type, absolute
  type(MPI_Comm) :: comm
  type(MPI_Request) :: request
#else
  integer :: status(MPI_STATUS_SIZE), type, absolute, comm, request
#endif

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  type = MPI_DOUBLE_PRECISION
  comm = MPI_COMM_WORLD
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  do way = 1, 4
    do n = 10, large, large - 10
      do i = 1, n
        out(i) = rank * 1000 + way + mod(i, 97)
      end do
      in = -1
      error = -1
      if (way == 1) then
        receiving = lapwing_post_recv(in, %val(n), %val(HANDLE(type)), %val(left), %val(way), %val(HANDLE(comm)), &
                                      status, error)
        call expect(error == MPI_SUCCESS, 'ierror of a receive')
      end if
      error = -1
      if (way == 3) then
        in(1:n) = out(1:n)
        sending = lapwing_pair_copy(in, %val(n), %val(HANDLE(type)), %val(right), %val(way), %val(HANDLE(comm)), error)
      else
        sending = lapwing_post_send(out, %val(n), %val(HANDLE(type)), %val(right), %val(way), %val(HANDLE(comm)), error)
      end if
      call expect(error == MPI_SUCCESS, 'ierror of a send')
      ! Without an ierror, as mpi_f08 permits.
      if (way == 2) receiving = lapwing_start_recv_matched(in, %val(large), %val(HANDLE(type)), %val(left), &
                                      %val(MPI_ANY_TAG), %val(HANDLE(comm)), status, %val(0_8))
      if (way == 3) receiving = lapwing_pair_recv(in, %val(n), %val(HANDLE(type)), %val(MPI_ANY_SOURCE), &
                                      %val(way), %val(HANDLE(comm)), status, error)
      if (way == 4) receiving = lapwing_start_recv(in, %val(large), %val(HANDLE(type)), %val(MPI_ANY_SOURCE), &
                                      %val(way), %val(HANDLE(comm)), status, error)
      if (way == 2) call check_status()
      if (receiving /= 0) call lapwing_wait(receiving)
      if (sending /= 0) call lapwing_wait(sending)
      call check_status()
      do i = 1, large
        if (i <= n) then
          call expect(in(i) == left * 1000 + way + mod(i, 97), 'a number')
        else
          call expect(in(i) == -1, 'what lies behind')
        end if
      end do
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end do
  end do

  ! Sentinels: no status, and a buffer by its address alone.
  call MPI_Get_address(in, place, ierror)
  call MPI_Type_create_hindexed(1, [large], [place], MPI_DOUBLE_PRECISION, absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  in = -1
  out = rank
  receiving = lapwing_post_recv(MPI_BOTTOM, %val(1), %val(HANDLE(absolute)), %val(left), %val(7), %val(HANDLE(comm)), &
                                MPI_STATUS_IGNORE, error)
  sending = lapwing_start_send(out, %val(large), %val(HANDLE(type)), %val(right), %val(7), %val(HANDLE(comm)), error)
  if (receiving /= 0) call lapwing_wait(receiving)
  if (sending /= 0) call lapwing_wait(sending)
  call expect(all(in == left), 'what came by its address')
  call MPI_Type_free(absolute, ierror)

  ! Nobody.
  sending = lapwing_start_ssend(out, %val(large), %val(HANDLE(type)), %val(MPI_PROC_NULL), %val(1), %val(HANDLE(comm)), &
                                error)
  call expect(sending == 0 .and. error == MPI_SUCCESS, 'a send to nobody')

  ! Requests of the program's own.
  call MPI_Irecv(in, large, MPI_DOUBLE_PRECISION, left, 9, MPI_COMM_WORLD, request, ierror)
  call lapwing_defer(%val(1), HANDLE(request))
  sending = lapwing_start_send(out, %val(large), %val(HANDLE(type)), %val(right), %val(9), %val(HANDLE(comm)), error)
  call lapwing_retire(%val(1), HANDLE(request))
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call lapwing_defer(%val(1), HANDLE(request))
  call lapwing_retire(%val(1), HANDLE(request))
  if (sending /= 0) call lapwing_wait(sending)
  call expect(all(in == left), 'what a deferred request received')

  ! Errors.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  error = MPI_SUCCESS
  sending = lapwing_start_send(out, %val(large), %val(HANDLE(type)), %val(size + 3), %val(1), %val(HANDLE(comm)), error)
  call expect(sending == 0 .and. error /= MPI_SUCCESS, 'an error at a start')
  call MPI_Finalize(ierror)
  print '(a)', 'fortran holds'
contains
  subroutine check_status()
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got, ierror)
#ifdef USE_F08
    call expect(status%MPI_SOURCE == left .and. status%MPI_TAG == way .and. got == n, 'the status')
#else
    call expect(status(MPI_SOURCE) == left .and. status(MPI_TAG) == way .and. got == n, 'the status')
#endif
  end subroutine
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(3a,i0,a,i0,a,i0)', 'wrong: ', what, ' in way ', way, ', n ', n, ', rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
  end subroutine
end program
