! SPDX-License-Identifier: Apache-2.0
!
! Dimensions that are distributed by lists of indices (lapwing/array_index_lists.h). Indices
! and grid dimensions count from 1.
module lapwing_arrays_lists
  use lapwing_arrays_c
  use lapwing_arrays_dimensions
  use lapwing_arrays_base
  use lapwing_arrays_tasks
  implicit none
  private
  public :: lapwing_index_lists, lapwing_index_lists_create, lapwing_index_lists_free, lapwing_indexed

  type lapwing_index_lists
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: extent = 0
  end type

  ! The calling process holds `indices` of the dimension, in this order. The lists lie along `grid_dimension` of the
  ! grid; without one, along all processes of the task. Collective over the task.
  interface lapwing_index_lists_create
    module procedure create_4, create_8
  end interface

contains

  subroutine create_8(lists, extent, indices, tasks, grid, grid_dimension, ranks, grid_order, ierr)
    type(lapwing_index_lists), intent(out) :: lists
    integer(c_int64_t), intent(in) :: extent, indices(:)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(in), optional :: grid(:), grid_dimension, ranks(:), grid_order
    integer, intent(out), optional :: ierr
    type(lapwing_grid_c) :: c_grid
    integer(c_int), allocatable, target :: extents(:), positions(:)
    integer(c_int) :: along
    if (present(grid)) then
      extents = grid
    else
      extents = [lapwing_tasks_processes(tasks, lapwing_tasks_rank(tasks))]
    end if
    along = 0
    if (present(grid_dimension)) along = grid_dimension - 1
    c_grid%dimensions = size(extents)
    c_grid%extents = c_loc(extents)
    c_grid%order = lapwing_row_major
    if (present(grid_order)) c_grid%order = grid_order
    c_grid%ranks = c_null_ptr
    if (present(ranks)) then
      positions = ranks
      if (size(positions) >= product(extents)) c_grid%ranks = c_loc(positions)
    end if
    lists%extent = extent
    call lapwing_array_raise(c_index_lists_create(extent, indices - 1, size(indices, kind=c_int64_t), c_grid, along, &
                                                  tasks%handle, lists%handle), ierr)
  end subroutine

  subroutine create_4(lists, extent, indices, tasks, grid, grid_dimension, ranks, grid_order, ierr)
    type(lapwing_index_lists), intent(out) :: lists
    integer(c_int32_t), intent(in) :: extent, indices(:)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(in), optional :: grid(:), grid_dimension, ranks(:), grid_order
    integer, intent(out), optional :: ierr
    call create_8(lists, int(extent, c_int64_t), int(indices, c_int64_t), tasks, grid, grid_dimension, ranks, &
                  grid_order, ierr)
  end subroutine

  subroutine lapwing_index_lists_free(lists, ierr)
    type(lapwing_index_lists), intent(inout) :: lists
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_index_lists_free(lists%handle), ierr)
  end subroutine

  ! The lists must live until the distribution has been created.
  function lapwing_indexed(lists, grid_dimension) result(dimension)
    type(lapwing_index_lists), intent(in) :: lists
    integer, intent(in) :: grid_dimension
    type(lapwing_dimension) :: dimension
    dimension%c%extent = lists%extent
    dimension%c%layout = 3
    dimension%c%grid_dimension = grid_dimension - 1
    dimension%c%lists = lists%handle
  end function
end module lapwing_arrays_lists
