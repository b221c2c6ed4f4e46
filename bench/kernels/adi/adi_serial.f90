! SPDX-License-Identifier: Apache-2.0
! The whole problem on one rank, line by line; gives the checksum.
integer(8) function adi_serial()
  use adi_data, only: r8, i8, nx, ny, nz, steps, work, place, kernel_random, kernel_share
  implicit none
  real(r8), allocatable :: v(:, :, :), line(:)
  integer :: step, i, j, k
  allocate (v(nz, nx, ny), line(max(nx, ny)))
  do j = 1, ny
    do i = 1, nx
      do k = 1, nz
        v(k, i, j) = kernel_random(place(i, j, k))
      end do
    end do
  end do
  do step = 1, steps
    do j = 1, ny
      do k = 1, nz
        line(1:nx) = v(k, :, j)
        call solve(nx)
        v(k, :, j) = line(1:nx)
      end do
    end do
    do i = 1, nx
      do k = 1, nz
        line(1:ny) = v(k, i, :)
        call solve(ny)
        v(k, i, :) = line(1:ny)
      end do
    end do
  end do
  adi_serial = 0
  do j = 1, ny
    do i = 1, nx
      do k = 1, nz
        adi_serial = adi_serial + kernel_share(v(k, i, j), place(i, j, k))
      end do
    end do
  end do

contains

  ! (1 + 2 kappa) x(i) - kappa x(i-1) - kappa x(i+1) = line(i), then the reaction.
  subroutine solve(n)
    integer, intent(in) :: n
    real(r8) :: c(0:n), d(0:n), kappa, s, m, x
    integer :: at, w
    c(0) = 0.0_r8
    d(0) = 0.0_r8
    do at = 1, n
      kappa = 1.0_r8
      s = 1.0_r8 + 0.5_r8*line(at)*line(at)
      do w = 1, work
        kappa = kappa*(1.5_r8 - 0.5_r8*s*kappa*kappa)
      end do
      kappa = 0.3_r8*kappa
      m = 1.0_r8/(1.0_r8 + 2.0_r8*kappa + kappa*c(at - 1))
      d(at) = (line(at) + kappa*d(at - 1))*m
      c(at) = -kappa*m
    end do
    x = 0.0_r8
    do at = n, 1, -1
      x = d(at) - c(at)*x
      line(at) = x
    end do
    do at = 1, n
      do w = 1, 2*work
        line(at) = line(at) + 0.01_r8*line(at)*(1.0_r8 - line(at))
      end do
    end do
  end subroutine

end function
