! SPDX-License-Identifier: Apache-2.0
! Symmetric Gauss-Seidel sweeps for five species on a grid that is cut along x
! and y: a plane of a block can be swept once the planes of the blocks before it
! are, so the ranks work as a pipeline, plane after plane, up and then down.
module wavefront_data
  use kernel
  implicit none
  integer, parameter :: species = 5, most_points = (16384 + 2)*(32 + 2)*(16 + 2), most_edge = 16384

  integer :: whole(3), parts(2), part(2), n1, n2, n3, steps, work, slabs
  integer :: west, east, south, north  ! -1 for none
  logical :: spoil

  ! Solution with ghost points; the field that the matrix is made of.
  real(r8) :: u(species*most_points), s(most_points)
  ! Of one plane: the inverse diagonal.
  real(r8) :: diagonal(32*16384)
  ! The edges of a plane, out and in; twice, for versions that are a plane ahead.
  real(r8) :: out_x(species*most_edge, 2), out_y(species*most_edge, 2)
  real(r8) :: in_x(species*most_edge, 2), in_y(species*most_edge, 2)
  integer(i8) :: bits_x(species*most_edge, 2), bits_y(species*most_edge, 2)
  equivalence(in_x, bits_x)
  equivalence(in_y, bits_y)
  integer(i8) :: received

contains

  pure integer(i8) function place(i, j, k)
    integer, intent(in) :: i, j, k
    place = (int(k, i8)*(whole(2) + 2) + j)*(whole(1) + 2) + i
  end function

  pure real(r8) function initial(m, i, j, k)
    integer, intent(in) :: m, i, j, k
    initial = 0.0_r8
    if (all((/i, j, k/) >= 1) .and. all((/i, j, k/) <= whole)) initial = kernel_random(m + species*place(i, j, k))
  end function

  ! Blocks and neighbours; false where it cannot be divided so.
  logical function divide(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: p
    parts = (/1, ranks/)
    do p = 1, ranks
      if (p*p <= ranks .and. modulo(ranks, p) == 0) parts = (/p, ranks/p/)
    end do
    divide = modulo(whole(1), parts(1)) == 0 .and. modulo(whole(2), parts(2)) == 0
    part = (/modulo(rank, parts(1)), rank/parts(1)/)
    n1 = whole(1)/parts(1)
    n2 = whole(2)/parts(2)
    n3 = whole(3)
    west = merge(rank - 1, -1, part(1) > 0)
    east = merge(rank + 1, -1, part(1) < parts(1) - 1)
    south = merge(rank - parts(1), -1, part(2) > 0)
    north = merge(rank + parts(1), -1, part(2) < parts(2) - 1)
  end function

  ! Sets the block, ghost points included, or gives its checksum.
  integer(i8) function each_point(setting)
    logical, intent(in) :: setting
    integer :: i, j, k, m, q, gi, gj
    each_point = 0
    q = 0
    do k = 0, n3 + 1
      do j = 0, n2 + 1
        do i = 0, n1 + 1
          q = q + 1
          gi = part(1)*n1 + i
          gj = part(2)*n2 + j
          if (setting) then
            s(q) = 1.0_r8 + kernel_random(place(gi, gj, k))
            do m = 1, species
              u(species*(q - 1) + m) = initial(m, gi, gj, k)
            end do
          else if (min(i, j, k) > 0 .and. i <= n1 .and. j <= n2 .and. k <= n3) then
            do m = 1, species
              each_point = each_point + kernel_share(u(species*(q - 1) + m), m + species*place(gi, gj, k))
            end do
          end if
        end do
      end do
    end do
  end function

end module
