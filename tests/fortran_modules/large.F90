! SPDX-License-Identifier: Apache-2.0
! Counts of kind MPI_COUNT_KIND, where the library has routines for them. Two ranks; mpi_f08 only.
module callbacks
  implicit none
contains
  subroutine add(invec, inoutvec, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [length])
    call c_f_pointer(inoutvec, b, [length])
    if (datatype == MPI_INTEGER) b = a + b
  end subroutine
end module

program large
  use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
  use mpi_f08
  use checks
  use callbacks
  implicit none
  integer, parameter :: ck = MPI_COUNT_KIND, ak = MPI_ADDRESS_KIND
  integer(ck), parameter :: many = 3000000000_ck
  integer :: rank, other, ierr
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  call messages()
  call types()
  call packing()
  call collective()
  call storage()
  call MPI_Finalize()
  call finish(merge(32, 36, rank == 0))
contains

  subroutine messages()
    integer(ck) :: n, m
    integer, target :: attached(1000)
    type(c_ptr) :: detached
    real(8) :: grid(20, 30), other_grid(20, 30), big(100000), took(100000)
    type(MPI_Status) :: status
    type(MPI_Request) :: r(2)
    type(MPI_Message) :: message
    n = size(big)
    big = rank + 1
    took = 0
    if (rank == 0) then
      call MPI_Send(big, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD)
    else
      call MPI_Recv(took, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status)
      call check(all(took == 1), 'recv')
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, m)
      call check(m == n .and. status%MPI_SOURCE == 0 .and. status%MPI_TAG == 1, 'its status')
      call MPI_Get_elements(status, MPI_DOUBLE_PRECISION, m)
      call check(m == n, 'get_elements')
    end if
    took = 0
    call MPI_Irecv(took, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, r(1), ierr)
    call check(ierr == MPI_SUCCESS, 'an error result that is asked for')
    call MPI_Isend(big, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, r(2))
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    call check(all(took == other + 1), 'irecv')
    ! The two kinds of count may meet.
    took = 0
    if (rank == 0) then
      call MPI_Send(big, 5, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD)
      call MPI_Recv(took, 5_ck, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    else
      call MPI_Recv(took, 5_ck, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(big, 5, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD)
    end if
    call check(all(took(:5) == other + 1) .and. all(took(6:) == 0), 'one kind of count and the other')
    ! A section that is not contiguous.
    grid = rank + 1
    other_grid = 0
    call MPI_Sendrecv(grid(3, :), 30_ck, MPI_DOUBLE_PRECISION, other, 4, &
                      other_grid(7, :), 30_ck, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, status)
    call check(all(other_grid(7, :) == other + 1) .and. all(other_grid(6, :) == 0), 'sections')
    call MPI_Sendrecv_replace(grid, 600_ck, MPI_DOUBLE_PRECISION, other, 5, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(grid == other + 1), 'sendrecv_replace')
    if (rank == 0) then
      call MPI_Ssend(big, 7_ck, MPI_DOUBLE_PRECISION, other, 6, MPI_COMM_WORLD)
    else
      took = 0
      call MPI_Mprobe(other, 6, MPI_COMM_WORLD, message, status)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, m)
      call MPI_Mrecv(took, m, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE)
      call check(m == 7 .and. all(took(:7) == 1) .and. message == MPI_MESSAGE_NULL, 'mrecv')
    end if
    call MPI_Buffer_attach(attached, 4000_ck)
    call MPI_Bsend(rank, 1_ck, MPI_INTEGER, rank, 7, MPI_COMM_WORLD)
    call MPI_Recv(other, 1_ck, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(other == rank, 'bsend')
    other = 1 - rank
    call MPI_Buffer_detach(detached, m)
    call check(m == 4000 .and. c_associated(detached, c_loc(attached)), 'buffer_detach')
    call MPI_Send_init(big, n, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, r(1))
    call MPI_Recv_init(took, n, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, r(2))
    took = 0
    call MPI_Startall(2, r)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    call check(all(took == other + 1), 'persistent')
    call MPI_Request_free(r(1))
    call MPI_Request_free(r(2))
  end subroutine

  subroutine types()
    type(MPI_Datatype) :: datatype, empty, parts(2)
    integer(ck) :: n, counts(4), lengths(3), places(3), none(1)
    integer(ak) :: base, addresses(1)
    integer :: combiner, integers(2), a(12), b(12), i
    type(MPI_Datatype) :: inner(1)
    call MPI_Type_contiguous(many, MPI_CHARACTER, datatype)
    call MPI_Type_size(datatype, n)
    call check(n == many, 'type_contiguous and type_size beyond 32 bits')
    call MPI_Type_free(datatype)
    ! So many elements, and not a byte.
    call MPI_Type_contiguous(0, MPI_INTEGER, empty)
    call MPI_Type_commit(empty)
    call MPI_Sendrecv(a, many, empty, other, 1, b, many, empty, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS, 'more than 32 bits of elements')
    call MPI_Type_free(empty)
    call MPI_Type_vector(3_ck, 2_ck, 4_ck, MPI_INTEGER, datatype)
    call MPI_Type_commit(datatype)
    a = [(rank * 100 + i, i = 1, 12)]
    b = 0
    call MPI_Sendrecv(a, 1_ck, datatype, other, 2, b, 1_ck, datatype, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(b == [(merge(other * 100 + i, 0, mod(i - 1, 4) < 2), i = 1, 12)]), 'type_vector')
    call MPI_Type_get_envelope(datatype, counts(1), counts(2), counts(3), counts(4), combiner)
    call check(combiner == MPI_COMBINER_VECTOR .and. sum(counts) == 4, 'type_get_envelope')
    call MPI_Type_get_contents(datatype, counts(1), counts(2), counts(3), counts(4), integers, addresses, lengths, inner)
    if (counts(3) == 3) call check(all(lengths == [3, 2, 4]) .and. inner(1) == MPI_INTEGER, 'type_get_contents')
    if (counts(3) /= 3) call check(inner(1) == MPI_INTEGER, 'type_get_contents')
    call MPI_Type_free(datatype)
    ! Absolute addresses, so MPI_BOTTOM must be known as such.
    call MPI_Get_address(b, base)
    lengths = [1, 2, 3]
    places = base + [0, 16, 32]
    call MPI_Type_create_hindexed(3_ck, lengths, places, MPI_INTEGER, datatype)
    call MPI_Type_commit(datatype)
    b = 0
    call MPI_Sendrecv(a, 6_ck, MPI_INTEGER, other, 3, MPI_BOTTOM, 1_ck, datatype, other, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(b == [a(1), 0, 0, 0, a(2:3), 0, 0, a(4:6), 0] - merge(rank - other, 0, &
               [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0] == 1) * 100), 'type_create_hindexed and MPI_BOTTOM')
    call MPI_Type_free(datatype)
    parts = [MPI_INTEGER, MPI_CHARACTER]
    call MPI_Type_create_struct(2_ck, lengths(2:3), places(:2) - base, parts, datatype)
    call MPI_Type_size(datatype, n)
    call check(n == 11, 'type_create_struct')
    call MPI_Type_free(datatype)
    call MPI_Type_create_subarray(2, [4_ck, 3_ck], [2_ck, 1_ck], [1_ck, 1_ck], MPI_ORDER_FORTRAN, MPI_INTEGER, datatype)
    call MPI_Type_size(datatype, n)
    call check(n == 8, 'type_create_subarray')
    call MPI_Type_free(datatype)
    ! An address and a count are of one kind, so there is but one form, which takes both.
    none = -1
    call MPI_Type_get_extent(MPI_INTEGER, places(1), none(1))
    call check(places(1) == 0 .and. none(1) == 4, 'type_get_extent')
  end subroutine

  subroutine packing()
    integer(ck) :: room, at
    integer :: a(5), b(5)
    character :: packed(200)
    a = [1, 2, 3, 4, 5]
    call MPI_Pack_size(5_ck, MPI_INTEGER, MPI_COMM_WORLD, room)
    call check(room >= 20 .and. room <= 200, 'pack_size')
    at = 0
    call MPI_Pack(a, 5_ck, MPI_INTEGER, packed, room, at, MPI_COMM_WORLD)
    call check(at == 20, 'pack')
    at = 0
    b = 0
    call MPI_Unpack(packed, room, at, b, 5_ck, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(a == b), 'unpack')
    call MPI_Pack_external_size('external32', 5_ck, MPI_INTEGER, room)
    call check(room == 20, 'pack_external_size')
    at = 0
    call MPI_Pack_external('external32  ', a, 5_ck, MPI_INTEGER, packed, room, at)
    call check(at == 20 .and. iachar(packed(4)) == 1, 'pack_external')
    at = 0
    b = 0
    call MPI_Unpack_external('external32', packed, room, at, b, 5_ck, MPI_INTEGER)
    call check(all(a == b), 'unpack_external')
  end subroutine

  subroutine collective()
    integer :: a(4), b(8)
    integer(ck) :: counts(2)
    integer(ak) :: displacements(2)
    type(MPI_Datatype) :: types(2)
    type(MPI_Op) :: op
    type(MPI_Request) :: r
    a = rank + 7
    call MPI_Bcast(a, 4_ck, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call check(all(a == 8), 'bcast')
    a = rank
    call MPI_Allreduce(MPI_IN_PLACE, a, 4_ck, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(a == 1), 'allreduce in place')
    a = rank + 1
    b = 0
    counts = [3, 4]
    displacements = [5, 0]
    call MPI_Allgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(b == [2, 2, 2, 2, 0, 1, 1, 1]), 'allgatherv')
    counts = 1
    displacements = [4, 0]
    types = MPI_INTEGER
    b = 0
    call MPI_Alltoallw([10 + rank, 20 + rank], counts, displacements, types, b, counts, displacements(2:1:-1), types, &
                       MPI_COMM_WORLD)
    call check(all(b(:2) == merge([20, 21], [10, 11], rank == 0)), 'alltoallw')
    call MPI_Op_create_c(add, .true., op)
    a = rank + 1
    call MPI_Iallreduce(a, b, 4_ck, MPI_INTEGER, op, MPI_COMM_WORLD, r)
    call MPI_Wait(r, MPI_STATUS_IGNORE)
    call check(all(b(:4) == 3), 'op_create_c')
    call MPI_Reduce_local(a, b, 4_ck, MPI_INTEGER, op)
    call check(all(b(:4) == rank + 4), 'reduce_local')
    call MPI_Op_free(op)
  end subroutine

  subroutine storage()
    integer :: window(10), a(10)
    integer(ak) :: bytes, unit
    type(c_ptr) :: base
    type(MPI_Win) :: win
    type(MPI_File) :: file
    type(MPI_Status) :: status
    integer(ck) :: n
    window = 0
    a = rank + 1
    call MPI_Win_create(window, 40_ak, 4_ak, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(a, 3_ck, MPI_INTEGER, other, 2_ak, 3_ck, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(window == [0, 0, spread(other + 1, 1, 3), 0, 0, 0, 0, 0]), 'win_create and put')
    call MPI_Win_free(win)
    call MPI_Win_allocate_shared(80_ak, 8_ak, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call MPI_Win_shared_query(win, other, bytes, unit, base)
    call check(bytes == 80 .and. unit == 8, 'win_shared_query')
    call MPI_Win_free(win)
    call MPI_File_open(MPI_COMM_WORLD, 'large.data', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, 40_MPI_OFFSET_KIND * rank, a, 10_ck, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_sync(file)
    a = 0
    call MPI_File_read_at(file, 40_MPI_OFFSET_KIND * other, a, 10_ck, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call check(n == 10 .and. all(a == other + 1), 'a file')
    call MPI_File_close(file)
  end subroutine
end program
