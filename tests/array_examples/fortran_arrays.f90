! SPDX-License-Identifier: Apache-2.0
!
! The Fortran module on 3 processes, tasks of 2 and 1, with errors returned: every kind
! and rank, requests, collectives, and what is refused before or by the call.
program fortran_arrays
  use mpi_f08
  use lapwing_arrays_f08
  implicit none
  integer, parameter :: n = 10
  type(lapwing_tasks) :: tasks, copy
  type(lapwing_distribution) :: array, other, permuted, converting
  type(lapwing_array_status) :: status
  type(lapwing_array_request) :: requests(2)
  type(MPI_Comm) :: comm
  real(4), allocatable, target :: a(:), b(:)
  integer(1), allocatable :: bytes(:)
  integer(2), allocatable, target :: cube(:, :, :)
  real(8) :: wrong(n), sum_of, mine
  integer(8) :: index(1), attached
  integer :: rank, ierr, i, which, plain
  logical :: sender, done
  character(len=:), allocatable :: text

  call MPI_Init()
  call lapwing_array_errors_return(.true.)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call lapwing_tasks_create(MPI_COMM_WORLD, merge(0, 1, rank < 2), tasks)
  call lapwing_tasks_create(MPI_COMM_WORLD%MPI_VAL, merge(0, 1, rank < 2), copy)
  call lapwing_tasks_free(copy)
  call lapwing_tasks_dup(tasks, copy)
  sender = lapwing_tasks_rank(tasks) == 0
  rank = lapwing_tasks_process_rank(tasks)
  call lapwing_tasks_comm(tasks, comm)
  call MPI_Comm_size(comm, i)
  call expect(i == lapwing_tasks_processes(tasks, lapwing_tasks_rank(tasks)), "the task's communicator")
  call lapwing_tasks_comm(tasks, plain)
  call expect(plain == comm%MPI_VAL, "the communicator as an integer")

  ! A vector, cyclic at the sender.
  if (sender) then
    call lapwing_distribution_create(array, lapwing_float32, [lapwing_cyclic(n, 3, 1)], [2])
  else
    call lapwing_distribution_create(array, lapwing_float32, [lapwing_collapsed(n)], [1])
  end if
  allocate (a(product(lapwing_local_extents(array, rank))), b(product(lapwing_local_extents(array, rank))))
  do i = 1, size(a)
    call lapwing_distribution_index(array, rank, int(i, 8), index)
    b(i) = index(1)
    call expect(lapwing_distribution_position(array, rank, index) == i, "position and index")
  end do
  a = merge(b, -1.0, sender)
  if (sender) then
    call lapwing_array_isend(a, array, 1, 1, tasks, requests(1))
    call lapwing_array_isend(a, array, 1, 2, copy, requests(2))
    call lapwing_array_waitall(requests)
    call lapwing_array_pack_size(array, tasks, attached)
    allocate (bytes(attached + 4096))
    call lapwing_array_buffer_attach(bytes)
    call lapwing_array_bsend(a, array, 1, 3, tasks)
    call lapwing_array_buffer_detach()
  else
    call lapwing_array_irecv(a, array, lapwing_any_task, lapwing_any_tag, tasks, requests(1))
    call lapwing_array_wait_section(requests(1), [1], [2])
    call expect(all(a(1:2) == b(1:2)), "a section that has landed")
    call lapwing_array_test_section(requests(1), [1], [2], done)
    call expect(done, "what has landed stays so")
    call lapwing_array_wait(requests(1), status)
    call expect(all(a == b) .and. status%task == 0 .and. status%tag == 1 .and. status%elements == n, "irecv")
    a = -1
    call lapwing_array_irecv(a, array, 0, 2, copy, requests(2))
    call lapwing_array_waitany(requests, which)
    call expect(which == 2 .and. all(a == b), "waitany")
    call lapwing_array_test(requests(2), done)
    call expect(done, "a request that is complete")
    a = -1
    call lapwing_array_recv(a, array, 0, 3, tasks, ierr=ierr)
    call expect(ierr == 0 .and. all(a == b), "a buffered send")
  end if

  ! Rank 3, into another kind, the dimensions in another order.
  if (sender) then
    call lapwing_distribution_create(other, lapwing_int16, &
                                     [lapwing_block(4, 2, 1), lapwing_collapsed(5), lapwing_irregular([3], 2)], [2, 1])
    allocate (cube(2, 5, 3))
    cube = reshape([(int(i, 2), i=1, 30)], [2, 5, 3]) + int(100 * rank, 2)
    call lapwing_array_send(cube, other, 1, 4, tasks)
  else
    call three_dimensions(other)
  end if
  call lapwing_distribution_free(other)

  ! Refused: another kind, elements that do not lie side by side, shapes that differ.
  wrong = 0
  if (sender) then
    call lapwing_array_send(wrong, array, 1, 5, tasks, ierr=ierr)
    call expect(ierr == lapwing_array_err_buffer, "another kind")
  else
    call lapwing_array_recv(a, array, 0, 5, tasks, ierr=ierr)
    call expect(ierr == lapwing_array_err_buffer, "the receiver of another kind")
  end if
  deallocate (b)
  allocate (b(2 * n))
  if (sender) then
    call lapwing_array_send(b(1:2 * size(a):2), array, 1, 6, tasks, ierr=ierr)
    call expect(ierr == lapwing_array_err_buffer .and. len(lapwing_array_error_string()) > 20, "gaps")
    call lapwing_array_send(a, array, 1, 7, tasks, ierr=ierr)
  else
    call lapwing_array_recv(a, array, 0, 6, tasks, ierr=ierr)
    call expect(ierr == lapwing_array_err_buffer, "the receiver of gaps")
    call lapwing_distribution_create(other, lapwing_float32, [lapwing_collapsed(n - 1)], [1])
    call lapwing_array_recv(a, other, 0, 7, tasks, ierr=ierr)
  end if
  call expect(ierr == lapwing_array_err_shape, "shapes that differ")
  text = lapwing_array_error_string()
  call expect(scan(text, "9") > 0 .and. scan_for(text, "10") > 0, "the sentence: " // text)

  ! Collectives.
  call lapwing_tasks_barrier(tasks)
  mine = lapwing_tasks_rank(tasks) + 1
  call lapwing_tasks_allreduce(mine, sum_of, 1, MPI_DOUBLE_PRECISION%MPI_VAL, MPI_SUM%MPI_VAL, tasks)
  call expect(sum_of == 3, "a sum over tasks")
  deallocate (b)
  allocate (b(size(a)))
  a = 1 + lapwing_tasks_rank(tasks)
  call lapwing_array_allreduce(a, b, array, MPI_SUM%MPI_VAL, tasks)
  call expect(all(b == 3), "a sum of arrays")
  call lapwing_array_bcast(a, array, 1, tasks)
  call expect(all(a == 2), "a broadcast array")

  call ghosts(lapwing_tasks_processes(tasks, lapwing_tasks_rank(tasks)))

  call transforms(lapwing_tasks_processes(tasks, lapwing_tasks_rank(tasks)))

  call index_lists(lapwing_tasks_processes(tasks, lapwing_tasks_rank(tasks)))

  text = lapwing_array_schedule(array, array, rank, lapwing_schedule_ascii)
  call expect(len(text) > 0, "a drawing")
  call lapwing_distribution_free(array)
  call lapwing_tasks_free(copy)
  call lapwing_tasks_free(tasks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) print '(a)', "fortran_arrays: all as expected"
  call MPI_Finalize()

contains

  subroutine three_dimensions(whole)
    type(lapwing_distribution), intent(out) :: whole
    complex(8), target :: x(5, 3, 4)
    integer :: p, q, r
    logical :: right
    call lapwing_distribution_create(whole, lapwing_complex128, &
                                     [lapwing_collapsed(5), lapwing_collapsed(3), lapwing_collapsed(4)], [1])
    call lapwing_distribution_section(whole, [1, 1, 1], [5, 3, 4], permuted, permutation=[2, 3, 1])
    call lapwing_distribution_converting(permuted, converting)
    call lapwing_array_recv(lapwing_local(x), converting, 0, 4, tasks)
    right = .true.
    do r = 1, 4
      do q = 1, 3
        do p = 1, 5
          right = right .and. nint(real(x(p, q, r))) == 100 * ((r - 1) / 2) + mod(r - 1, 2) + 1 + 2 * (p - 1) + 10 * (q - 1)
        end do
      end do
    end do
    call expect(right, "three dimensions, permuted and converted")
  end subroutine

  ! C = alpha op(A) + beta C of a complex and of a real matrix, blocking, without waiting and again.
  subroutine transforms(processes)
    integer, intent(in) :: processes
    type(lapwing_distribution) :: columns, rows
    type(lapwing_array_request) :: again
    complex(8), allocatable, target :: z(:, :), w(:, :)
    complex(8), parameter :: alpha = (2.0d0, -1.0d0), beta = (0.5d0, 0.25d0)
    real(4), allocatable, target :: a(:, :), c(:, :)
    integer :: i, j, mine, first, turn
    mine = n / processes
    first = rank * mine
    call lapwing_distribution_create(columns, lapwing_complex128, [lapwing_collapsed(n), &
      lapwing_block(n, processes, 1)], [processes])
    allocate (z(n, mine), w(n, mine), a(n, mine), c(mine, n))
    do j = 1, mine
      do i = 1, n
        z(i, j) = cmplx(i, 10*(first + j), 8)
        w(i, j) = cmplx(first + j, -i, 8)
        a(i, j) = i + 100*(first + j)
      end do
    end do
    call lapwing_array_transform(lapwing_op_conjugate_transpose, alpha, z, columns, beta, w, columns, tasks)
    do j = 1, mine
      do i = 1, n
        call expect(w(i, j) == alpha*cmplx(first + j, -10*i, 8) + beta*cmplx(first + j, -i, 8), "a transform")
      end do
    end do
    call lapwing_distribution_free(columns)
    call lapwing_distribution_create(columns, lapwing_float32, [lapwing_collapsed(n), &
      lapwing_block(n, processes, 1)], [processes])
    call lapwing_distribution_create(rows, lapwing_float32, [lapwing_block(n, processes, 1), lapwing_collapsed(n)], &
      [processes])
    c = 1
    call lapwing_array_itransform(lapwing_op_transpose, 2.0, a, columns, 1.0, c, rows, tasks, again)
    call lapwing_array_wait(again)
    call lapwing_array_transform_init(lapwing_op_transpose, (2d0, 0d0), lapwing_local(a), columns, (1d0, 0d0), &
      lapwing_local(c), rows, tasks, again)
    do turn = 1, 2
      call lapwing_array_start(again)
      call lapwing_array_wait(again)
    end do
    call lapwing_array_request_free(again)
    do j = 1, n
      do i = 1, mine
        call expect(c(i, j) == 1 + 6*(j + 100*(first + i)), "a transform again and again")
      end do
    end do
    call lapwing_array_transform(17, 2.0, a, columns, 1.0, c, rows, tasks, ierr)
    call expect(ierr == lapwing_array_err_argument, "an op of an unknown sort")
    call lapwing_distribution_free(columns)
    call lapwing_distribution_free(rows)
  end subroutine

  ! Blocks of columns, the rows periodic: a blocking, a non-blocking and a persistent update fill the same.
  subroutine ghosts(processes)
    integer, intent(in) :: processes
    type(lapwing_distribution) :: layered
    type(lapwing_array_request) :: update
    real(4), allocatable, target :: u(:, :)
    real(4), allocatable :: whole(:, :), expected(:, :), fresh(:, :)
    integer :: mine, first, p, q, turn
    call lapwing_distribution_create(layered, lapwing_float32, [lapwing_collapsed(3, ghost_below=1), &
      lapwing_block(n, processes, 1, ghost_below=2, ghost_above=1)], [processes])
    mine = n / processes
    first = rank * mine + 1
    allocate (u(0:3, -1:mine + 1), whole(0:3, -1:n + 1))
    whole = -1
    do q = 1, n
      do p = 0, 3
        whole(p, q) = 100 * (modulo(p - 1, 3) + 1) + q
      end do
    end do
    expected = whole(:, first - 2:first + mine)
    u = -1
    u(1:3, 1:mine) = whole(1:3, first:first + mine - 1)
    fresh = u
    call lapwing_array_update_ghosts(u, layered, lapwing_ghosts_corners, tasks, periodic=[.true., .false.])
    call expect(all(u == expected), "ghosts")
    u = fresh
    call lapwing_array_iupdate_ghosts(u, layered, lapwing_ghosts_corners, tasks, update, [.true., .false.], ierr)
    call lapwing_array_wait(update)
    call expect(ierr == 0 .and. all(u == expected), "ghosts without waiting")
    call lapwing_array_update_ghosts_init(u, layered, lapwing_ghosts_corners, tasks, update, [.true., .false.])
    do turn = 1, 3
      u = fresh
      call lapwing_array_start(update)
      call lapwing_array_wait(update)
      call expect(all(u == expected), "ghosts again and again")
    end do
    call lapwing_array_request_free(update)
    u = fresh
    call lapwing_array_update_ghosts(u, layered, lapwing_ghosts_faces, tasks)
    expected(lbound(expected, 1), :) = -1
    call expect(all(u == expected), "faces only")
    call lapwing_array_update_ghosts(u, layered, lapwing_ghosts_faces, tasks, periodic=[.true.], ierr=ierr)
    call expect(ierr == lapwing_array_err_buffer, "one flag for two dimensions")
    call lapwing_array_update_ghosts(u, layered, 7, tasks, ierr=ierr)
    call expect(ierr == lapwing_array_err_argument, "ghosts of an unknown sort")
    ! Each element of the outer columns is a ghost of as many processes as it has neighbours there.
    u = 1
    call lapwing_array_add_ghosts(u, layered, lapwing_ghosts_faces, tasks)
    call expect(all(u(1:3, 2:mine - 2) == 1) .and. all(u(0, :) == 1), "ghosts that no process has")
    call expect(all(u(1:3, 1) == merge(2, 1, rank > 0)), "the first column")
    call expect(all(u(1:3, mine - 1:mine) == merge(2, 1, rank < processes - 1)), "the last two columns")
    call lapwing_array_iadd_ghosts(u, layered, lapwing_ghosts_faces, tasks, update)
    call lapwing_array_wait(update)
    call lapwing_array_add_ghosts_init(u, layered, lapwing_ghosts_faces, tasks, update)
    call lapwing_array_start(update)
    call lapwing_array_wait(update)
    call expect(all(u(1:3, 1) == merge(4, 1, rank > 0)), "three additions")
    call lapwing_array_request_free(update)
    call lapwing_distribution_free(layered)
  end subroutine

  ! Every so-manieth column, from the last one on, and from there into rows; then what is refused.
  subroutine index_lists(processes)
    integer, intent(in) :: processes
    type(lapwing_index_lists) :: lists
    type(lapwing_distribution) :: columns, rows
    real(8), allocatable :: u(:, :), v(:, :)
    integer, allocatable :: mine(:)
    integer(8) :: at(2)
    integer :: p, q
    mine = [(p, p=n - rank, 1, -processes)]
    call lapwing_index_lists_create(lists, n, mine, tasks)
    call lapwing_distribution_create(columns, lapwing_float64, [lapwing_collapsed(4), lapwing_indexed(lists, 1)], [processes])
    call lapwing_index_lists_free(lists)
    call lapwing_distribution_create(rows, lapwing_float64, [lapwing_block(4, processes, 1), lapwing_collapsed(n)], [processes])
    allocate (u(4, size(mine)), v(4 / processes, n))
    do q = 1, size(mine)
      u(:, q) = [(100 * p + mine(q), p=1, 4)]
    end do
    call lapwing_array_redistribute(u, columns, v, rows, tasks)
    do q = 1, n
      do p = 1, size(v, 1)
        call expect(nint(v(p, q)) == 100 * (p + rank * size(v, 1)) + q, "from index lists into rows")
      end do
    end do
    call lapwing_distribution_index(columns, rank, 5_8, at)
    call expect(all(at == [1, mine(2)]), "an index by its list")
    call expect(lapwing_distribution_position(columns, rank, [2, mine(2)]) == 6, "a position in a list")
    call lapwing_distribution_free(columns)
    call lapwing_distribution_free(rows)
    call lapwing_index_lists_create(lists, n, [1, 11], tasks, [processes], 1, ierr=ierr)
    text = lapwing_array_error_string()
    call expect(ierr == lapwing_array_err_argument .and. scan_for(text, "position 1") > 0, "an index outside: " // text)
  end subroutine

  integer function scan_for(string, part)
    character(len=*), intent(in) :: string, part
    integer :: at
    scan_for = 0
    do at = 1, len(string) - len(part) + 1
      if (string(at:at + len(part) - 1) == part) scan_for = at
    end do
  end function

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print '(a,i0,2a)', "process ", rank, " of the task: not as expected: ", what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
