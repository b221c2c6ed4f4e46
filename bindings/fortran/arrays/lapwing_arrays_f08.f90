! SPDX-License-Identifier: Apache-2.0
!
! The module lapwing_arrays with the handles of mpi_f08: type(MPI_Comm), type(MPI_Op).
module lapwing_arrays_f08
  use mpi_f08, only: MPI_Comm
  use lapwing_arrays
  implicit none
  public
  private :: MPI_Comm, create_of_handle, of_sizes_of_handle, comm_as_handle

  interface lapwing_tasks_create
    module procedure create_of_handle
  end interface
  interface lapwing_tasks_of_sizes
    module procedure of_sizes_of_handle
  end interface
  interface lapwing_tasks_comm
    module procedure comm_as_handle
  end interface

contains

  subroutine create_of_handle(comm, task, tasks, ierr)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: task
    type(lapwing_tasks), intent(out) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_tasks_create(comm%MPI_VAL, task, tasks, ierr)
  end subroutine

  subroutine of_sizes_of_handle(comm, sizes, tasks, ierr)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: sizes(:)
    type(lapwing_tasks), intent(out) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_tasks_of_sizes(comm%MPI_VAL, sizes, tasks, ierr)
  end subroutine

  subroutine comm_as_handle(tasks, comm)
    type(lapwing_tasks), intent(in) :: tasks
    type(MPI_Comm), intent(out) :: comm
    call lapwing_tasks_comm(tasks, comm%MPI_VAL)
  end subroutine
end module lapwing_arrays_f08
