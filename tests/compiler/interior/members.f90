! SPDX-License-Identifier: Apache-2.0
! Buffers in allocatable components, unpacked by one index that counts through two loops; an assignment that may
! allocate.
module halos
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1.d0)
  type :: domain
    integer :: width, planes, below, above
    real(dp), allocatable :: out(:,:), in(:,:)
  end type
contains
  subroutine exchange(d, x)
    type(domain), intent(inout) :: d
    real(dp), intent(inout) :: x(0:, 0:, 0:)
    type(MPI_Request) :: requests(4)
    integer :: i, j, m, n
    n = d%width*d%width
    call MPI_Irecv(d%in(:,1), n, MPI_DOUBLE_PRECISION, d%below, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(d%in(:,2), n, MPI_DOUBLE_PRECISION, d%above, 2, MPI_COMM_WORLD, requests(2))
    m = 0
    do j = 1, d%width
      do i = 1, d%width
        m = m + 1
        d%out(m,1) = x(i,j,1)
        d%out(m,2) = x(i,j,d%planes)
      end do
    end do
    call MPI_Isend(d%out(:,2), n, MPI_DOUBLE_PRECISION, d%above, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(d%out(:,1), n, MPI_DOUBLE_PRECISION, d%below, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    m = 0
    do j = 1, d%width
      do i = 1, d%width
        m = m + 1
        if (d%below /= MPI_PROC_NULL) x(i,j,0) = d%in(m,1)
        if (d%above /= MPI_PROC_NULL) x(i,j,d%planes+1) = d%in(m,2)
      end do
    end do
  end subroutine
  subroutine sweep(d, x, y)
    type(domain), intent(in) :: d
    real(dp), intent(in) :: x(0:, 0:, 0:)
    real(dp), intent(out) :: y(0:, 0:, 0:)
    integer :: i, j, k
    do k = 1, d%planes
      do j = 1, d%width
        do i = 1, d%width
          y(i,j,k) = 0.4_dp*x(i,j,k) + 0.1_dp*(x(i-1,j,k) + x(i+1,j,k) + x(i,j-1,k) + x(i,j+1,k) &
            + x(i,j,k-1) + x(i,j,k+1))
        end do
      end do
    end do
  end subroutine
end module
program members
  use halos
  implicit none
  type(domain) :: d
  real(dp), allocatable :: x(:,:,:), y(:,:,:)
  integer :: rank, ranks, step, i, j, k
  real(dp) :: total
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  d%width = 30; d%planes = 8
  d%below = merge(rank-1, MPI_PROC_NULL, rank > 0)
  d%above = merge(rank+1, MPI_PROC_NULL, rank < ranks-1)
  allocate(d%out(900,2), d%in(900,2), x(0:31,0:31,0:9), y(0:31,0:31,0:9))
  do k = 0, 9
    do j = 0, 31
      do i = 0, 31
        x(i,j,k) = mod(i*31 + j*17 + k*7 + rank, 100)
      end do
    end do
  end do
  y = x
  do step = 1, 5
    call exchange(d, x)
    call sweep(d, x, y)
    x = y
  end do
  total = 0
  do k = 1, d%planes
    do j = 1, d%width
      do i = 1, d%width
        total = total*0.99_dp + x(i,j,k)
      end do
    end do
  end do
  print '(a,i0,1x,z16.16)', 'members ', rank, total
  print '(a,i0)', 'done ', rank
  call MPI_Finalize()
end program
