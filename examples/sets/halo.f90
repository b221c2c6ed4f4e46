! SPDX-License-Identifier: Apache-2.0
!
! Declared communication: cells on a ring of processes. Each step declares what it receives and
! sends, and computes; the transfers take place when both sides can. `lwfc --declared` puts in the
! waits before the program touches what was declared, so the inner cells are computed while the
! outer ones travel.
!
!   lwfc --declared examples/sets/halo.f90 -o halo && mpiexec -n 2 ./halo [STEPS]     any number of processes
program halo
  use mpi
  use lapwing
  implicit none
  integer, parameter :: cells = 50, to_left = 1, to_right = 2
  real(8), target :: u(0:cells + 1), next(cells)  ! the outer ones belong to the neighbours
  real(8), allocatable :: ring(:)
  integer :: steps, rank, processes, left, right, i, step, wrong, any, ierr
  character(len=16) :: word
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  steps = 20
  call get_command_argument(1, word)
  if (word /= "") read (word, *) steps
  left = mod(rank + processes - 1, processes)
  right = mod(rank + 1, processes)
  do i = 1, cells
    u(i) = first_value(rank * cells + i - 1)
  end do
  do step = 1, steps
    call lapwing_declare_send(u(1:1), 1, MPI_DOUBLE_PRECISION, left, to_left, MPI_COMM_WORLD)
    call lapwing_declare_send(u(cells:cells), 1, MPI_DOUBLE_PRECISION, right, to_right, MPI_COMM_WORLD)
    call lapwing_declare_recv(u(0:0), 1, MPI_DOUBLE_PRECISION, left, to_right, MPI_COMM_WORLD)
    call lapwing_declare_recv(u(cells + 1:cells + 1), 1, MPI_DOUBLE_PRECISION, right, to_left, MPI_COMM_WORLD)
    do i = 2, cells - 1
      next(i) = 0.25d0 * u(i - 1) + 0.5d0 * u(i) + 0.25d0 * u(i + 1)
    end do
    next(1) = 0.25d0 * u(0) + 0.5d0 * u(1) + 0.25d0 * u(2)
    next(cells) = 0.25d0 * u(cells - 1) + 0.5d0 * u(cells) + 0.25d0 * u(cells + 1)
    do i = 1, cells
      u(i) = next(i)
    end do
  end do
  call lapwing_complete()

  ! The same by one process, on the whole ring.
  ring = [(first_value(i), i=0, processes * cells - 1)]
  do step = 1, steps
    ring = 0.25d0 * cshift(ring, -1) + 0.5d0 * ring + 0.25d0 * cshift(ring, 1)
  end do
  wrong = merge(1, 0, maxval(abs(u(1:cells) - ring(rank * cells + 1:(rank + 1) * cells))) > 1d-12)
  call MPI_Reduce(wrong, any, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,2a)', "halo: ", steps, " steps on ", processes, " processes, ", &
    trim(merge("verified", "WRONG   ", any == 0))
  call MPI_Finalize(ierr)
  if (wrong /= 0) error stop

contains

  real(8) function first_value(cell)
    integer, intent(in) :: cell
    first_value = mod(cell * cell, 17)
  end function
end program
