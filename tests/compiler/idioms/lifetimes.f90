! SPDX-License-Identifier: Apache-2.0
! The error of a send that may start above its call lies in a variable that does not
! live there yet; another that does may have its place. Two ranks.
module steps
  implicit none
  integer, parameter :: many = 400000
  real(8) :: x(many), w(4096)
  integer :: n_x, type_x, to_x, tag_x, comm_x
contains
  subroutine compute(n)
    integer, intent(in) :: n
    integer :: tmp(64), i, k
    do i = 1, 64
      tmp(i) = i * n + 1000
    end do
    do i = 1, many
      x(i) = tmp(iand(i, 63) + 1)
    end do
    do k = 1, 50
      do i = 1, 4096
        w(i) = w(i) * 0.5d0 + tmp(iand(i, 63) + 1)
      end do
    end do
    w(1) = sum(tmp)
  end subroutine
  subroutine give()
    use mpi
    integer :: ierr
    call MPI_Send(x, n_x, type_x, to_x, tag_x, comm_x, ierr)
    w(2) = w(2) + 1
  end subroutine
  subroutine step(n)
    integer, intent(in) :: n
    call compute(n)
    call give()
  end subroutine
end module
program lifetimes
  use mpi
  use steps
  implicit none
  integer :: ierr, rank
  real(8) :: s
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  w = 0; n_x = many; type_x = MPI_DOUBLE_PRECISION; to_x = 1; tag_x = 1; comm_x = MPI_COMM_WORLD
  if (rank == 0) then
    call step(rank + 1)
    print *, w(1), sum(w)
  else
    call MPI_Recv(x, many, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print *, sum(x)
  end if
  call MPI_Finalize(ierr)
end program
