! SPDX-License-Identifier: Apache-2.0
! An optional error argument that is absent is handed on to MPI. Two ranks.
module sending
  use mpi_f08
  implicit none
  integer, parameter :: many = 400000
  real(8) :: x(many), w(4096)
contains
  recursive subroutine put(n, ierr)
    integer, intent(in) :: n
    integer, optional, intent(out) :: ierr
    integer :: i, k
    if (n == 0) then
      call MPI_Send(x, many, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
      do k = 1, 50
        do i = 1, 4096
          w(i) = w(i) * 0.5d0 + mod(i, k)
        end do
      end do
    else
      call put(n - 1, ierr)
      w(1) = w(1) + 1
    end if
  end subroutine
end module
program optional
  use sending
  implicit none
  integer :: rank, ierr
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  w = 0; x = 1
  if (rank == 0) then
    call put(rank + 2)
    call put(rank + 1, ierr)
    print *, sum(w), ierr
  else
    call MPI_Recv(x, many, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(x, many, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    print *, sum(x)
  end if
  call MPI_Finalize()
end program
