! SPDX-License-Identifier: Apache-2.0
! Point-to-point communication through mpi or mpi_f08, of every kind of buffer; two ranks or more.
#include "interface.inc"
module generalized
  use MODULE
  implicit none
  integer :: freed = 0
contains
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    STATUS(status)
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_BYTE, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    SOURCE_OF(status) = 11
    TAG_OF(status) = 12
    ierror = MPI_SUCCESS
  end subroutine
  subroutine free(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

program p2p
  use MODULE
  use checks
  use generalized
  use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
  implicit none
  type particle
    real(8) :: x(3)
    integer :: id
    character(len=4) :: name
  end type
  integer :: rank, size, other, ierr, n, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IE)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call check(ierr == MPI_SUCCESS .and. size >= 2, 'ierror and size')
  other = ieor(rank, 1)
  if (other < size) then
    call kinds
    call sections(reshape([(i, i=1, 60)], [6, 10]))
    call records
    call requests
    call probes
    call persistent
    call packing
    call buffered
    call grequest
  end if
  call MPI_Barrier(MPI_COMM_WORLD IE)
  call MPI_Finalize(ierr)
  call finish(merge(50, 1, other < size))
contains

  ! The partner's `mine` must arrive in `its`, whatever they are.
  subroutine kinds
    integer :: si, ri
    integer(8) :: s8(2, 2), r8(2, 2)
    real :: sr, rr(3)
    complex(8) :: sc(2), rc(2)
    logical :: sl(2), rl(2)
    character(len=5) :: ss, rs
    character(len=3) :: sn(2), rn(2)
    real(8), allocatable :: sa(:, :, :), ra(:, :, :)
    real(8), pointer :: sp(:), rp(:)
    STATUS(s)
    si = 10 + rank
    call MPI_Sendrecv(si, 1, MPI_INTEGER, other, 1, ri, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, s IE)
    call check(ri == 10 + other, 'a scalar')
    call check(SOURCE_OF(s) == other .and. TAG_OF(s) == 1, 'a status')
    call MPI_Get_count(s, MPI_INTEGER, n IE)
    call check(n == 1, 'get_count')
    s8 = rank
    r8 = -1
    call MPI_Sendrecv(s8, 4, MPI_INTEGER8, other, 2, r8(1, 1), 4, MPI_INTEGER8, other, 2, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IE)
    call check(all(r8 == other), 'integer(8), from an element on')
    sr = 1.5 * rank
    rr = -1
    call MPI_Sendrecv(sr, 1, MPI_REAL, other, 3, rr(2), 1, MPI_REAL, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(all(rr == [-1.0, 1.5 * other, -1.0]), 'into the middle')
    sc = cmplx(rank, [1, 2], 8)
    call MPI_Sendrecv(sc, 2, MPI_DOUBLE_COMPLEX, other, 4, rc, 2, MPI_DOUBLE_COMPLEX, other, 4, MPI_COMM_WORLD, s, ierr)
    call check(all(rc == cmplx(other, [1, 2], 8)), 'complex')
    sl = [rank == 0, rank /= 0]
    call MPI_Sendrecv(sl, 2, MPI_LOGICAL, other, 5, rl, 2, MPI_LOGICAL, other, 5, MPI_COMM_WORLD, s IE)
    call check(rl(1) .eqv. other == 0, 'logical')
    write (ss, '(a, i1)') 'rank', rank
    call MPI_Sendrecv(ss, 5, MPI_CHARACTER, other, 6, rs, 5, MPI_CHARACTER, other, 6, MPI_COMM_WORLD, s IE)
    call check(rs(5:5) == char(48 + other), 'characters')
    sn = ss(3:)
    call MPI_Sendrecv(sn(2)(2:3), 2, MPI_CHARACTER, other, 6, rn(2)(2:3), 2, MPI_CHARACTER, other, 6, MPI_COMM_WORLD, &
                      s IE)
    call check(rn(2)(3:3) == char(48 + other), 'a part of a string')
    allocate (sa(3, 4, 5), ra(3, 4, 5), sp(7), rp(7))
    sa = rank + 0.5
    call MPI_Sendrecv(sa, 60, MPI_DOUBLE_PRECISION, other, 7, ra, 60, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, s IE)
    call check(all(ra == other + 0.5), 'allocatable')
    sp = rank
    call MPI_Sendrecv(sp, 7, MPI_DOUBLE_PRECISION, other, 8, rp, 7, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, s IE)
    call check(all(rp == other), 'pointer')
    rp = 0
    call MPI_Sendrecv([1d0 * rank, 2d0], 2, MPI_DOUBLE_PRECISION, other, 9, rp, 7, MPI_DOUBLE_PRECISION, other, 9, &
                      MPI_COMM_WORLD, s, ierr)
    call check(rp(1) == other .and. rp(2) == 2, 'an expression')
  end subroutine

  ! Sections: the contiguous are used in place, the others copied in and out.
  subroutine sections(a)
    integer, intent(in) :: a(:, :)
    integer :: b(6, 10), c(0:5), row(10)
    HANDLE(MPI_Request) :: r(2)
    HANDLE(MPI_Datatype) :: vector
    STATUSES(ss, 2)
    b = -1
    call MPI_Sendrecv(a(2, :), 10, MPI_INTEGER, other, 1, b(5, :), 10, MPI_INTEGER, other, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IE)
    call check(all(b(5, :) == a(2, :)) .and. count(b == -1) == 50, 'a row')
    b = -1
    call MPI_Sendrecv(a(1:5:2, 10:1:-3), 12, MPI_INTEGER, other, 1, b(2:6:2, 1:4), 12, MPI_INTEGER, other, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE IE)
    call check(all(b(2:6:2, 1:4) == a(1:5:2, 10:1:-3)) .and. count(b == -1) == 48, 'strides in both')
    b = -1
    call MPI_Irecv(b(:, 3:4), 12, MPI_INTEGER, other, 2, MPI_COMM_WORLD, r(1) IE)
    call MPI_Isend(a(:, 7:8), 12, MPI_INTEGER, other, 2, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, ss IE)
    call check(all(b(:, 3:4) == a(:, 7:8)) .and. count(b == -1) == 48, 'columns, in place, non-blocking')
    call check(SOURCE_AT(ss, 1) == other, 'the statuses')
    call MPI_Type_vector(10, 1, 6, MPI_INTEGER, vector IE)
    call MPI_Type_commit(vector IE)
    row = 0
    call MPI_Sendrecv(b, 1, vector, other, 3, row, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE IE)
    call check(all(row == b(1, :)), 'a vector type')
    call MPI_Type_free(vector IE)
    call check(vector == MPI_DATATYPE_NULL, 'a freed type')
    c = -1
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, 4, c(2:2), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call check(all(c == [-1, -1, other, -1, -1, -1]), 'bounds that begin at zero')
  end subroutine

  subroutine records
    type(particle), target :: p(3), q(3)
    real :: rows(4, 4)
    integer(kind=MPI_ADDRESS_KIND) :: at(4), first, lb, extent
    integer :: lengths(3), integers(4), ni, na, nd, combiner
    integer(kind=MPI_ADDRESS_KIND) :: addresses(3)
    HANDLE(MPI_Datatype) :: types(3), record, raw, envelope(3)
    STATUS(s)
    call MPI_Get_address(p(1), first IE)
    call MPI_Get_address(p(1)%x, at(1) IE)
    call MPI_Get_address(p(1)%id, at(2) IE)
    call MPI_Get_address(p(1)%name, at(3), ierr)
    call MPI_Get_address(p(2), at(4) IE)
    call check(at(1) == first .and. MPI_Aint_diff(at(2), first) == 24, 'addresses')
    call MPI_Get_address(rows(2, :), at(1) IE)
    call MPI_Get_address(rows(2, 1), at(2) IE)
    call check(at(1) == at(2), 'the address of a row, not of its copy')
    call MPI_Get_address(p(1)%x, at(1) IE)
    call MPI_Get_address(p(1)%id, at(2) IE)
    at = at - first
    call check(MPI_Aint_add(first, at(4)) == first + at(4), 'aint_add')
    lengths = [3, 1, 4]
    types = [MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_CHARACTER]
    call MPI_Type_create_struct(3, lengths, at, types, raw IE)
    call MPI_Type_create_resized(raw, 0_MPI_ADDRESS_KIND, at(4), record IE)
    call MPI_Type_commit(record IE)
    call MPI_Type_get_extent(record, lb, extent IE)
    call check(lb == 0 .and. extent == at(4), 'the extent')
    call MPI_Type_get_envelope(raw, ni, na, nd, combiner IE)
    call check(ni == 4 .and. na == 3 .and. nd == 3 .and. combiner == MPI_COMBINER_STRUCT, 'the envelope')
    call MPI_Type_get_contents(raw, ni, na, nd, integers, addresses, envelope IE)
    call check(integers(2) == 3 .and. addresses(2) == 24 .and. envelope(3) == MPI_CHARACTER, 'the contents')
    do i = 1, 3
      p(i) = particle([1d0, 2d0, 3d0] * i + rank, 10 * i + rank, 'abcd')
    end do
    call MPI_Sendrecv(p, 3, record, other, 1, q, 3, record, other, 1, MPI_COMM_WORLD, s IE)
    call check(all(q%id == [10, 20, 30] + other) .and. q(3)%x(3) == 9 + other .and. q(2)%name == 'abcd', 'records')
    call MPI_Get_elements(s, record, n IE)
    call check(n == 24, 'get_elements')
    q%id = 0
    call MPI_Sendrecv(p%id, 3, MPI_INTEGER, other, 2, q%id, 3, MPI_INTEGER, other, 2, MPI_COMM_WORLD, s IE)
    call check(all(q%id == [10, 20, 30] + other) .and. q(3)%x(3) == 9 + other, 'one component of many')
    call MPI_Type_free(record IE)
    call MPI_Type_free(raw IE)
    ! Absolute addresses: MPI_BOTTOM.
    call MPI_Get_address(p(2)%id, at(1) IE)
    call MPI_Type_create_hindexed(1, [1], at, MPI_INTEGER, record IE)
    call MPI_Type_commit(record IE)
    call MPI_Sendrecv(MPI_BOTTOM, 1, record, other, 3, q(1)%id, 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, s IE)
    call check(q(1)%id == 20 + other, 'from MPI_BOTTOM')
    call MPI_Sendrecv(7, 1, MPI_INTEGER, other, 4, MPI_BOTTOM, 1, record, other, 4, MPI_COMM_WORLD, s IE)
    call check(p(2)%id == 7, 'to MPI_BOTTOM')
    call MPI_Type_free(record, ierr)
  end subroutine

  subroutine requests
    integer :: a(4), b(4), index, done, indices(4), before
    logical :: flag
    HANDLE(MPI_Request) :: r(5)
    STATUS(s)
    STATUSES(ss, 4)
    r = MPI_REQUEST_NULL
    call MPI_Waitany(5, r, index, s IE)
#if defined(USE_F08)
    call check(index == MPI_UNDEFINED, 'waitany of none')
    call MPI_Testany(5, r, index, flag, MPI_STATUS_IGNORE)
    call check(flag .and. index == MPI_UNDEFINED, 'testany of none')
#endif
    do i = 1, 4
      a(i) = 100 * i + rank
      call MPI_Irecv(b(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(i) IE)
    end do
    flag = .true.
    call MPI_Test(r(1), flag, MPI_STATUS_IGNORE IE)
    call check(.not. flag .and. r(1) /= MPI_REQUEST_NULL, 'nothing has come')
    call meet
    call MPI_Ssend(a(3), 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD IE)
    call MPI_Waitany(4, r, index, s IE)
    call check(index == 3 .and. TAG_OF(s) == 3 .and. b(3) == 300 + other, 'waitany')
    call meet
    call synchronous(a(1), 1)
    call MPI_Wait(r(1), s IE)
    call check(b(1) == 100 + other .and. TAG_OF(s) == 1, 'wait')
    call meet
    call MPI_Rsend(a(2), 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD IE)
    call MPI_Waitsome(4, r, done, indices, ss IE)
    call check(done == 1 .and. indices(1) == 2 .and. TAG_AT(ss, 1) == 2, 'waitsome')
    call meet
    call MPI_Isend(a(4), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, r(5) IE)
    before = 0
    done = 0
    do while (done /= MPI_UNDEFINED)
      call MPI_Testsome(5, r, done, indices, MPI_STATUSES_IGNORE IE)
      if (done /= MPI_UNDEFINED) before = before + done
    end do
    call check(before == 2 .and. b(4) == 400 + other, 'testsome')
    call MPI_Testall(5, r, flag, MPI_STATUSES_IGNORE IE)
    call check(flag, 'testall')
    call MPI_Irecv(b, 4, MPI_INTEGER, other, 77, MPI_COMM_WORLD, r(1) IE)
    call MPI_Cancel(r(1) IE)
    call MPI_Wait(r(1), s IE)
    call MPI_Test_cancelled(s, flag IE)
    call check(flag, 'cancelled')
    call MPI_Recv(b, 4, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, s IE)
    call check(SOURCE_OF(s) == MPI_PROC_NULL .and. TAG_OF(s) == MPI_ANY_TAG, 'nobody')
  end subroutine

  ! Neither goes on before the other has come.
  subroutine meet
    integer :: nothing
    call MPI_Sendrecv(rank, 0, MPI_BYTE, other, 99, nothing, 0, MPI_BYTE, other, 99, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IE)
  end subroutine

  subroutine synchronous(what, tag)
    integer, intent(in) :: what, tag
    HANDLE(MPI_Request) :: r
    STATUS(s)
    logical :: flag
    call MPI_Issend(what, 1, MPI_INTEGER, other, tag, MPI_COMM_WORLD, r IE)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(r, flag, s IE)
    end do
    call check(flag .and. r /= MPI_REQUEST_NULL, 'request_get_status')
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call check(r == MPI_REQUEST_NULL, 'a request that is done')
  end subroutine

  subroutine probes
    real :: a(5), b(5)
    logical :: flag
    HANDLE(MPI_Message) :: m
    HANDLE(MPI_Request) :: r, sent(3)
    STATUS(s)
    a = [1, 2, 3, 4, 5] + rank
    do i = 1, 3
      call MPI_Isend(a, i + 2, MPI_REAL, other, 20 + i, MPI_COMM_WORLD, sent(i) IE)
    end do
    call MPI_Probe(other, MPI_ANY_TAG, MPI_COMM_WORLD, s IE)
    call MPI_Get_count(s, MPI_REAL, n IE)
    call check(TAG_OF(s) == 21 .and. n == 3, 'probe')
    call MPI_Recv(b, 5, MPI_REAL, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, s IE)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(other, 23, MPI_COMM_WORLD, flag, s IE)
    end do
    call MPI_Get_count(s, MPI_REAL, n, ierr)
    call check(n == 5, 'iprobe')
    call MPI_Mprobe(other, 22, MPI_COMM_WORLD, m, s IE)
    call check(m /= MPI_MESSAGE_NULL, 'mprobe')
    call MPI_Mrecv(b, 4, MPI_REAL, m, s IE)
    call check(all(b(:4) == [1, 2, 3, 4] + other) .and. m == MPI_MESSAGE_NULL, 'mrecv')
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(other, 23, MPI_COMM_WORLD, flag, m, MPI_STATUS_IGNORE IE)
    end do
    call MPI_Imrecv(b, 5, MPI_REAL, m, r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call check(b(5) == 5 + other, 'imrecv')
    call MPI_Waitall(3, sent, MPI_STATUSES_IGNORE IE)
  end subroutine

  subroutine persistent
    integer :: a(3), b(3)
    HANDLE(MPI_Request) :: r(2)
    call MPI_Send_init(a, 3, MPI_INTEGER, other, 30, MPI_COMM_WORLD, r(1) IE)
    call MPI_Recv_init(b, 3, MPI_INTEGER, other, 30, MPI_COMM_WORLD, r(2), ierr)
    do i = 1, 3
      a = i * 10 + rank
      if (i == 2) then
        call MPI_Start(r(1) IE)
        call MPI_Start(r(2), ierr)
      else
        call MPI_Startall(2, r IE)
      end if
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE IE)
      call check(all(b == i * 10 + other), 'persistent')
    end do
    a = rank
    call MPI_Sendrecv_replace(a, 3, MPI_INTEGER, other, 31, other, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE IE)
    call check(all(a == other), 'replace')
    call MPI_Request_free(r(1) IE)
    call MPI_Request_free(r(2) IE)
    call check(r(2) == MPI_REQUEST_NULL, 'a freed request')
  end subroutine

  subroutine packing
    character(len=100) :: room
    integer :: position, length
    integer(kind=MPI_ADDRESS_KIND) :: place, long
    real(8) :: x(2), y(2)
    call MPI_Pack_size(2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, length IE)
    call check(length >= 16 .and. length < 90, 'pack_size')
    x = [1, 2] + rank
    position = 0
    call MPI_Pack(42, 1, MPI_INTEGER, room, 100, position, MPI_COMM_WORLD IE)
    call MPI_Pack(x, 2, MPI_DOUBLE_PRECISION, room, 100, position, MPI_COMM_WORLD IE)
    call MPI_Sendrecv_replace(room, position, MPI_PACKED, other, 40, other, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE IE)
    position = 0
    call MPI_Unpack(room, 100, position, length, 1, MPI_INTEGER, MPI_COMM_WORLD IE)
    call MPI_Unpack(room, 100, position, y, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    call check(length == 42 .and. all(y == [1, 2] + other), 'pack')
    call MPI_Pack_external_size('external32', 2, MPI_DOUBLE_PRECISION, long IE)
    place = 0
    call MPI_Pack_external('external32', x, 2, MPI_DOUBLE_PRECISION, room, 100_MPI_ADDRESS_KIND, place IE)
    call check(long == 16 .and. place == 16 .and. room(1:1) == merge('?', '@', rank == 0), 'pack_external')
    place = 0
    call MPI_Unpack_external('external32', room, 100_MPI_ADDRESS_KIND, place, y, 2, MPI_DOUBLE_PRECISION IE)
    call check(all(x == y), 'unpack_external')
  end subroutine

  subroutine buffered
    character, target :: room(MPI_BSEND_OVERHEAD + 100)
    integer :: length, got
#if defined(USE_F08)
    type(c_ptr) :: place
#else
    integer :: place(2)
#endif
    call MPI_Buffer_attach(room, MPI_BSEND_OVERHEAD + 100 IE)
    call MPI_Bsend(rank, 1, MPI_INTEGER, other, 50, MPI_COMM_WORLD IE)
    call MPI_Recv(got, 1, MPI_INTEGER, other, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE IE)
    call MPI_Buffer_detach(place, length IE)
    call check(got == other .and. length == MPI_BSEND_OVERHEAD + 100, 'buffered')
#if defined(USE_F08)
    call check(c_associated(place, c_loc(room)), 'the buffer comes back')
#endif
  end subroutine

  subroutine grequest
    HANDLE(MPI_Request) :: r
    STATUS(s)
    call MPI_Grequest_start(query, free, cancel, 5_MPI_ADDRESS_KIND, r IE)
    call MPI_Grequest_complete(r IE)
    call MPI_Wait(r, s IE)
    call MPI_Get_count(s, MPI_BYTE, n IE)
    call check(n == 5 .and. SOURCE_OF(s) == 11 .and. TAG_OF(s) == 12 .and. freed == 5, 'generalized')
  end subroutine
end program
