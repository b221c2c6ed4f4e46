! SPDX-License-Identifier: Apache-2.0
!
! substitute.c in Fortran.
! usage: mpiexec -n 2 substitute [ROWS [STEPS]]
program substitute
  use mpi
  use lapwing
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: system_tag = 0, series_tag = 1, block_tag = 2, blocks = 4
  integer :: rank, size, ierr, n, steps, step, i, k
  real(8), allocatable :: rows(:, :), series(:)
  real(8), allocatable, asynchronous :: block(:, :)
  real(8) :: sum, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  n = argument(1, 2**17)
  steps = argument(2, 4)
  if (n < 1) then
    write (error_unit, "(a)") "substitute: there must be rows"
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  allocate (rows(3, n), series(n), block(n, blocks))

  sum = 0
  do step = 0, steps - 1
    if (mod(rank, 2) == 1) then
      sum = sum + received(rank - 1)
    else if (rank + 1 < size) then
      do i = 1, n
        rows(:, i) = [4.0d0, 1.0d0, real(mod(i - 1 + step, 11), 8)]
        series(i) = mod(i - 1 + 2 * step, 7)
        do k = 1, blocks
          block(i, k) = mod(i + k - 2 + step, 5)
        end do
      end do
      call send_all(rank + 1)
    end if
  end do
  call MPI_Reduce(sum, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print "(a, i0, a, i0, a, f0.6)", "substitute: ", n, " rows, ", steps, " steps, checksum ", all
  call MPI_Finalize(ierr)

contains

  integer function argument(number, usual)
    integer, intent(in) :: number, usual
    character(20) :: text
    argument = usual
    if (command_argument_count() < number) return
    call get_command_argument(number, text)
    read (text, *) argument
  end function

  subroutine send_all(to)
    integer, intent(in) :: to
    integer :: sent(blocks)
    integer(c_int) :: status

    ! Back substitution begins with the last row: strips travel from the end.
    status = lapwing_set_order(LAPWING_ORDER_DOWN)
    call MPI_Send(rows, 3 * n, MPI_DOUBLE_PRECISION, to, system_tag, MPI_COMM_WORLD, ierr)
    status = lapwing_reset_hints()

    ! The first elements are wanted early: strips of 16 KiB that grow to 128 KiB.
    status = lapwing_set_decomposition(int(16 * 1024, c_size_t), int(128 * 1024, c_size_t))
    call MPI_Send(series, n, MPI_DOUBLE_PRECISION, to, series_tag, MPI_COMM_WORLD, ierr)
    status = lapwing_reset_hints()

    ! The later blocks are hidden behind the earlier ones, and travel whole once two are on their way.
    status = lapwing_set_train(2_c_int)
    do k = 1, blocks
      call MPI_Isend(block(1, k), n, MPI_DOUBLE_PRECISION, to, block_tag + k, MPI_COMM_WORLD, sent(k), ierr)
    end do
    status = lapwing_reset_hints()
    call MPI_Waitall(blocks, sent, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  real(8) function received(from) result(total)
    integer, intent(in) :: from
    integer :: coming(blocks)
    real(8) :: x

    call MPI_Recv(rows, 3 * n, MPI_DOUBLE_PRECISION, from, system_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    x = 0
    total = 0
    do i = n, 1, -1
      x = (rows(3, i) - rows(2, i) * x) / rows(1, i)
      total = total + x
    end do
    call MPI_Recv(series, n, MPI_DOUBLE_PRECISION, from, series_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, n
      total = 0.5d0 * total + series(i)
    end do

    do k = 1, blocks
      call MPI_Irecv(block(1, k), n, MPI_DOUBLE_PRECISION, from, block_tag + k, MPI_COMM_WORLD, coming(k), ierr)
    end do
    do k = 1, blocks
      call MPI_Wait(coming(k), MPI_STATUS_IGNORE, ierr)
      do i = 1, n
        total = 0.25d0 * total + block(i, k)
      end do
    end do
  end function

end program
