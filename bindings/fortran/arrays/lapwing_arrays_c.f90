! SPDX-License-Identifier: Apache-2.0
!
! The C API of distributed arrays as Fortran sees it (lapwing/array_*.h describes every
! routine). Programs use the module lapwing_arrays, which stands on this one; no array
! descriptor of a Fortran compiler ever reaches C, only addresses and sizes. MPI's handles
! are integers here: the engine's *_f routines take them.
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
    type(c_ptr) :: lists = c_null_ptr
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
    function c_strlen(text) bind(c, name="strlen") result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: bytes
    end function
    ! @functions@ of the headers
  end interface
end module lapwing_arrays_c
