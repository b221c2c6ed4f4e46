! SPDX-License-Identifier: Apache-2.0
!
! Memory of other processes for Fortran: the calls of lapwing/memory.h, where each is described. Handles are
! integers, as of mpif.h and `use mpi`; with mpi_f08 give comm%MPI_VAL and window%MPI_VAL. Sizes and
! displacements count bytes. A program is linked with the library of this module and its MPI, and with nothing
! else of Lapwing's.
!
!   type(c_ptr) :: base
!   real(8), pointer :: mine(:)
!   call lapwing_memory_allocate(8_c_size_t * n, MPI_COMM_WORLD, base, window)
!   call c_f_pointer(base, mine, [n])
!   ...
!   call lapwing_memory_barrier(window, MPI_COMM_WORLD)
!   call lapwing_memget(copy, 0_c_intptr_t, neighbour, 8_c_size_t * n, window)
module lapwing_memory
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_size_t, c_ptr, c_null_ptr, c_f_pointer
  implicit none
  private
  public :: c_intptr_t, c_size_t, c_ptr, c_f_pointer
  public :: lapwing_memory_handle, lapwing_memory_allocate, lapwing_memory_free, lapwing_memory_barrier
  public :: lapwing_memget, lapwing_memput, lapwing_memget_nb, lapwing_memput_nb
  public :: lapwing_memory_wait, lapwing_memory_try

  ! An access that has been started.
  type, bind(c) :: lapwing_memory_handle
    private
    type(c_ptr) :: started = c_null_ptr
  end type

  interface
    subroutine lapwing_memory_allocate(bytes, comm, base, window, ierr) bind(c, name="lapwing_memory_allocate_f")
      import :: c_int, c_size_t, c_ptr
      integer(c_size_t), value :: bytes
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: base
      integer(c_int), intent(out) :: window
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memory_free(window, ierr) bind(c, name="lapwing_memory_free_f")
      import :: c_int
      integer(c_int), intent(inout) :: window
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memory_barrier(window, comm, ierr) bind(c, name="lapwing_memory_barrier_f")
      import :: c_int
      integer(c_int), value :: window, comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memget(destination, displacement, target, bytes, window, ierr) bind(c, name="lapwing_memget_f")
      import :: c_int, c_intptr_t, c_size_t
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: destination
      !DIR$ IGNORE_TKR destination
      type(*), dimension(*) :: destination
      integer(c_intptr_t), value :: displacement
      integer(c_int), value :: target, window
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memput(displacement, target, source, bytes, window, ierr) bind(c, name="lapwing_memput_f")
      import :: c_int, c_intptr_t, c_size_t
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: source
      !DIR$ IGNORE_TKR source
      type(*), dimension(*) :: source
      integer(c_intptr_t), value :: displacement
      integer(c_int), value :: target, window
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! Give contiguous memory that lives until the wait, and declare it asynchronous.
    subroutine lapwing_memget_nb(destination, displacement, target, bytes, window, handle, ierr) &
        bind(c, name="lapwing_memget_nb_f")
      import :: c_int, c_intptr_t, c_size_t, lapwing_memory_handle
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: destination
      !DIR$ IGNORE_TKR destination
      type(*), dimension(*), asynchronous :: destination
      integer(c_intptr_t), value :: displacement
      integer(c_int), value :: target, window
      integer(c_size_t), value :: bytes
      type(lapwing_memory_handle), intent(out) :: handle
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memput_nb(displacement, target, source, bytes, window, handle, ierr) &
        bind(c, name="lapwing_memput_nb_f")
      import :: c_int, c_intptr_t, c_size_t, lapwing_memory_handle
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: source
      !DIR$ IGNORE_TKR source
      type(*), dimension(*), asynchronous :: source
      integer(c_intptr_t), value :: displacement
      integer(c_int), value :: target, window
      integer(c_size_t), value :: bytes
      type(lapwing_memory_handle), intent(out) :: handle
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine lapwing_memory_wait(handle, ierr) bind(c, name="lapwing_memory_wait_f")
      import :: c_int, lapwing_memory_handle
      type(lapwing_memory_handle), intent(inout) :: handle
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! done: 1 if the access is complete, else 0
    subroutine lapwing_memory_try(handle, done, ierr) bind(c, name="lapwing_memory_try_f")
      import :: c_int, lapwing_memory_handle
      type(lapwing_memory_handle), intent(inout) :: handle
      integer(c_int), intent(out) :: done
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface
end module lapwing_memory
