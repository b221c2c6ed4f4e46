! SPDX-License-Identifier: Apache-2.0
!
! The C API of tasks and requests (lapwing/array_tasks.h, array_calls.h) as Fortran sees
! it. MPI's handles are integers here: the engine's *_f routines take them.
module lapwing_arrays_tasks_c
  use lapwing_arrays_c
  implicit none
  public

  interface
    function c_tasks_create(comm, task, out) bind(c, name="lapwing_tasks_create_f") result(error)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, task
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_tasks_of_sizes(comm, tasks, sizes, out) bind(c, name="lapwing_tasks_of_sizes_f") result(error)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, tasks
      integer(c_int), intent(in) :: sizes(*)
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_tasks_of_programs(out) bind(c, name="lapwing_tasks_of_programs") result(error)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_tasks_dup(tasks, out) bind(c, name="lapwing_tasks_dup") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      type(c_ptr), intent(out) :: out
      integer(c_int) :: error
    end function
    function c_tasks_free(tasks) bind(c, name="lapwing_tasks_free") result(error)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: tasks
      integer(c_int) :: error
    end function
    function c_tasks_rank(tasks) bind(c, name="lapwing_tasks_rank") result(rank)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int) :: rank
    end function
    function c_tasks_size(tasks) bind(c, name="lapwing_tasks_size") result(size)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int) :: size
    end function
    function c_tasks_process_rank(tasks) bind(c, name="lapwing_tasks_process_rank") result(rank)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int) :: rank
    end function
    function c_tasks_processes(tasks, task) bind(c, name="lapwing_tasks_processes") result(processes)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int), value :: task
      integer(c_int) :: processes
    end function
    function c_tasks_comm(tasks) bind(c, name="lapwing_tasks_comm_f") result(comm)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int) :: comm
    end function
    function c_tasks_strategy(tasks, strategy) bind(c, name="lapwing_tasks_strategy") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int), value :: strategy
      integer(c_int) :: error
    end function
    function c_tasks_time_steps(tasks, on) bind(c, name="lapwing_tasks_time_steps") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int), value :: on
      integer(c_int) :: error
    end function
    function c_tasks_steps(tasks, steps) bind(c, name="lapwing_tasks_steps") result(error)
      import :: c_int, c_ptr, lapwing_array_steps
      type(c_ptr), value :: tasks
      type(lapwing_array_steps), intent(out) :: steps
      integer(c_int) :: error
    end function
    function c_tasks_barrier(tasks) bind(c, name="lapwing_tasks_barrier") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: tasks
      integer(c_int) :: error
    end function

    ! Requests.
    function c_start(request) bind(c, name="lapwing_array_start") result(error)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int) :: error
    end function
    function c_startall(count, requests) bind(c, name="lapwing_array_startall") result(error)
      import :: c_int, c_ptr
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: requests(*)
      integer(c_int) :: error
    end function
    function c_wait(request, status) bind(c, name="lapwing_array_wait") result(error)
      import :: c_int, c_ptr, lapwing_array_status
      type(c_ptr), intent(inout) :: request
      type(lapwing_array_status), intent(out) :: status
      integer(c_int) :: error
    end function
    function c_waitall(count, requests, statuses) bind(c, name="lapwing_array_waitall") result(error)
      import :: c_int, c_ptr, lapwing_array_status
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: requests(*)
      type(lapwing_array_status), intent(out) :: statuses(*)
      integer(c_int) :: error
    end function
    function c_waitany(count, requests, index, status) bind(c, name="lapwing_array_waitany") result(error)
      import :: c_int, c_ptr, lapwing_array_status
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: requests(*)
      integer(c_int), intent(out) :: index
      type(lapwing_array_status), intent(out) :: status
      integer(c_int) :: error
    end function
    function c_test(request, done, status) bind(c, name="lapwing_array_test") result(error)
      import :: c_int, c_ptr, lapwing_array_status
      type(c_ptr), intent(inout) :: request
      integer(c_int), intent(out) :: done
      type(lapwing_array_status), intent(out) :: status
      integer(c_int) :: error
    end function
    function c_testall(count, requests, done, statuses) bind(c, name="lapwing_array_testall") result(error)
      import :: c_int, c_ptr, lapwing_array_status
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: requests(*)
      integer(c_int), intent(out) :: done
      type(lapwing_array_status), intent(out) :: statuses(*)
      integer(c_int) :: error
    end function
    function c_request_free(request) bind(c, name="lapwing_array_request_free") result(error)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request
      integer(c_int) :: error
    end function
    function c_wait_section(request, first, count) bind(c, name="lapwing_array_wait_section") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: request
      integer(c_int64_t), intent(in) :: first(*), count(*)
      integer(c_int) :: error
    end function
    function c_test_section(request, first, count, landed) bind(c, name="lapwing_array_test_section") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: request
      integer(c_int64_t), intent(in) :: first(*), count(*)
      integer(c_int), intent(out) :: landed
      integer(c_int) :: error
    end function
    function c_progress() bind(c, name="lapwing_array_progress") result(error)
      import :: c_int
      integer(c_int) :: error
    end function
    function c_pack_size(array, tasks, bytes) bind(c, name="lapwing_array_pack_size") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: array, tasks
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: error
    end function
    function c_buffer_attach(buffer, bytes) bind(c, name="lapwing_array_buffer_attach") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: bytes
      integer(c_int) :: error
    end function
    function c_buffer_detach(buffer, bytes) bind(c, name="lapwing_array_buffer_detach") result(error)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(out) :: buffer
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: error
    end function
  end interface
end module lapwing_arrays_tasks_c
