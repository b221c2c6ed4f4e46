! SPDX-License-Identifier: Apache-2.0
!
! Plans of Fourier transforms (lapwing/array_fft.h). lapwing_fft_forward and
! lapwing_fft_backward, which take local memory, are among the other calls that do.
module lapwing_arrays_fft
  use lapwing_arrays_c
  use lapwing_arrays_base
  use lapwing_arrays_tasks
  implicit none
  private
  public :: lapwing_fft, lapwing_fft_create, lapwing_fft_free

  type lapwing_fft
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: type = -1  ! of the elements
  end type

contains

  ! Without a destination transforms lie as the source; without axes, which are numbered from 1, all dimensions
  ! are transformed.
  subroutine lapwing_fft_create(source, tasks, plan, destination, axes, ierr)
    type(lapwing_distribution), intent(in) :: source
    type(lapwing_tasks), intent(in) :: tasks
    type(lapwing_fft), intent(out) :: plan
    type(lapwing_distribution), intent(in), optional :: destination
    integer, intent(in), optional :: axes(:)
    integer, intent(out), optional :: ierr
    integer(c_int), allocatable :: numbers(:)
    type(c_ptr) :: into
    integer(c_int) :: error
    into = c_null_ptr
    if (present(destination)) into = destination%handle
    allocate (numbers(0))
    if (present(axes)) numbers = axes - 1
    if (c_associated(source%handle)) plan%type = c_distribution_type(source%handle)
    error = c_fft_create(source%handle, into, size(numbers, kind=c_int), numbers, tasks%handle, plan%handle)
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine lapwing_fft_free(plan, ierr)
    type(lapwing_fft), intent(inout) :: plan
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_fft_free(plan%handle), ierr)
  end subroutine
end module lapwing_arrays_fft
