! SPDX-License-Identifier: Apache-2.0
!
! Tasks, and completion of requests. Communicators are integers here, as of mpif.h and
! `use mpi`; the module lapwing_arrays_f08 also takes type(MPI_Comm).
module lapwing_arrays_tasks
  use lapwing_arrays_c
  use lapwing_arrays_base
  implicit none
  private
  public :: lapwing_tasks, lapwing_array_request, lapwing_tasks_create, lapwing_tasks_of_sizes
  public :: lapwing_tasks_of_programs, lapwing_tasks_dup, lapwing_tasks_free, lapwing_tasks_rank, lapwing_tasks_size
  public :: lapwing_tasks_process_rank, lapwing_tasks_processes, lapwing_tasks_comm, lapwing_tasks_strategy
  public :: lapwing_tasks_time_steps, lapwing_tasks_steps, lapwing_tasks_barrier
  public :: lapwing_array_start, lapwing_array_startall, lapwing_array_wait, lapwing_array_waitall
  public :: lapwing_array_waitany, lapwing_array_test, lapwing_array_testall, lapwing_array_request_free
  public :: lapwing_array_test_section
  public :: lapwing_array_wait_section, lapwing_array_progress, lapwing_array_pack_size
  public :: lapwing_array_buffer_attach, lapwing_array_buffer_detach

  type, bind(c) :: lapwing_tasks
    type(c_ptr) :: handle = c_null_ptr
  end type
  type lapwing_array_request
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! The module lapwing_arrays_f08 adds type(MPI_Comm).
  interface lapwing_tasks_create
    module procedure create_of_integer
  end interface
  interface lapwing_tasks_of_sizes
    module procedure of_sizes_of_integer
  end interface
  interface lapwing_tasks_comm
    module procedure comm_as_integer
  end interface
  interface lapwing_array_wait_section
    module procedure wait_section_4, wait_section_8
  end interface
  interface lapwing_array_test_section
    module procedure test_section_4, test_section_8
  end interface

contains

  subroutine create_of_integer(comm, task, tasks, ierr)
    integer, intent(in) :: comm, task
    type(lapwing_tasks), intent(out) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_create(comm, task, tasks%handle), ierr)
  end subroutine

  subroutine of_sizes_of_integer(comm, sizes, tasks, ierr)
    integer, intent(in) :: comm, sizes(:)
    type(lapwing_tasks), intent(out) :: tasks
    integer, intent(out), optional :: ierr
    integer(c_int) :: numbers(size(sizes))
    numbers = sizes
    call lapwing_array_raise(c_tasks_of_sizes(comm, size(sizes), numbers, tasks%handle), ierr)
  end subroutine

  subroutine comm_as_integer(tasks, comm)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(out) :: comm
    comm = c_tasks_comm(tasks%handle)
  end subroutine

  subroutine lapwing_tasks_of_programs(tasks, ierr)
    type(lapwing_tasks), intent(out) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_of_programs(tasks%handle), ierr)
  end subroutine

  subroutine lapwing_tasks_dup(tasks, copy, ierr)
    type(lapwing_tasks), intent(in) :: tasks
    type(lapwing_tasks), intent(out) :: copy
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_dup(tasks%handle, copy%handle), ierr)
  end subroutine

  subroutine lapwing_tasks_free(tasks, ierr)
    type(lapwing_tasks), intent(inout) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_free(tasks%handle), ierr)
  end subroutine

  function lapwing_tasks_rank(tasks) result(rank)
    type(lapwing_tasks), intent(in) :: tasks
    integer :: rank
    rank = c_tasks_rank(tasks%handle)
  end function

  function lapwing_tasks_size(tasks) result(tasks_there)
    type(lapwing_tasks), intent(in) :: tasks
    integer :: tasks_there
    tasks_there = c_tasks_size(tasks%handle)
  end function

  function lapwing_tasks_process_rank(tasks) result(rank)
    type(lapwing_tasks), intent(in) :: tasks
    integer :: rank
    rank = c_tasks_process_rank(tasks%handle)
  end function

  function lapwing_tasks_processes(tasks, task) result(processes)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(in) :: task
    integer :: processes
    processes = c_tasks_processes(tasks%handle, task)
  end function

  subroutine lapwing_tasks_strategy(tasks, strategy, ierr)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(in) :: strategy
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_strategy(tasks%handle, strategy), ierr)
  end subroutine

  subroutine lapwing_tasks_time_steps(tasks, on, ierr)
    type(lapwing_tasks), intent(in) :: tasks
    logical, intent(in) :: on
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_time_steps(tasks%handle, merge(1_c_int, 0_c_int, on)), ierr)
  end subroutine

  subroutine lapwing_tasks_steps(tasks, steps, ierr)
    type(lapwing_tasks), intent(in) :: tasks
    type(lapwing_array_steps), intent(out) :: steps
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_steps(tasks%handle, steps), ierr)
  end subroutine

  subroutine lapwing_tasks_barrier(tasks, ierr)
    type(lapwing_tasks), intent(in) :: tasks
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_tasks_barrier(tasks%handle), ierr)
  end subroutine

  subroutine lapwing_array_start(request, ierr)
    type(lapwing_array_request), intent(in) :: request
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_start(request%handle), ierr)
  end subroutine

  subroutine lapwing_array_startall(requests, ierr)
    type(lapwing_array_request), intent(in) :: requests(:)
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_startall(size(requests, kind=c_int), requests%handle), ierr)
  end subroutine

  subroutine lapwing_array_wait(request, status, ierr)
    type(lapwing_array_request), intent(inout) :: request
    type(lapwing_array_status), intent(out), optional :: status
    integer, intent(out), optional :: ierr
    type(lapwing_array_status) :: found
    integer(c_int) :: error
    error = c_array_wait(request%handle, found)
    if (present(status)) status = found
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine lapwing_array_waitall(requests, statuses, ierr)
    type(lapwing_array_request), intent(inout) :: requests(:)
    type(lapwing_array_status), intent(out), optional :: statuses(:)
    integer, intent(out), optional :: ierr
    type(lapwing_array_status) :: found(size(requests))
    type(c_ptr) :: handles(size(requests))
    integer(c_int) :: error
    handles = requests%handle
    error = c_array_waitall(size(requests, kind=c_int), handles, found)
    requests%handle = handles
    if (present(statuses)) statuses(:size(requests)) = found
    call lapwing_array_raise(error, ierr)
  end subroutine

  ! `index` is 0 where no request is pending.
  subroutine lapwing_array_waitany(requests, index, status, ierr)
    type(lapwing_array_request), intent(inout) :: requests(:)
    integer, intent(out) :: index
    type(lapwing_array_status), intent(out), optional :: status
    integer, intent(out), optional :: ierr
    type(lapwing_array_status) :: found
    type(c_ptr) :: handles(size(requests))
    integer(c_int) :: error, at
    handles = requests%handle
    error = c_array_waitany(size(requests, kind=c_int), handles, at, found)
    requests%handle = handles
    index = at + 1
    if (present(status)) status = found
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine lapwing_array_test(request, done, status, ierr)
    type(lapwing_array_request), intent(inout) :: request
    logical, intent(out) :: done
    type(lapwing_array_status), intent(out), optional :: status
    integer, intent(out), optional :: ierr
    type(lapwing_array_status) :: found
    integer(c_int) :: error, flag
    error = c_array_test(request%handle, flag, found)
    done = flag /= 0
    if (present(status)) status = found
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine lapwing_array_testall(requests, done, statuses, ierr)
    type(lapwing_array_request), intent(inout) :: requests(:)
    logical, intent(out) :: done
    type(lapwing_array_status), intent(out), optional :: statuses(:)
    integer, intent(out), optional :: ierr
    type(lapwing_array_status) :: found(size(requests))
    type(c_ptr) :: handles(size(requests))
    integer(c_int) :: error, flag
    handles = requests%handle
    error = c_array_testall(size(requests, kind=c_int), handles, flag, found)
    requests%handle = handles
    done = flag /= 0
    if (present(statuses)) statuses(:size(requests)) = found
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine lapwing_array_request_free(request, ierr)
    type(lapwing_array_request), intent(inout) :: request
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_request_free(request%handle), ierr)
  end subroutine

  ! Returns once this process' elements of that box of the whole array have landed.
  subroutine wait_section_8(request, first, count, ierr)
    type(lapwing_array_request), intent(in) :: request
    integer(c_int64_t), intent(in) :: first(:), count(:)
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_wait_section(request%handle, first - 1, count), ierr)
  end subroutine

  subroutine wait_section_4(request, first, count, ierr)
    type(lapwing_array_request), intent(in) :: request
    integer(c_int32_t), intent(in) :: first(:), count(:)
    integer, intent(out), optional :: ierr
    call wait_section_8(request, int(first, c_int64_t), int(count, c_int64_t), ierr)
  end subroutine

  ! Whether they have; never blocks.
  subroutine test_section_8(request, first, count, landed, ierr)
    type(lapwing_array_request), intent(in) :: request
    integer(c_int64_t), intent(in) :: first(:), count(:)
    logical, intent(out) :: landed
    integer, intent(out), optional :: ierr
    integer(c_int) :: flag, error
    error = c_array_test_section(request%handle, first - 1, count, flag)
    landed = flag /= 0
    call lapwing_array_raise(error, ierr)
  end subroutine

  subroutine test_section_4(request, first, count, landed, ierr)
    type(lapwing_array_request), intent(in) :: request
    integer(c_int32_t), intent(in) :: first(:), count(:)
    logical, intent(out) :: landed
    integer, intent(out), optional :: ierr
    call test_section_8(request, int(first, c_int64_t), int(count, c_int64_t), landed, ierr)
  end subroutine

  subroutine lapwing_array_progress(ierr)
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_progress(), ierr)
  end subroutine

  subroutine lapwing_array_pack_size(array, tasks, bytes, ierr)
    type(lapwing_distribution), intent(in) :: array
    type(lapwing_tasks), intent(in) :: tasks
    integer(c_int64_t), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_pack_size(array%handle, tasks%handle, bytes), ierr)
  end subroutine

  ! `buffer` must live until it is detached.
  subroutine lapwing_array_buffer_attach(buffer, ierr)
    integer(c_int8_t), intent(in), target, contiguous :: buffer(:)
    integer, intent(out), optional :: ierr
    call lapwing_array_raise(c_array_buffer_attach(c_loc(buffer), size(buffer, kind=c_int64_t)), ierr)
  end subroutine

  subroutine lapwing_array_buffer_detach(ierr)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: buffer
    integer(c_int64_t) :: bytes
    call lapwing_array_raise(c_array_buffer_detach(buffer, bytes), ierr)
  end subroutine
end module lapwing_arrays_tasks
