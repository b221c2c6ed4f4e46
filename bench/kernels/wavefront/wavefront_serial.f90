! SPDX-License-Identifier: Apache-2.0
! The whole grid on one rank; gives the checksum.
integer(8) function wavefront_serial()
  use wavefront_data, only: r8, whole, steps, work, species, place, initial, kernel_random, kernel_share
  implicit none
  real(r8), allocatable :: v(:, :, :, :), field(:, :, :), d(:, :, :)
  integer :: step, m, i, j, k, w

  allocate (v(species, 0:whole(1) + 1, 0:whole(2) + 1, 0:whole(3) + 1), field(whole(1), whole(2), whole(3)), &
            d(whole(1), whole(2), whole(3)))
  v = 0.0_r8
  do k = 1, whole(3)
    do j = 1, whole(2)
      do i = 1, whole(1)
        field(i, j, k) = 1.0_r8 + kernel_random(place(i, j, k))
        do m = 1, species
          v(m, i, j, k) = initial(m, i, j, k)
        end do
      end do
    end do
  end do
  d = 0.5_r8
  do w = 1, work
    d = d*(1.5_r8 - 0.5_r8*field*d*d)
  end do
  d = 1.0_r8/(6.0_r8 + d)
  do step = 1, steps
    do k = 1, whole(3)
      do j = 1, whole(2)
        do i = 1, whole(1)
          call relax()
        end do
      end do
    end do
    do k = whole(3), 1, -1
      do j = whole(2), 1, -1
        do i = whole(1), 1, -1
          call relax()
        end do
      end do
    end do
  end do
  wavefront_serial = 0
  do k = 1, whole(3)
    do j = 1, whole(2)
      do i = 1, whole(1)
        do m = 1, species
          wavefront_serial = wavefront_serial + kernel_share(v(m, i, j, k), m + species*place(i, j, k))
        end do
      end do
    end do
  end do

contains

  subroutine relax()
    do m = 1, species
      v(m, i, j, k) = d(i, j, k)*(0.1_r8*m*field(i, j, k) + ((v(m, i - 1, j, k) + v(m, i + 1, j, k)) &
                                  + (v(m, i, j - 1, k) + v(m, i, j + 1, k)) + (v(m, i, j, k - 1) + v(m, i, j, k + 1))))
    end do
  end subroutine

end function
