! SPDX-License-Identifier: Apache-2.0
! The whole problem on one rank, recursively and with arrays of its own for each
! level; gives the checksum.
integer(8) function multigrid_serial()
  use multigrid_data, only: r8, whole, cycles, place, kernel_random, kernel_share
  implicit none
  real(r8), allocatable :: solution(:, :, :), source(:, :, :)
  integer :: i, j, k, cycle_

  allocate (solution(0:whole(1) + 1, 0:whole(2) + 1, 0:whole(3) + 1), source(whole(1), whole(2), whole(3)))
  solution = 0.0_r8
  do k = 1, whole(3)
    do j = 1, whole(2)
      do i = 1, whole(1)
        source(i, j, k) = kernel_random(place(1, i, j, k)) - 0.5_r8
      end do
    end do
  end do
  do cycle_ = 1, cycles
    call multigrid_descend(1, solution, source, whole(1), whole(2), whole(3))
  end do
  multigrid_serial = 0
  do k = 1, whole(3)
    do j = 1, whole(2)
      do i = 1, whole(1)
        multigrid_serial = multigrid_serial + kernel_share(solution(i, j, k), place(1, i, j, k))
      end do
    end do
  end do

end function

! One level of a V-cycle for A v = g, and all below it.
recursive subroutine multigrid_descend(level, v, g, n1, n2, n3)
  use multigrid_data, only: r8, levels, work, place, pre_sweeps, post_sweeps, coarse_sweeps, damping, kernel_random
  implicit none
  integer, intent(in) :: level, n1, n2, n3
  real(r8), intent(inout) :: v(0:n1 + 1, 0:n2 + 1, 0:n3 + 1)
  real(r8), intent(in) :: g(n1, n2, n3)
  real(r8), allocatable :: rest(:, :, :), sigma(:, :, :), deeper(:, :, :), mean(:, :, :)
  real(r8) :: s
  integer :: a, b, c, w, sweep
  allocate (rest(n1, n2, n3), sigma(n1, n2, n3))
  do c = 1, n3
    do b = 1, n2
      do a = 1, n1
        s = 1.0_r8 + kernel_random(place(level, a, b, c))
        sigma(a, b, c) = 0.5_r8
        do w = 1, work
          sigma(a, b, c) = sigma(a, b, c)*(1.5_r8 - 0.5_r8*s*sigma(a, b, c)*sigma(a, b, c))
        end do
      end do
    end do
  end do
  if (level == levels) then
    do sweep = 1, coarse_sweeps
      call smooth()
    end do
    return
  end if
  do sweep = 1, pre_sweeps
    call smooth()
  end do
  call form_rest()
  allocate (deeper(0:n1/2 + 1, 0:n2/2 + 1, 0:n3/2 + 1), mean(n1/2, n2/2, n3/2))
  deeper = 0.0_r8
  do c = 2, n3, 2
    do b = 2, n2, 2
      do a = 2, n1, 2
        mean(a/2, b/2, c/2) = 0.125_r8*(rest(a - 1, b - 1, c - 1) + rest(a, b - 1, c - 1) + rest(a - 1, b, c - 1) &
                                        + rest(a, b, c - 1) + rest(a - 1, b - 1, c) + rest(a, b - 1, c) &
                                        + rest(a - 1, b, c) + rest(a, b, c))
      end do
    end do
  end do
  call multigrid_descend(level + 1, deeper, mean, n1/2, n2/2, n3/2)
  do c = 1, n3
    do b = 1, n2
      do a = 1, n1
        v(a, b, c) = v(a, b, c) + deeper((a + 1)/2, (b + 1)/2, (c + 1)/2)
      end do
    end do
  end do
  do sweep = 1, post_sweeps
    call smooth()
  end do

contains

  subroutine form_rest()
    real(r8) :: scale
    integer :: x, y, z
    scale = 0.25_r8**(level - 1)
    do z = 1, n3
      do y = 1, n2
        do x = 1, n1
          rest(x, y, z) = g(x, y, z) - ((6.0_r8*scale + sigma(x, y, z))*v(x, y, z) &
                                        - scale*(v(x - 1, y, z) + v(x + 1, y, z) + v(x, y - 1, z) + v(x, y + 1, z) &
                                                 + v(x, y, z - 1) + v(x, y, z + 1)))
        end do
      end do
    end do
  end subroutine

  subroutine smooth()
    real(r8) :: factor
    call form_rest()
    factor = damping/(6.0_r8*0.25_r8**(level - 1) + 0.8_r8)
    v(1:n1, 1:n2, 1:n3) = v(1:n1, 1:n2, 1:n3) + factor*rest
  end subroutine

end subroutine
