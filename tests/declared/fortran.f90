! SPDX-License-Identifier: Apache-2.0
! The Fortran API: declared communication, short-cutting and explicit sets.
program declared
  use mpi
  use lapwing
  implicit none
  integer, target :: out(3000), in(3000), one, total
  integer :: rank, size, left, right, finder, failures, all_failures, ierror, expected
  integer :: members(64)
  double precision, target :: x
  type(c_ptr) :: race
  integer(c_long_long) :: token

  failures = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)

  out = rank
  in = -1
  call lapwing_declare_recv(in, 3000, MPI_INTEGER, left, 4, MPI_COMM_WORLD)
  call lapwing_declare_send(out, 3000, MPI_INTEGER, right, 4, MPI_COMM_WORLD)
  call lapwing_use(in, 12000_c_size_t)
  call check(all(in == left), "a received array")
  call lapwing_define(out, 12000_c_size_t)
  out = -5

  one = rank + 1
  total = 0
  call lapwing_declare_reduce(one, total, 1, MPI_INTEGER, MPI_SUM, size - 1, MPI_COMM_WORLD)
  call lapwing_declare_bcast(total, 1, MPI_INTEGER, size - 1, MPI_COMM_WORLD)
  x = rank
  call lapwing_declare_allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call lapwing_use(total, 4_c_size_t)
  call lapwing_use(x, 8_c_size_t)
  call check(total == size * (size + 1) / 2, "a reduction and a broadcast")
  call check(x == size - 1, "a reduction in place")
  call lapwing_complete()
  call check(lapwing_declared_pending() == 0, "nothing pending")

  race = lapwing_shortcut_begin(MPI_COMM_WORLD, lapwing_shortcut_any)
  one = 0
  if (rank == size - 1) then
    one = 42
    call lapwing_shortcut_found(race, one, 4_c_size_t)
  end if
  do while (lapwing_shortcut_done(race) == 0)
  end do
  finder = lapwing_shortcut_end(race, one, 4_c_size_t)
  call check(finder == size - 1 .and. one == 42, "a short-cut")

  call lapwing_split(MPI_COMM_WORLD, 2, modulo(rank, 2))
  expected = (size + 1 - modulo(rank, 2)) / 2
  token = lapwing_set_token(MPI_COMM_WORLD)
  call check(lapwing_set_size(MPI_COMM_WORLD) == expected, "the size of a set")
  call check(lapwing_set_rank(MPI_COMM_WORLD) == rank / 2, "the rank in a set")
  call check(lapwing_set_members(MPI_COMM_WORLD, members, 64) == expected, "the members of a set")
  call check(all(modulo(members(1:expected), 2) == modulo(rank, 2)), "which members")
  call check(lapwing_set_is_current(MPI_COMM_WORLD, token) == 1, "the current set")
  call lapwing_set_expect(MPI_COMM_WORLD, token)
  one = 1
  call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, lapwing_set_comm(MPI_COMM_WORLD), ierror)
  call check(total == expected, "the communicator of a set")
  call lapwing_on_set()
  call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check(total == expected, "a call on a set")
  call lapwing_merge(MPI_COMM_WORLD)
  call check(lapwing_set_size(MPI_COMM_WORLD) == size, "the set after the merge")

  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0 .and. all_failures == 0) print "(a)", "passed"
  call MPI_Finalize(ierror)

contains
  subroutine check(right_result, what)
    logical, intent(in) :: right_result
    character(*), intent(in) :: what
    if (right_result) return
    failures = failures + 1
    print "(a, i0, 2a)", "FAILED on rank ", rank, ": ", what
  end subroutine
end program
