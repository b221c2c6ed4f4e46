! SPDX-License-Identifier: Apache-2.0
!
! The C API of distributed arrays as Fortran sees it (lapwing/array_*.h describes every
! routine). Programs use the module lapwing_arrays, which stands on this one; no array
! descriptor of a Fortran compiler ever reaches C, only addresses and sizes.
module lapwing_arrays_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! @constants@ of the headers

  type, bind(c) :: lapwing_dimension_c
    integer(c_int64_t) :: extent = 0
    integer(c_int) :: layout = 0
    integer(c_int64_t) :: block = 0
    type(c_ptr) :: bounds = c_null_ptr
    integer(c_int) :: grid_dimension = -1
    integer(c_int) :: first_process = 0
    integer(c_int64_t) :: offset = 0, ghost_below = 0, ghost_above = 0
  end type

  type, bind(c) :: lapwing_grid_c
    integer(c_int) :: dimensions
    type(c_ptr) :: extents
    integer(c_int) :: order
    type(c_ptr) :: ranks
  end type

  type, bind(c) :: lapwing_local_part
    integer(c_int64_t) :: elements = 0, allocated = 0, offset = 0
  end type

  type, bind(c) :: lapwing_array_status
    integer(c_int) :: task, tag, error
    integer(c_int64_t) :: elements
  end type

  type, bind(c) :: lapwing_array_steps
    integer(c_int64_t) :: transfers, inquiry_ns, call_ns, exchange_ns, schedule_ns, packing_ns, transmission_ns, &
      messages, bytes
  end type

  interface
    function c_errors_return(on) bind(c, name="lapwing_array_errors_return") result(before)
      import :: c_int
      integer(c_int), value :: on
      integer(c_int) :: before
    end function
    function c_error_string() bind(c, name="lapwing_array_error_string") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: bytes
    end function

    ! Distributions.
    function c_create(type, dimensions, dimension, grid, order, leading, out) &
        bind(c, name="lapwing_distribution_create") result(error)
      import :: c_int, c_ptr, lapwing_dimension_c, lapwing_grid_c
      integer(c_int), value :: type, dimensions, order
      type(lapwing_dimension_c), intent(in) :: dimension(*)
      type(lapwing_grid_c), intent(in) :: grid
      type(c_ptr), value :: leading
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_from_scalapack(descriptor, type, rows, columns, grid_order, out) &
        bind(c, name="lapwing_distribution_from_scalapack") result(error)
      import :: c_int, c_ptr
      integer(c_int), intent(in) :: descriptor(9)
      integer(c_int), value :: type, rows, columns, grid_order
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_section(whole, first, count, stride, permutation, out) &
        bind(c, name="lapwing_distribution_section") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: whole, permutation
      integer(c_int64_t), intent(in) :: first(*), count(*), stride(*)
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_converting(like, out) bind(c, name="lapwing_distribution_converting") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: like
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_distribution_free(distribution) bind(c, name="lapwing_distribution_free") result(error)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: error
    end function
    function c_type(distribution) bind(c, name="lapwing_distribution_type") result(type)
      import :: c_int, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int) :: type
    end function
    function c_dimensions(distribution) bind(c, name="lapwing_distribution_dimensions") result(dimensions)
      import :: c_int, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int) :: dimensions
    end function
    function c_extents(distribution, extents) bind(c, name="lapwing_distribution_extents") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int64_t), intent(out) :: extents(*)
      integer(c_int) :: error
    end function
    function c_local(distribution, rank, part, extents, allocation, strides) &
        bind(c, name="lapwing_distribution_local") result(error)
      import :: c_int, c_int64_t, c_ptr, lapwing_local_part
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      type(lapwing_local_part), intent(out) :: part
      integer(c_int64_t), intent(out) :: extents(*), allocation(*), strides(*)
      integer(c_int) :: error
    end function
    function c_position(distribution, rank, index) bind(c, name="lapwing_distribution_position") result(position)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int64_t) :: position
    end function
    function c_index(distribution, rank, position, index) bind(c, name="lapwing_distribution_index") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), value :: position
      integer(c_int64_t), intent(out) :: index(*)
      integer(c_int) :: error
    end function
    function c_schedule(from, to, rank, form, text, room) bind(c, name="lapwing_array_schedule") result(bytes)
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: from, to
      integer(c_int), value :: rank, form
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t) :: bytes
    end function
  end interface
end module lapwing_arrays_c
