! SPDX-License-Identifier: Apache-2.0
! Multigrid V-cycles for a Helmholtz problem, cell by cell: -laplace(u) + sigma u
! = f with u = 0 around. sigma is the inverse square root of a random field.
! Every level of every quantity lies in one array; a level's points, ghost
! planes included, start behind `offset`.
module multigrid_data
  use kernel
  implicit none
  integer, parameter :: most_points = 20000000, most_face = 256*256, most_levels = 10
  integer, parameter :: pre_sweeps = 2, post_sweeps = 2, coarse_sweeps = 8
  real(r8), parameter :: damping = 0.8_r8

  integer :: whole(3), parts(3), part(3), levels, cycles, work, slabs
  integer :: neighbour(2, 3)  ! below and above along each axis; -1 for none
  integer :: n(3, most_levels), offset(most_levels + 1)
  logical :: spoil

  real(r8) :: u(most_points), f(most_points), r(most_points), s(most_points)
  ! Everybody's buffers: 1 and 2 are filled for the plane below and above of one
  ! axis after the other, 3 to 8 receive; 9 to 14 are the hand version's for sending.
  real(r8) :: buff(most_face, 14)
  integer(i8) :: bits(most_face, 14)
  equivalence(buff, bits)
  integer :: requests(2, 3)
  integer(i8) :: received

contains

  pure integer(i8) function place(level, i, j, k)
    integer, intent(in) :: level, i, j, k
    place = ((int(level, i8)*1024 + k)*1024 + j)*1024 + i
  end function

  ! Blocks, levels and the neighbours; false where it cannot be divided so.
  logical function divide(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: axis, left, level
    parts = 1
    left = ranks
    do axis = 3, 1, -1
      if (modulo(left, 2) == 0) then
        parts(axis) = 2
        left = left/2
      end if
    end do
    divide = left == 1
    part = (/modulo(rank, parts(1)), modulo(rank/parts(1), parts(2)), rank/(parts(1)*parts(2))/)
    neighbour = -1
    do axis = 1, 3
      left = 1
      if (axis > 1) left = product(parts(1:axis - 1))
      if (part(axis) > 0) neighbour(1, axis) = rank - left
      if (part(axis) < parts(axis) - 1) neighbour(2, axis) = rank + left
    end do
    ! Down to four points along the shortest side.
    levels = 1
    do while (minval(whole)/2**levels >= 4)
      levels = levels + 1
    end do
    offset(1) = 0
    do level = 1, levels
      n(:, level) = whole/parts/2**(level - 1)
      offset(level + 1) = offset(level) + product(n(:, level) + 2)
    end do
  end function

  ! Sets all levels, or gives the checksum of the finest one's solution.
  integer(i8) function each_point(initial)
    logical, intent(in) :: initial
    integer :: level, i, j, k, q
    integer(i8) :: where_
    each_point = 0
    do level = 1, merge(levels, 1, initial)
      q = offset(level)
      do k = 0, n(3, level) + 1
        do j = 0, n(2, level) + 1
          do i = 0, n(1, level) + 1
            q = q + 1
            where_ = place(level, part(1)*n(1, level) + i, part(2)*n(2, level) + j, part(3)*n(3, level) + k)
            if (initial) then
              u(q) = 0.0_r8
              r(q) = 0.0_r8
              f(q) = 0.0_r8
              if (level == 1) f(q) = kernel_random(where_) - 0.5_r8
              s(q) = 1.0_r8 + kernel_random(where_)
            else if (min(i, j, k) > 0 .and. all((/i, j, k/) <= n(:, 1))) then
              each_point = each_point + kernel_share(u(q), where_)
            end if
          end do
        end do
      end do
    end do
  end function

end module
