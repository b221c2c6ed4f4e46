! SPDX-License-Identifier: Apache-2.0
! Windows, files, topologies and MPI_Sizeof through mpi or mpi_f08.
#include "interface.inc"
program storage
  use MODULE
  use checks
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: rank, size, ierr, n, i
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IE)
  call MPI_Comm_size(MPI_COMM_WORLD, size IE)
  call cartesian
  call graphs
  call sizes
  call windows
  call passive
  call memory
  call files
  call views
  call MPI_Finalize(ierr)
  call finish(34)
contains

  subroutine cartesian
    HANDLE(MPI_Comm) :: grid, row
    integer :: dims(2), coords(2), above, below
    logical :: periods(2)
    dims = 0
    call MPI_Dims_create(size, 2, dims IE)
    call check(product(dims) == size, 'dims_create')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid IE)
    call MPI_Topo_test(grid, n IE)
    call check(n == MPI_CART, 'topo_test')
    call MPI_Cartdim_get(grid, n IE)
    call check(n == 2, 'cartdim_get')
    call MPI_Cart_get(grid, 2, dims, periods, coords IE)
    call check(periods(1) .and. .not. periods(2), 'logical arrays')
    call MPI_Cart_rank(grid, coords, n IE)
    call check(n == rank, 'cart_rank')
    call MPI_Cart_coords(grid, rank, 2, dims, ierr)
    call check(all(dims == coords), 'cart_coords')
    call MPI_Cart_shift(grid, 1, 1, below, above IE)
    call check((below == MPI_PROC_NULL) .eqv. coords(2) == 0, 'cart_shift')
    call MPI_Cart_sub(grid, [.false., .true.], row IE)
    call MPI_Comm_rank(row, n IE)
    call check(n == coords(2), 'cart_sub')
    call MPI_Comm_free(row IE)
    call MPI_Comm_free(grid IE)
  end subroutine

  subroutine graphs
    HANDLE(MPI_Comm) :: ring
    integer :: into, out, sources(1), destinations(1), weights(1), others(1)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, size)], MPI_UNWEIGHTED, 1, &
                                        [modulo(rank + 1, size)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring IE)
    call MPI_Dist_graph_neighbors_count(ring, into, out, flag IE)
    call check(into == 1 .and. out == 1 .and. .not. flag, 'no weights')
    call MPI_Dist_graph_neighbors(ring, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED IE)
    call check(sources(1) == modulo(rank - 1, size) .and. destinations(1) == modulo(rank + 1, size), 'neighbours')
    call MPI_Comm_free(ring IE)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [modulo(rank + 1, size)], [7], MPI_INFO_NULL, .false., &
                               ring, ierr)
    call MPI_Dist_graph_neighbors(ring, 1, sources, weights, 1, destinations, others IE)
    call check(weights(1) == 7 .and. others(1) == 7, 'weights')
    call MPI_Comm_free(ring IE)
    call MPI_Graph_create(MPI_COMM_WORLD, 2, [1, 2], [1, 0], .false., ring IE)
    if (ring /= MPI_COMM_NULL) then
      call MPI_Graphdims_get(ring, n, i IE)
      call check(n == 2 .and. i == 2, 'graphdims_get')
      call MPI_Comm_free(ring IE)
    end if
  end subroutine

  subroutine sizes
    real(8) :: a(3, 3)
    complex :: c
    integer(2), allocatable :: s(:)
    character(len=3) :: word
    allocate (s(5))
    call MPI_Sizeof(a, n, ierr)
    call check(n == 8 .and. ierr == MPI_SUCCESS, 'sizeof an array')
    call MPI_Sizeof(a(2, :), n IE)
    call check(n == 8, 'sizeof a row')
    call MPI_Sizeof(c, n IE)
    call MPI_Sizeof(s, i IE)
    call check(n == 8 .and. i == 2, 'sizeof a scalar, an allocatable')
    call MPI_Sizeof(word, n IE)
    call MPI_Sizeof(.true., i IE)
    call check(n == 3 .and. i == 4, 'sizeof others')
  end subroutine

  subroutine windows
    integer :: mine(4), got(4), other
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Group) :: world, one
    other = modulo(rank + 1, size)
    mine = 10 * rank
    call MPI_Win_create(mine, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Put([rank + 1], 1, MPI_INTEGER, other, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win IE)
    call MPI_Get(got, 1, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win IE)
    call MPI_Accumulate(rank, 1, MPI_INTEGER, 0, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win, ierr)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win IE)
    call check(mine(2) == modulo(rank - 1, size) + 1 .and. got(1) == 10 * other, 'put and get')
    if (rank == 0) call check(mine(3) == size * (size - 1) / 2, 'accumulate')
    call MPI_Win_get_group(win, world IE)
    call MPI_Group_incl(world, 1, [merge(1, 0, rank == 0)], one IE)
    if (rank == 1) then
      call MPI_Win_post(one, 0, win IE)
      call MPI_Win_wait(win IE)
      call check(mine(4) == 77, 'post and wait')
    else if (rank == 0) then
      call MPI_Win_start(one, 0, win IE)
      call MPI_Put(77, 1, MPI_INTEGER, 1, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win IE)
      call MPI_Win_complete(win IE)
    end if
    call MPI_Group_free(one IE)
    call MPI_Group_free(world IE)
    call MPI_Win_free(win IE)
  end subroutine

  subroutine passive
    integer(kind=MPI_ADDRESS_KIND) :: bytes, value
    integer, pointer :: mine(:)
    integer :: unit, old, other
    type(c_ptr) :: base
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Request) :: r
    other = modulo(rank + 1, size)
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win IE)
    call c_f_pointer(base, mine, [4])
    mine = rank
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag IE)
    call check(flag .and. value == 16, 'the size of a window')
    call MPI_Barrier(MPI_COMM_WORLD IE)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win IE)
    call MPI_Fetch_and_op(5, old, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, MPI_SUM, win IE)
    call MPI_Win_unlock(other, win IE)
    call check(old == other, 'fetch_and_op')
    call MPI_Win_lock_all(0, win IE)
    call MPI_Compare_and_swap(99, other + 5, old, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, win IE)
    call MPI_Win_flush(other, win IE)
    call check(old == other + 5, 'compare_and_swap')
    call MPI_Rget(old, 1, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call MPI_Win_unlock_all(win, ierr)
    call check(old == 99, 'rget')
    call MPI_Barrier(MPI_COMM_WORLD IE)
    call MPI_Win_free(win IE)
    call MPI_Win_allocate_shared(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win IE)
    call c_f_pointer(base, mine, [1])
    call MPI_Win_fence(0, win IE)
    mine = 1000 + rank
    call MPI_Win_fence(0, win IE)
    call MPI_Win_shared_query(win, other, bytes, unit, base IE)
    call c_f_pointer(base, mine, [1])
    call check(mine(1) == 1000 + other .and. bytes == 4 .and. unit == 4, 'shared_query')
    call MPI_Win_fence(0, win IE)
    call MPI_Win_free(win IE)
  end subroutine

  subroutine memory
    type(c_ptr) :: base
    real(8), pointer :: x(:)
    call MPI_Alloc_mem(800_MPI_ADDRESS_KIND, MPI_INFO_NULL, base IE)
    call c_f_pointer(base, x, [100])
    x = rank
    call MPI_Allreduce(MPI_IN_PLACE, x, 100, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD IE)
    call check(all(x == size - 1), 'alloc_mem')
    call MPI_Free_mem(x IE)
#if !defined(USE_F08)
    call plain_memory
#endif
  end subroutine

#if !defined(USE_F08)
  subroutine plain_memory
    integer(kind=MPI_ADDRESS_KIND) :: base, at
    real(8) :: x(1)
    pointer(where, x)
    call MPI_Alloc_mem(8_MPI_ADDRESS_KIND, MPI_INFO_NULL, base, ierr)
    where = base
    x = 5
    call MPI_Get_address(x, at, ierr)
    call check(at == base .and. x(1) == 5, 'alloc_mem, as a number')
    call MPI_Free_mem(x, ierr)
  end subroutine
#endif

  subroutine files
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Request) :: r
    HANDLE(MPI_Info) :: info
    STATUS(s)
    integer :: a(10), b(10)
    integer(kind=MPI_OFFSET_KIND) :: offset, bytes
    call MPI_File_open(MPI_COMM_WORLD, 'storage.tmp', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file IE)
    call check(file /= MPI_FILE_NULL, 'file_open')
    call MPI_File_set_size(file, 0_MPI_OFFSET_KIND IE)
    call MPI_File_set_atomicity(file, .true. IE)
    call MPI_File_get_atomicity(file, flag IE)
    call check(flag, 'atomicity')
    a = rank
    offset = 40 * rank
    call MPI_File_write_at_all(file, offset, a, 10, MPI_INTEGER, s IE)
    call MPI_Get_count(s, MPI_INTEGER, n IE)
    call check(n == 10, 'written')
    call MPI_File_sync(file IE)
    call MPI_Barrier(MPI_COMM_WORLD IE)
    call MPI_File_get_size(file, bytes IE)
    call check(bytes == 40 * size, 'get_size')
    b = -1
    offset = 40 * modulo(rank + 1, size)
    call MPI_File_read_at(file, offset, b(1:9:2), 5, MPI_INTEGER, MPI_STATUS_IGNORE IE)
    call check(all(b(1:9:2) == modulo(rank + 1, size)) .and. all(b(2:10:2) == -1), 'into a section')
    call MPI_File_iread_at(file, offset, b, 10, MPI_INTEGER, r, ierr)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call check(all(b == modulo(rank + 1, size)), 'iread_at')
    call MPI_File_seek(file, 8_MPI_OFFSET_KIND, MPI_SEEK_SET IE)
    call MPI_File_read(file, b, 1, MPI_INTEGER, s IE)
    call MPI_File_get_position(file, offset IE)
    call check(b(1) == 0 .and. offset == 12, 'read')
    call MPI_File_get_info(file, info IE)
    call MPI_Info_free(info IE)
    call MPI_File_get_amode(file, n IE)
    call check(n == MPI_MODE_CREATE + MPI_MODE_RDWR, 'amode')
    call MPI_File_close(file IE)
    call check(file == MPI_FILE_NULL, 'a closed file')
  end subroutine

  ! Each rank sees every size-th integer.
  subroutine views
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: column, etype, filetype
    integer :: a(4), b(4)
    integer(kind=MPI_OFFSET_KIND) :: shift
    character(len=MPI_MAX_DATAREP_STRING) :: representation
    call MPI_File_open(MPI_COMM_WORLD, 'storage.tmp', ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE), MPI_INFO_NULL, file IE)
    call MPI_Type_create_subarray(1, [size], [1], [rank], MPI_ORDER_FORTRAN, MPI_INTEGER, column IE)
    call MPI_Type_commit(column IE)
    shift = 0
    call MPI_File_set_view(file, shift, MPI_INTEGER, column, 'native', MPI_INFO_NULL IE)
    call MPI_File_get_view(file, shift, etype, filetype, representation IE)
    call check(representation == 'native' .and. etype == MPI_INTEGER .and. shift == 0, 'get_view')
    a = [(100 * rank + i, i=1, 4)]
    call MPI_File_write_all(file, a, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_set_view(file, shift, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL IE)
    call MPI_File_read_at_all_begin(file, int(size, MPI_OFFSET_KIND), b, 1, MPI_INTEGER IE)
    call MPI_File_read_at_all_end(file, b, MPI_STATUS_IGNORE IE)
    call check(b(1) == 2, 'what rank 0 wrote second')
    call MPI_File_close(file IE)
    call MPI_Type_free(column IE)
    inquire (file='storage.tmp', exist=flag)
    call MPI_Barrier(MPI_COMM_WORLD IE)
    call check(.not. flag, 'deleted on close')
  end subroutine
end program
