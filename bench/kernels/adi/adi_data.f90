! SPDX-License-Identifier: Apache-2.0
! Alternating directions on a stack of layers: implicit diffusion along x, then
! along y, with a diffusivity that depends on the solution, and a reaction after
! each. The p ranks share a p by p array of cells so that each owns one cell in
! every column and one in every row (multi-partition): in each stage of a sweep
! every rank has a cell to work on.
module adi_data
  use kernel
  implicit none
  integer, parameter :: most_points = 64*64*4096, most_lines = 64*4096

  ! Of the whole problem; of one cell. The layers are next to each other.
  integer :: nx, ny, nz, ni, nj, points
  integer :: ranks, rank, steps, work, slabs
  logical :: spoil

  ! All cells of this rank: solution; eliminated coefficients and right-hand sides.
  real(r8) :: u(most_points), upper(most_points), right(most_points)
  ! What crosses cells: two numbers a line forward, one backward.
  real(r8) :: out_buffer(2*most_lines), in_buffer(2*most_lines)
  integer(i8) :: in_bits(2*most_lines)
  equivalence(in_buffer, in_bits)
  real(r8) :: edge_upper(most_lines), edge_right(most_lines)
  integer(i8) :: received

contains

  ! Row of the cell that this rank has in a column, and column of that in a row.
  integer function row_of(column)
    integer, intent(in) :: column
    row_of = modulo(column - 1 + rank, ranks) + 1
  end function

  integer function column_of(row)
    integer, intent(in) :: row
    column_of = modulo(row - 1 - rank, ranks) + 1
  end function

  pure integer(i8) function place(i, j, k)  ! in the whole problem
    integer, intent(in) :: i, j, k
    place = (int(j - 1, i8)*nx + i - 1)*nz + k - 1
  end function

  ! Sets the cells, or gives their checksum.
  integer(i8) function each_point(initial)
    logical, intent(in) :: initial
    integer :: c, i, j, k, q
    integer(i8) :: where_
    each_point = 0
    q = 0
    do c = 1, ranks
      do j = 1, nj
        do i = 1, ni
          do k = 1, nz
            q = q + 1
            where_ = place((c - 1)*ni + i, (row_of(c) - 1)*nj + j, k)
            if (initial) then
              u(q) = kernel_random(where_)
            else
              each_point = each_point + kernel_share(u(q), where_)
            end if
          end do
        end do
      end do
    end do
  end function

end module
