! SPDX-License-Identifier: Apache-2.0
! Collectives through mpi or mpi_f08: blocking, non-blocking, in place, with operations of the program's.
#include "interface.inc"
module operations
  use MODULE
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
contains
#if defined(USE_F08)
  ! As the standard has it: addresses by value.
  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    real(8), pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype == MPI_DOUBLE_PRECISION) b = merge(a, b, abs(a) > abs(b))
  end subroutine
#else
  subroutine larger(a, b, len, datatype)
    integer :: len, datatype
    real(8) :: a(len), b(len)
    if (datatype == MPI_DOUBLE_PRECISION) b = merge(a, b, abs(a) > abs(b))
  end subroutine
#endif
end module

program collectives
  use MODULE
  use checks
  use operations
  implicit none
  integer :: rank, size, ierr, i, n
  integer, allocatable :: ones(:), places(:), all_ranks(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  allocate (ones(size), places(size), all_ranks(size))
  ones = 1
  places = [(i, i=0, size - 1)]
  call moving
  call varying
  call reducing
  call pending
  call neighbours
  call MPI_Finalize(ierr)
  call finish(36)
contains

  subroutine moving
    integer :: a(size), b(size), one
    character(len=8) :: word
    logical :: flag
    real :: matrix(4, 4)
    word = merge('from zer', '........', rank == 0)
    call MPI_Bcast(word, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD IE)
    call check(word == 'from zer', 'bcast of characters')
    flag = rank == size - 1
    call MPI_Bcast(flag, 1, MPI_LOGICAL, size - 1, MPI_COMM_WORLD, ierr)
    call check(flag, 'bcast of a logical')
    matrix = rank
    call MPI_Bcast(matrix(2, :), 4, MPI_REAL, 0, MPI_COMM_WORLD IE)
    call check(all(matrix(2, :) == 0) .and. all(matrix(3, :) == rank), 'bcast of a row')
    one = rank * 3
    call MPI_Gather(one, 1, MPI_INTEGER, a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    if (rank == 0) call check(all(a == 3 * places), 'gather')
    a(1) = rank * 3
    if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
      call check(all(a == 3 * places), 'gather in place')
    else
      call MPI_Gather(one, 1, MPI_INTEGER, MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    end if
    b = 7 * places
    call MPI_Scatter(b, 1, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    call check(one == 7 * rank, 'scatter')
    if (rank == 0) then
      call MPI_Scatter(b, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    else
      call MPI_Scatter(MPI_BOTTOM, 0, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    end if
    call check(one == 7 * rank, 'scatter in place')
    call MPI_Allgather(rank, 1, MPI_INTEGER, all_ranks, 1, MPI_INTEGER, MPI_COMM_WORLD IE)
    call check(all(all_ranks == places), 'allgather')
    a = -1
    a(rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INTEGER, MPI_COMM_WORLD IE)
    call check(all(a == places), 'allgather in place')
    a = rank * 10 + places
    call MPI_Alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD IE)
    call check(all(b == places * 10 + rank), 'alltoall')
    call MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(b == a), 'alltoall in place')
  end subroutine

  subroutine varying
    integer :: a(size), b(size)
    HANDLE(MPI_Datatype) :: types(size)
    a = rank
    call MPI_Gatherv(a, 1, MPI_INTEGER, b, ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    if (rank == 0) call check(all(b == places), 'gatherv')
    call MPI_Scatterv(b, ones, places, MPI_INTEGER, n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IE)
    call check(n == rank, 'scatterv')
    b = -1
    call MPI_Allgatherv(rank, 1, MPI_INTEGER, b, ones, places(size:1:-1), MPI_INTEGER, MPI_COMM_WORLD IE)
    call check(all(b == places(size:1:-1)), 'allgatherv')
    a = rank * 10 + places
    call MPI_Alltoallv(a, ones, places, MPI_INTEGER, b, ones, places, MPI_INTEGER, MPI_COMM_WORLD IE)
    call check(all(b == places * 10 + rank), 'alltoallv')
    types = MPI_INTEGER
    b = 0
    call MPI_Alltoallw(a, ones, 4 * places, types, b, ones, 4 * places, types, MPI_COMM_WORLD, ierr)
    call check(all(b == places * 10 + rank), 'alltoallw')
  end subroutine

  subroutine reducing
    integer :: a(3), b(3), total
    integer(8) :: big(2)
    real(8) :: x(4), y(4), pair(2, 2), where(2, 2)
    complex :: c, d
    logical :: flag
    HANDLE(MPI_Op) :: op
    total = size * (size - 1) / 2
    a = rank * [1, 2, 3]
    call MPI_Reduce(a, b, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IE)
    if (rank == 0) call check(all(b == total * [1, 2, 3]), 'reduce')
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, a, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IE)
      call check(all(a == total * [1, 2, 3]), 'reduce in place')
    else
      call MPI_Reduce(a, 0, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IE)
    end if
    big = rank
    call MPI_Allreduce(MPI_IN_PLACE, big, 2, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD IE)
    call check(all(big == size - 1), 'allreduce in place')
    c = cmplx(rank, 1)
    call MPI_Allreduce(c, d, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD IE)
    call check(d == cmplx(total, size), 'allreduce of a complex number')
    call MPI_Allreduce(rank == 0, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD IE)
    call check(flag, 'allreduce of a logical expression')
    pair(:, 1) = [real(8) :: rank, rank]
    pair(:, 2) = [real(8) :: -rank, rank]
    call MPI_Allreduce(pair, where, 2, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD IE)
    call check(where(2, 1) == size - 1 .and. where(2, 2) == 0, 'maxloc')
    call MPI_Scan(rank, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IE)
    call check(n == rank * (rank + 1) / 2, 'scan')
    call MPI_Exscan(rank, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank > 0) call check(n == rank * (rank - 1) / 2, 'exscan')
    all_ranks = rank
    call MPI_Reduce_scatter_block(all_ranks, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IE)
    call check(n == total, 'reduce_scatter_block')
    n = 0
    call MPI_Reduce_scatter(all_ranks, n, ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IE)
    call check(n == total, 'reduce_scatter')
    b = 1
    call MPI_Reduce_local(a, b, 3, MPI_INTEGER, MPI_SUM IE)
    call check(all(b == a + 1), 'reduce_local')
    call MPI_Op_create(larger, .true., op IE)
    call MPI_Op_commutative(op, flag IE)
    call check(flag, 'op_commutative')
    x = [rank, -rank, 1, 0] * 1d0
    call MPI_Allreduce(x, y, 4, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD IE)
    call check(all(y == [size - 1, 1 - size, 1, 0] * 1d0), 'an operation of the program''s')
    y = 0
    call MPI_Reduce_local(x, y, 4, MPI_DOUBLE_PRECISION, op IE)
    call check(all(y == x), 'the same, locally')
    call MPI_Op_free(op IE)
    call check(op == MPI_OP_NULL .and. MPI_SUM /= MPI_MAX, 'a freed operation')
  end subroutine

  ! All at once, in one array of requests.
  subroutine pending
    integer :: a(size, 8), b(size, 8), c(size), shift(size), total
    HANDLE(MPI_Request) :: r(10)
    HANDLE(MPI_Datatype) :: types(size)
    logical :: flag
    total = size * (size - 1) / 2
    types = MPI_INTEGER
    shift = 4 * places
    do i = 1, 8
      a(:, i) = rank
    end do
    b = -1
    if (rank == 0) b(:, 1) = 5
    call MPI_Ibarrier(MPI_COMM_WORLD, r(1) IE)
    call MPI_Ibcast(b(:, 1), size, MPI_INTEGER, 0, MPI_COMM_WORLD, r(2) IE)
    call MPI_Iallreduce(a(:, 2), b(:, 2), size, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(3), ierr)
    call MPI_Iallgather(rank, 1, MPI_INTEGER, b(:, 3), 1, MPI_INTEGER, MPI_COMM_WORLD, r(4) IE)
    call MPI_Ialltoall(a(:, 4), 1, MPI_INTEGER, b(:, 4), 1, MPI_INTEGER, MPI_COMM_WORLD, r(5) IE)
    call MPI_Igatherv(rank, 1, MPI_INTEGER, b(:, 5), ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD, r(6) IE)
    call MPI_Ireduce(a(:, 6), b(:, 6), size, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD, r(7) IE)
    call MPI_Iscan(a(:, 7), b(:, 7), size, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(8) IE)
    call MPI_Ireduce_scatter_block(a(:, 8), b(1, 8), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(9) IE)
    call MPI_Ialltoallw(a(:, 1), ones, shift, types, c, ones, shift, types, MPI_COMM_WORLD, r(10) IE)
    call MPI_Testall(10, r, flag, MPI_STATUSES_IGNORE IE)
    if (.not. flag) call MPI_Waitall(10, r, MPI_STATUSES_IGNORE IE)
    call check(all(b(:, 1) == 5), 'ibcast')
    call check(all(b(:, 2) == total), 'iallreduce')
    call check(all(b(:, 3) == places), 'iallgather')
    call check(all(b(:, 4) == places), 'ialltoall')
    call check(all(c == places), 'ialltoallw')
    if (rank == 0) call check(all(b(:, 5) == places), 'igatherv')
    if (rank == 0) call check(all(b(:, 6) == 0), 'ireduce')
    call check(all(b(:, 7) == rank * (rank + 1) / 2), 'iscan')
    call check(b(1, 8) == total, 'ireduce_scatter_block')
  end subroutine

  ! On a ring: everybody has two neighbours, the one below and the one above.
  subroutine neighbours
    HANDLE(MPI_Comm) :: ring
    HANDLE(MPI_Request) :: r
    HANDLE(MPI_Datatype) :: types(2)
    integer(kind=MPI_ADDRESS_KIND) :: at(2)
    integer :: b(2), below, above
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., ring IE)
    call MPI_Cart_shift(ring, 0, 1, below, above IE)
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, b, 1, MPI_INTEGER, ring IE)
    call check(all(b == [below, above]), 'neighbor_allgather')
    b = -1
    call MPI_Ineighbor_allgather(rank, 1, MPI_INTEGER, b, 1, MPI_INTEGER, ring, r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call check(all(b == [below, above]), 'ineighbor_allgather')
    types = MPI_INTEGER
    at = [4, 0]
    call MPI_Neighbor_alltoallw([rank, rank], [1, 1], at, types, b, [1, 1], at, types, ring, ierr)
    call check(all(b == [above, below]), 'neighbor_alltoallw')
    call MPI_Comm_free(ring IE)
  end subroutine
end program
