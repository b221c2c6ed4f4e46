! SPDX-License-Identifier: Apache-2.0
!
! multiply.c in Fortran, where each process has some columns: those of A are read from their owners, block
! after block, first as they are needed, then a block ahead, and the product is written to the first process.
! usage: mpiexec -n N multiply [SIZE]     N divides SIZE
program multiply_matrices
  use mpi
  use lapwing_memory
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  implicit none
  integer :: rank, size, ierr, n, columns, i, j, k, owner, a_window, whole_window
  integer(int64) :: checksum
  integer(c_size_t) :: bytes
  type(c_ptr) :: base
  type(lapwing_memory_handle) :: next
  real(8), pointer :: a(:, :), whole(:, :)
  real(8), allocatable :: b(:, :), product(:, :), again(:, :)
  real(8), allocatable, asynchronous :: block(:, :, :)
  logical :: same
  character(20) :: argument

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  n = 240
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  columns = n / size
  if (columns == 0 .or. columns * size /= n) then
    write (error_unit, *) "multiply: the processes cannot share the columns"
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if

  bytes = 8_c_size_t * n * columns
  call lapwing_memory_allocate(bytes, MPI_COMM_WORLD, base, a_window)
  call c_f_pointer(base, a, [n, columns])
  call lapwing_memory_allocate(merge(bytes * size, 0_c_size_t, rank == 0), MPI_COMM_WORLD, base, whole_window)
  if (rank == 0) call c_f_pointer(base, whole, [n, n])
  allocate (b(n, columns), product(n, columns), again(n, columns), block(n, columns, 0:1))
  do j = 1, columns
    do i = 1, n
      a(i, j) = mod(rank * columns + j + 2 * i, 7)
      b(i, j) = mod(3 * (rank * columns + j) + i, 5)
    end do
  end do
  product = 0
  again = 0
  call lapwing_memory_barrier(a_window, MPI_COMM_WORLD)

  do k = 0, size - 1
    owner = mod(rank + k, size)
    call lapwing_memget(block(:, :, 0), 0_c_intptr_t, owner, bytes, a_window)
    call multiply(block(:, :, 0), owner, product)
  end do
  call lapwing_memput(rank * int(bytes, c_intptr_t), 0, product, bytes, whole_window)

  call lapwing_memget_nb(block(:, :, 0), 0_c_intptr_t, rank, bytes, a_window, next)
  do k = 0, size - 1
    owner = mod(rank + k, size)
    call lapwing_memory_wait(next)
    if (k + 1 < size) then
      call lapwing_memget_nb(block(:, :, mod(k + 1, 2)), 0_c_intptr_t, mod(owner + 1, size), bytes, a_window, next)
    end if
    call multiply(block(:, :, mod(k, 2)), owner, again)
  end do
  same = all(product == again)

  call lapwing_memory_barrier(whole_window, MPI_COMM_WORLD)
  if (rank == 0) then
    checksum = 0
    do j = 1, n
      do i = 1, n
        checksum = mod(checksum * 31 + int(whole(i, j), int64), 1000000007_int64)
      end do
    end do
    print "(a, i0, a, i0, a)", "multiply: ", n, " columns, checksum ", checksum, &
      merge(", twice the same    ", ", not the same again", same)
  end if
  call lapwing_memory_free(whole_window)
  call lapwing_memory_free(a_window)
  call MPI_Finalize(ierr)
  if (.not. same) error stop

contains

  ! result += the owner's columns, times its rows of b
  subroutine multiply(columns_of_a, owner, result)
    real(8), intent(in) :: columns_of_a(:, :)
    integer, intent(in) :: owner
    real(8), intent(inout) :: result(:, :)
    integer :: j, k
    do j = 1, columns
      do k = 1, columns
        result(:, j) = result(:, j) + columns_of_a(:, k) * b(owner * columns + k, j)
      end do
    end do
  end subroutine
end program multiply_matrices
