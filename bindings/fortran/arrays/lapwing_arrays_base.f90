! SPDX-License-Identifier: Apache-2.0
!
! Distributions and errors. Indices, sections, permutations and positions count from 1,
! as everything in Fortran; tasks and ranks from 0, as in MPI. Where `ierr` is absent an
! error ends the program with its sentence.
module lapwing_arrays_base
  use, intrinsic :: iso_fortran_env, only: error_unit
  use lapwing_arrays_c
  use lapwing_arrays_dimensions
  implicit none
  private
  public :: lapwing_distribution, lapwing_distribution_create, lapwing_distribution_from_scalapack
  public :: lapwing_distribution_section, lapwing_distribution_converting, lapwing_distribution_free
  public :: lapwing_distribution_extents, lapwing_local_extents, lapwing_local_allocation, lapwing_distribution_local
  public :: lapwing_distribution_position, lapwing_distribution_index, lapwing_array_schedule
  public :: lapwing_array_errors_return, lapwing_array_error_string, lapwing_array_raise

  type lapwing_distribution
    type(c_ptr) :: handle = c_null_ptr
  end type

  interface lapwing_distribution_section
    module procedure section_4, section_8
  end interface
  interface lapwing_distribution_position
    module procedure position_4, position_8
  end interface

contains

  ! Calls return errors (.true.) or end the job with them; before tasks are made, and alike in every process.
  subroutine lapwing_array_errors_return(on)
    logical, intent(in) :: on
    integer(c_int) :: before
    before = c_array_errors_return(merge(1_c_int, 0_c_int, on))
  end subroutine

  ! The sentence of the last error.
  function lapwing_array_error_string() result(sentence)
    character(len=:), allocatable :: sentence
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: address
    integer :: i, bytes
    address = c_array_error_string()
    bytes = int(c_strlen(address))
    call c_f_pointer(address, text, [bytes])
    allocate (character(len=bytes) :: sentence)
    do i = 1, bytes
      sentence(i:i) = text(i)
    end do
  end function

  subroutine lapwing_array_raise(error, ierr)
    integer(c_int), intent(in) :: error
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = error
    else if (error /= lapwing_array_ok) then
      write (error_unit, '(a)') lapwing_array_error_string()
      error stop 1
    end if
  end subroutine

  ! `grid`: processes in each grid dimension; `ranks`: those at its positions (0, 1, 2, ...), numbered as
  ! `grid_order` says (row-major, as MPI_Cart_create does). Local memory is column-major unless `order` says otherwise.
  subroutine lapwing_distribution_create(distribution, type, dimensions, grid, order, leading, ranks, grid_order, ierr)
    type(lapwing_distribution), intent(out) :: distribution
    integer, intent(in) :: type, grid(:)
    type(lapwing_dimension), intent(in), target :: dimensions(:)
    integer, intent(in), optional :: order, ranks(:), grid_order
    integer(c_int64_t), intent(in), optional :: leading(:)
    integer, intent(out), optional :: ierr
    type(lapwing_dimension_c) :: c(size(dimensions))
    type(lapwing_grid_c) :: c_grid
    integer(c_int), target :: extents(max(size(grid), 1)), positions(max(product(grid), 1))
    integer(c_int64_t), target :: sizes(max(size(dimensions), 1))
    type(c_ptr) :: allocation
    integer(c_int) :: memory
    integer :: d
    do d = 1, size(dimensions)
      c(d) = dimensions(d)%c
      if (allocated(dimensions(d)%bounds)) c(d)%bounds = c_loc(dimensions(d)%bounds)
    end do
    extents(:size(grid)) = grid
    c_grid%dimensions = size(grid)
    c_grid%extents = c_loc(extents)
    c_grid%order = lapwing_row_major
    if (present(grid_order)) c_grid%order = grid_order
    c_grid%ranks = c_null_ptr
    if (present(ranks)) then
      if (size(ranks) < product(grid)) then
        write (error_unit, '(a,i0,a,i0,a)') "lapwing_distribution_create: the grid has ", product(grid), &
          " positions, but 'ranks' names ", size(ranks), " processes."
        if (.not. present(ierr)) error stop 1
        ierr = lapwing_array_err_grid
        return
      end if
      positions(:product(grid)) = ranks(:product(grid))
      c_grid%ranks = c_loc(positions)
    end if
    memory = lapwing_column_major
    if (present(order)) memory = order
    allocation = c_null_ptr
    if (present(leading)) then
      sizes = 0
      sizes(:min(size(leading), size(sizes))) = leading(:min(size(leading), size(sizes)))
      allocation = c_loc(sizes)
    end if
    call lapwing_array_raise(c_distribution_create(int(type, c_int), size(dimensions, kind=c_int), c, c_grid, memory, allocation, &
                                      distribution%handle), ierr)
  end subroutine

  ! `grid_order` is 'R' or 'C', as of blacs_gridinit.
  subroutine lapwing_distribution_from_scalapack(distribution, descriptor, type, rows, columns, grid_order, ierr)
    type(lapwing_distribution), intent(out) :: distribution
    integer, intent(in) :: descriptor(9), type, rows, columns
    character, intent(in), optional :: grid_order
    integer, intent(out), optional :: ierr
    integer(c_int) :: order
    order = lapwing_row_major
    if (present(grid_order)) order = merge(lapwing_column_major, lapwing_row_major, scan(grid_order, "cC") == 1)
    call lapwing_array_raise(c_distribution_from_scalapack(descriptor, type, rows, columns, order, distribution%handle), ierr)
  end subroutine

  ! Elements first, first + stride, ... of each dimension. Dimension d of a receiver takes the sender's dimension
  ! permutation(d); 0: none, for a dimension with one element.
  subroutine section_8(whole, first, count, section, stride, permutation, ierr)
    type(lapwing_distribution), intent(in) :: whole
    integer(c_int64_t), intent(in) :: first(:), count(:)
    type(lapwing_distribution), intent(out) :: section
    integer(c_int64_t), intent(in), optional :: stride(:)
    integer, intent(in), optional :: permutation(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: steps(size(first))
    integer(c_int), target :: dimensions(size(first))
    type(c_ptr) :: permuted
    steps = 1
    if (present(stride)) steps = stride
    permuted = c_null_ptr
    if (present(permutation)) then
      dimensions = permutation - 1
      permuted = c_loc(dimensions)
    end if
    call lapwing_array_raise(c_distribution_section(whole%handle, first - 1, count, steps, permuted, section%handle), ierr)
  end subroutine

  subroutine section_4(whole, first, count, section, stride, permutation, ierr)
    type(lapwing_distribution), intent(in) :: whole
    integer(c_int32_t), intent(in) :: first(:), count(:)
    type(lapwing_distribution), intent(out) :: section
    integer(c_int32_t), intent(in), optional :: stride(:)
    integer, intent(in), optional :: permutation(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: steps(size(first))
    steps = 1
    if (present(stride)) steps = stride
    call section_8(whole, int(first, c_int64_t), int(count, c_int64_t), section, steps, permutation, ierr)
  end subroutine

  ! As `like`, and as a receiver takes elements of any type that converts to its own.
  subroutine lapwing_distribution_converting(like, distribution, ierr)
    type(lapwing_distribution), intent(in) :: like
    type(lapwing_distribution), intent(out) :: distribution
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_distribution_converting(like%handle, distribution%handle), ierr)
  end subroutine

  subroutine lapwing_distribution_free(distribution, ierr)
    type(lapwing_distribution), intent(inout) :: distribution
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_distribution_free(distribution%handle), ierr)
  end subroutine

  function lapwing_distribution_extents(distribution) result(extents)
    type(lapwing_distribution), intent(in) :: distribution
    integer(c_int64_t), allocatable :: extents(:)
    allocate (extents(c_distribution_dimensions(distribution%handle)))
    call lapwing_array_raise(c_distribution_extents(distribution%handle, extents))
  end function

  ! Of each dimension: how many elements `rank` owns, and how many its local memory has, ghosts included.
  function lapwing_local_extents(distribution, rank) result(extents)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int64_t), allocatable :: extents(:)
    allocate (extents(c_distribution_dimensions(distribution%handle)))
    call lapwing_distribution_local(distribution, rank, extents=extents)
  end function

  function lapwing_local_allocation(distribution, rank) result(allocation)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int64_t), allocatable :: allocation(:)
    allocate (allocation(c_distribution_dimensions(distribution%handle)))
    call lapwing_distribution_local(distribution, rank, allocation=allocation)
  end function

  ! Numbers of elements; `part%offset` is 0 where the first element of local memory is the first owned one.
  subroutine lapwing_distribution_local(distribution, rank, part, extents, allocation, strides, ierr)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    type(lapwing_local_part), intent(out), optional :: part
    integer(c_int64_t), intent(out), optional :: extents(:), allocation(:), strides(:)
    integer, intent(out), optional :: ierr
    type(lapwing_local_part) :: found
    integer(c_int64_t), allocatable :: e(:), a(:), s(:)
    integer :: dimensions
    dimensions = c_distribution_dimensions(distribution%handle)
    allocate (e(dimensions), a(dimensions), s(dimensions))
    call lapwing_array_raise(c_distribution_local(distribution%handle, rank, found, e, a, s), ierr)
    if (present(part)) part = found
    if (present(extents)) extents = e
    if (present(allocation)) allocation = a
    if (present(strides)) strides = s
  end subroutine

  ! Where the element lies in `rank`'s local memory, taken as a vector; 0 where it does not.
  function position_8(distribution, rank, index) result(position)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int64_t), intent(in) :: index(:)
    integer(c_int64_t) :: position
    position = c_distribution_position(distribution%handle, rank, index - 1) + 1
  end function

  function position_4(distribution, rank, index) result(position)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int32_t), intent(in) :: index(:)
    integer(c_int64_t) :: position
    position = position_8(distribution, rank, int(index, c_int64_t))
  end function

  ! Which element lies at that position; an error for ghosts and padding.
  subroutine lapwing_distribution_index(distribution, rank, position, index, ierr)
    type(lapwing_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int64_t), intent(in) :: position
    integer(c_int64_t), intent(out) :: index(:)
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_distribution_index(distribution%handle, rank, position - 1, index), ierr)
    index = index + 1
  end subroutine

  ! `rank`'s part of the schedule: lapwing_schedule_text, _ascii or _svg.
  function lapwing_array_schedule(from, to, rank, form) result(drawing)
    type(lapwing_distribution), intent(in) :: from, to
    integer, intent(in) :: rank, form
    character(len=:), allocatable :: drawing
    character(kind=c_char), allocatable :: text(:)
    integer(c_int64_t) :: bytes, i
    allocate (text(1))
    bytes = max(c_array_schedule(from%handle, to%handle, rank, form, text, 0_c_int64_t), 0_c_int64_t)
    deallocate (text)
    allocate (text(bytes + 1))
    bytes = max(c_array_schedule(from%handle, to%handle, rank, form, text, bytes + 1), 0_c_int64_t)
    allocate (character(len=bytes) :: drawing)
    do i = 1, bytes
      drawing(i:i) = text(i)
    end do
  end function
end module lapwing_arrays_base
