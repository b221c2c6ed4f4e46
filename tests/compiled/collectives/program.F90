! SPDX-License-Identifier: Apache-2.0
! Collectives of Fortran programs that are split, by each of MPI's interfaces.
program collectives
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: length = 6000
  integer :: rank, n, ierr, round
  integer :: a(length), b(4 * length), counts(4), places(4)
  double precision :: work(40000)
  work = 1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  do round = 0, n - 1
    call from(round)
    call among()
  end do
  if (rank == 0 .and. sum(work) > 0) print '(a)', 'everything adds up'
  call MPI_Finalize(ierr)

contains

  subroutine compute()
    integer :: i
    do i = 1, 40000
      work(i) = work(i) * 0.5d0 + i
    end do
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a, i2, 2a)', 'rank', rank, ': something else came of ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine

  subroutine from(root)
    integer, intent(in) :: root
    integer :: i
    a = [(rank * 100000 + i, i = 1, length)]
    call MPI_Bcast(a, length, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    call compute()
    call expect(all(a == [(root * 100000 + i, i = 1, length)]), 'MPI_Bcast')
    a = [(rank * 100000 + i, i = 1, length)]
    b = -1
    counts = length - [0, 1, 2, 3]
    places = length * [0, 1, 2, 3]
    call MPI_Gatherv(a, length - rank, MPI_INTEGER, b, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    call compute()
    if (ierr /= MPI_SUCCESS) stop 4
    if (rank == root) then
      do i = 0, n - 1
        call expect(b(i * length + 1) == i * 100000 + 1 .and. b((i + 1) * length - i) == (i + 1) * 100000 - 100000 + length - i, &
                    'MPI_Gatherv')
      end do
    end if
  end subroutine

  subroutine among()
    integer :: i
    a = [(rank + i, i = 1, length)]
    call MPI_Allreduce(MPI_IN_PLACE, a, length, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call compute()
    call expect(all(a == [(n * i + n * (n - 1) / 2, i = 1, length)]), 'MPI_Allreduce')
    a = [(rank * 100000 + i, i = 1, length)]
    call MPI_Allgather(a, length, MPI_INTEGER, b, length, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call compute()
    do i = 0, n - 1
      call expect(b(i * length + 1) == i * 100000 + 1 .and. b((i + 1) * length) == i * 100000 + length, 'MPI_Allgather')
    end do
  end subroutine
end program
