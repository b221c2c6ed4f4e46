! SPDX-License-Identifier: Apache-2.0
!
! Process sets, declared communication, short-cutting and hints for Fortran: the C API
! of lapwing/sets.h, lapwing/declare.h, lapwing/shortcut.h and lapwing/hints.h, where every routine
! is described. Handles are integers, as of mpif.h and `use mpi`; with mpi_f08
! give comm%MPI_VAL. The module holds interfaces only, so that any compiler can
! make it from this file; `lwfc` finds the one made by flang.
module lapwing
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_long_long, c_ptr
  implicit none
  private
  public :: c_ptr, c_size_t, c_long_long

  ! Modes, as lapwing_sets_mode() gives them.
  integer(c_int), parameter, public :: lapwing_sets_off = 0, lapwing_sets_check = 1, lapwing_sets_run = 2
  ! The result that a short-cut chooses.
  integer(c_int), parameter, public :: lapwing_shortcut_any = 0, lapwing_shortcut_lowest = 1

  ! The order in which the bytes of a message are used.
  integer(c_int), parameter, public :: lapwing_order_auto = 0, lapwing_order_up = 1, lapwing_order_down = 2

  public :: lapwing_set_order, lapwing_set_decomposition, lapwing_set_train, lapwing_reset_hints
  public :: lapwing_sets_mode, lapwing_split, lapwing_merge, lapwing_on_set, lapwing_set_size, lapwing_set_rank
  public :: lapwing_set_members, lapwing_set_comm, lapwing_set_token, lapwing_set_is_current, lapwing_set_expect
  public :: lapwing_sets_exclude, lapwing_set_publish
  public :: lapwing_declare_open, lapwing_declare_send, lapwing_declare_recv, lapwing_declare_bcast
  public :: lapwing_declare_reduce, lapwing_declare_allreduce, lapwing_use, lapwing_define, lapwing_complete
  public :: lapwing_declared_pending, lapwing_declared_progress, lapwing_declared_print
  public :: lapwing_shortcut_begin, lapwing_shortcut_found, lapwing_shortcut_done, lapwing_shortcut_end

  interface
    ! Hints, for what this thread sends and receives next.
    function lapwing_set_order(order) bind(c, name="lapwing_set_order") result(status)
      import :: c_int
      integer(c_int), value :: order
      integer(c_int) :: status
    end function

    function lapwing_set_decomposition(first, largest) bind(c, name="lapwing_set_decomposition") result(status)
      import :: c_int, c_size_t
      integer(c_size_t), value :: first, largest
      integer(c_int) :: status
    end function

    function lapwing_set_train(messages) bind(c, name="lapwing_set_train") result(status)
      import :: c_int
      integer(c_int), value :: messages
      integer(c_int) :: status
    end function

    function lapwing_reset_hints() bind(c, name="lapwing_reset_hints") result(status)
      import :: c_int
      integer(c_int) :: status
    end function

    ! Process sets.
    function lapwing_sets_mode() bind(c, name="lapwing_sets_mode") result(mode)
      import :: c_int
      integer(c_int) :: mode
    end function

    subroutine lapwing_split(comm, branches, branch) bind(c, name="lapwing_split_f")
      import :: c_int
      integer(c_int), value :: comm, branches, branch
    end subroutine

    subroutine lapwing_merge(comm) bind(c, name="lapwing_merge_f")
      import :: c_int
      integer(c_int), value :: comm
    end subroutine

    ! Directly before the collective call that it is meant for.
    subroutine lapwing_on_set() bind(c, name="lapwing_on_set_f")
    end subroutine

    function lapwing_set_size(comm) bind(c, name="lapwing_set_size_f") result(size)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: size
    end function

    function lapwing_set_rank(comm) bind(c, name="lapwing_set_rank_f") result(rank)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: rank
    end function

    function lapwing_set_members(comm, ranks, room) bind(c, name="lapwing_set_members_f") result(members)
      import :: c_int
      integer(c_int), value :: comm, room
      integer(c_int), intent(inout) :: ranks(*)
      integer(c_int) :: members
    end function

    function lapwing_set_comm(comm) bind(c, name="lapwing_set_comm_f") result(of_set)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: of_set
    end function

    ! A name among MPI's process sets for the current set; blanks behind it do not count.
    subroutine lapwing_set_publish(comm, name)
      integer, intent(in) :: comm
      character(len=*), intent(in) :: name
    end subroutine

    function lapwing_set_token(comm) bind(c, name="lapwing_set_token_f") result(token)
      import :: c_int, c_long_long
      integer(c_int), value :: comm
      integer(c_long_long) :: token
    end function

    function lapwing_set_is_current(comm, token) bind(c, name="lapwing_set_is_current_f") result(current)
      import :: c_int, c_long_long
      integer(c_int), value :: comm
      integer(c_long_long), value :: token
      integer(c_int) :: current
    end function

    subroutine lapwing_set_expect(comm, token) bind(c, name="lapwing_set_expect_f")
      import :: c_int, c_long_long
      integer(c_int), value :: comm
      integer(c_long_long), value :: token
    end subroutine

    subroutine lapwing_sets_exclude(comm) bind(c, name="lapwing_sets_exclude_f")
      import :: c_int
      integer(c_int), value :: comm
    end subroutine

    ! Declared communication. Buffers may be of any type and rank, but contiguous, and have the target or
    ! asynchronous attribute: they are read and written after the call has returned.
    subroutine lapwing_declare_open(comm) bind(c, name="lapwing_declare_open_f")
      import :: c_int
      integer(c_int), value :: comm
    end subroutine

    subroutine lapwing_declare_send(buffer, count, datatype, dest, tag, comm) bind(c, name="lapwing_declare_send_f")
      import :: c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count, datatype, dest, tag, comm
    end subroutine

    subroutine lapwing_declare_recv(buffer, count, datatype, source, tag, comm) bind(c, name="lapwing_declare_recv_f")
      import :: c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count, datatype, source, tag, comm
    end subroutine

    subroutine lapwing_declare_bcast(buffer, count, datatype, root, comm) bind(c, name="lapwing_declare_bcast_f")
      import :: c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count, datatype, root, comm
    end subroutine

    subroutine lapwing_declare_reduce(sendbuf, recvbuf, count, datatype, op, root, comm) &
        bind(c, name="lapwing_declare_reduce_f")
      import :: c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      !DIR$ IGNORE_TKR sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer(c_int), value :: count, datatype, op, root, comm
    end subroutine

    subroutine lapwing_declare_allreduce(sendbuf, recvbuf, count, datatype, op, comm) &
        bind(c, name="lapwing_declare_allreduce_f")
      import :: c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      !DIR$ IGNORE_TKR sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer(c_int), value :: count, datatype, op, comm
    end subroutine

    ! Before `bytes` bytes at a variable are read, or written.
    subroutine lapwing_use(variable, bytes) bind(c, name="lapwing_use")
      import :: c_size_t
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: variable
      !DIR$ IGNORE_TKR variable
      type(*), dimension(*) :: variable
      integer(c_size_t), value :: bytes
    end subroutine

    subroutine lapwing_define(variable, bytes) bind(c, name="lapwing_define")
      import :: c_size_t
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: variable
      !DIR$ IGNORE_TKR variable
      type(*), dimension(*) :: variable
      integer(c_size_t), value :: bytes
    end subroutine

    subroutine lapwing_complete() bind(c, name="lapwing_complete")
    end subroutine

    function lapwing_declared_pending() bind(c, name="lapwing_declared_pending") result(pending)
      import :: c_int
      integer(c_int) :: pending
    end function

    subroutine lapwing_declared_progress() bind(c, name="lapwing_declared_progress")
    end subroutine

    subroutine lapwing_declared_print() bind(c, name="lapwing_declared_print")
    end subroutine

    ! Short-cutting.
    function lapwing_shortcut_begin(comm, choice) bind(c, name="lapwing_shortcut_begin_f") result(context)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, choice
      type(c_ptr) :: context
    end function

    subroutine lapwing_shortcut_found(context, data, bytes) bind(c, name="lapwing_shortcut_found")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: context
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      !DIR$ IGNORE_TKR data
      type(*), dimension(*) :: data
      integer(c_size_t), value :: bytes
    end subroutine

    function lapwing_shortcut_done(context) bind(c, name="lapwing_shortcut_done") result(done)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int) :: done
    end function

    function lapwing_shortcut_end(context, data, bytes) bind(c, name="lapwing_shortcut_end") result(finder)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: data
      !DIR$ IGNORE_TKR data
      type(*), dimension(*) :: data
      integer(c_size_t), value :: bytes
      integer(c_int) :: finder
    end function
  end interface
end module lapwing
