! SPDX-License-Identifier: Apache-2.0
!
! Collectives over tasks whose arguments are plain: every process of a task has them
! alike. Memory may be of any type and rank but contiguous, as `datatype` says; MPI's
! handles are integers (type%MPI_VAL of mpi_f08).
module lapwing_arrays_plain
  use, intrinsic :: iso_c_binding, only: c_int
  use lapwing_arrays_tasks
  implicit none
  private
  public :: lapwing_tasks_bcast, lapwing_tasks_reduce, lapwing_tasks_allreduce, lapwing_tasks_gather, lapwing_tasks_scatter
  public :: lapwing_tasks_allgather, lapwing_tasks_alltoall

  ! The handle of tasks has one component, an address: it goes to C as that.
  interface
    subroutine lapwing_tasks_bcast(buffer, count, datatype, root, tasks, ierr) bind(c, name="lapwing_tasks_bcast_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count, datatype, root
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_reduce(send, recv, count, datatype, op, root, tasks, ierr) &
        bind(c, name="lapwing_tasks_reduce_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype, op, root
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_allreduce(send, recv, count, datatype, op, tasks, ierr) &
        bind(c, name="lapwing_tasks_allreduce_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype, op
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_gather(send, recv, count, datatype, root, tasks, ierr) bind(c, name="lapwing_tasks_gather_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype, root
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_scatter(send, recv, count, datatype, root, tasks, ierr) &
        bind(c, name="lapwing_tasks_scatter_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype, root
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_allgather(send, recv, count, datatype, tasks, ierr) &
        bind(c, name="lapwing_tasks_allgather_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine lapwing_tasks_alltoall(send, recv, count, datatype, tasks, ierr) &
        bind(c, name="lapwing_tasks_alltoall_f")
      import :: c_int, lapwing_tasks
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: send, recv
      !DIR$ IGNORE_TKR send, recv
      type(*), dimension(*) :: send, recv
      integer(c_int), value :: count, datatype
      type(lapwing_tasks), intent(in) :: tasks
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface
end module lapwing_arrays_plain
