! SPDX-License-Identifier: Apache-2.0
!
! One dimension of a distributed array. Grid dimensions count from 1; sizes are integers
! of the default kind or of 64 bits.
module lapwing_arrays_dimensions
  use lapwing_arrays_c
  implicit none
  private
  public :: lapwing_dimension, lapwing_collapsed, lapwing_block, lapwing_cyclic, lapwing_irregular

  type lapwing_dimension
    type(lapwing_dimension_c) :: c
    integer(c_int64_t), allocatable :: bounds(:)
  end type

  ! (*): every process of a grid line has all of it.
  interface lapwing_collapsed
    module procedure collapsed_4, collapsed_8
  end interface
  ! BLOCK over `processes`, the extent of grid dimension `grid_dimension`.
  interface lapwing_block
    module procedure block_4, block_8
  end interface
  ! CYCLIC(block), and BLOCK(block) where the blocks go round at most once.
  interface lapwing_cyclic
    module procedure cyclic_4, cyclic_8
  end interface
  ! `sizes(p)` consecutive elements for position p of the grid dimension.
  interface lapwing_irregular
    module procedure irregular_4, irregular_8
  end interface

contains

  function collapsed_8(extent, ghost_below, ghost_above) result(dimension)
    integer(c_int64_t), intent(in) :: extent
    integer, intent(in), optional :: ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension%c%extent = extent
    call extras(dimension, ghost_below=ghost_below, ghost_above=ghost_above)
  end function

  function collapsed_4(extent, ghost_below, ghost_above) result(dimension)
    integer(c_int32_t), intent(in) :: extent
    integer, intent(in), optional :: ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension = collapsed_8(int(extent, c_int64_t), ghost_below, ghost_above)
  end function

  function block_8(extent, processes, grid_dimension, first_process, offset, ghost_below, ghost_above) result(dimension)
    integer(c_int64_t), intent(in) :: extent
    integer, intent(in) :: processes, grid_dimension
    integer, intent(in), optional :: first_process, offset, ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    integer(c_int64_t) :: p
    p = max(processes, 1)
    dimension = cyclic_8(extent, max(1_c_int64_t, (extent + p - 1) / p), grid_dimension, first_process, offset, &
                         ghost_below, ghost_above)
  end function

  function block_4(extent, processes, grid_dimension, first_process, offset, ghost_below, ghost_above) result(dimension)
    integer(c_int32_t), intent(in) :: extent
    integer, intent(in) :: processes, grid_dimension
    integer, intent(in), optional :: first_process, offset, ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension = block_8(int(extent, c_int64_t), processes, grid_dimension, first_process, offset, ghost_below, ghost_above)
  end function

  function cyclic_8(extent, block, grid_dimension, first_process, offset, ghost_below, ghost_above) result(dimension)
    integer(c_int64_t), intent(in) :: extent, block
    integer, intent(in) :: grid_dimension
    integer, intent(in), optional :: first_process, offset, ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension%c%extent = extent
    dimension%c%layout = 1
    dimension%c%block = block
    dimension%c%grid_dimension = grid_dimension - 1
    call extras(dimension, first_process, offset, ghost_below, ghost_above)
  end function

  function cyclic_4(extent, block, grid_dimension, first_process, offset, ghost_below, ghost_above) result(dimension)
    integer(c_int32_t), intent(in) :: extent, block
    integer, intent(in) :: grid_dimension
    integer, intent(in), optional :: first_process, offset, ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension = cyclic_8(int(extent, c_int64_t), int(block, c_int64_t), grid_dimension, first_process, offset, &
                         ghost_below, ghost_above)
  end function

  function irregular_8(sizes, grid_dimension, ghost_below, ghost_above) result(dimension)
    integer(c_int64_t), intent(in) :: sizes(:)
    integer, intent(in) :: grid_dimension
    integer, intent(in), optional :: ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    integer :: p
    allocate (dimension%bounds(size(sizes) + 1))
    dimension%bounds(1) = 0
    do p = 1, size(sizes)
      dimension%bounds(p + 1) = dimension%bounds(p) + sizes(p)
    end do
    dimension%c%extent = dimension%bounds(size(sizes) + 1)
    dimension%c%layout = 2
    dimension%c%grid_dimension = grid_dimension - 1
    call extras(dimension, ghost_below=ghost_below, ghost_above=ghost_above)
  end function

  function irregular_4(sizes, grid_dimension, ghost_below, ghost_above) result(dimension)
    integer(c_int32_t), intent(in) :: sizes(:)
    integer, intent(in) :: grid_dimension
    integer, intent(in), optional :: ghost_below, ghost_above
    type(lapwing_dimension) :: dimension
    dimension = irregular_8(int(sizes, c_int64_t), grid_dimension, ghost_below, ghost_above)
  end function

  subroutine extras(dimension, first_process, offset, ghost_below, ghost_above)
    type(lapwing_dimension), intent(inout) :: dimension
    integer, intent(in), optional :: first_process, offset, ghost_below, ghost_above
    if (present(first_process)) dimension%c%first_process = first_process
    if (present(offset)) dimension%c%offset = offset
    if (present(ghost_below)) dimension%c%ghost_below = ghost_below
    if (present(ghost_above)) dimension%c%ghost_above = ghost_above
  end subroutine
end module lapwing_arrays_dimensions
