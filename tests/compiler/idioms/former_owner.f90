! SPDX-License-Identifier: Apache-2.0
! A pointer that was associated with one allocatable leads to another's allocation once
! MOVE_ALLOC has handed that on. Two ranks.
module fields
  implicit none
  integer, parameter :: many = 400000
  real(8), allocatable, target :: a(:), b(:)
  real(8) :: w(many)
contains
  subroutine work()
    integer :: i, k
    do k = 1, 3
      do i = 2, many
        w(i) = 0.5d0*w(i) + w(i - 1)
      end do
    end do
  end subroutine
  real(8) function through_pointer()
    use mpi
    real(8), pointer, contiguous :: p(:)
    integer :: i, ierr
    p => a
    call move_alloc(a, b)
    call MPI_Recv(b, many, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call work()
    through_pointer = 0
    do i = 1, many
      through_pointer = through_pointer + p(i)
    end do
  end function
  ! The message goes where the pointer leads.
  real(8) function into_pointer()
    use mpi
    real(8), pointer, contiguous :: p(:)
    integer :: i, ierr
    p => b
    call move_alloc(b, a)
    call MPI_Recv(p, many, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call work()
    into_pointer = 0
    do i = 1, many
      into_pointer = into_pointer + a(i)
    end do
  end function
  ! The address is read above a start that not every way to the wait passes.
  real(8) function behind_a_question(asked)
    use mpi
    logical, intent(in) :: asked
    real(8), pointer, contiguous :: p(:)
    integer :: i, ierr, request
    request = MPI_REQUEST_NULL
    if (asked) then
      p => a
      call move_alloc(a, b)
      call MPI_Irecv(p, many, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, request, ierr)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call work()
    behind_a_question = 0
    do i = 1, many
      behind_a_question = behind_a_question + b(i)
    end do
  end function
  ! Nothing is handed on: this may be moved.
  real(8) function apart()
    use mpi
    integer :: i, ierr
    call MPI_Recv(a, many, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call work()
    apart = 0
    do i = 1, many
      apart = apart + a(i)
    end do
  end function
end module
program former_owner
  use mpi
  use fields
  implicit none
  integer :: ierr, rank, tag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  w = 1
  allocate(a(many))
  a = 0
  if (rank == 0) then
    print '(a, es23.16)', 'through a pointer', through_pointer()
    print '(a, es23.16)', 'into a pointer', into_pointer()
    print '(a, es23.16)', 'apart', apart()
    print '(a, es23.16)', 'behind a question', behind_a_question(command_argument_count() == 0)
  else
    do tag = 1, 4
      a = tag
      call MPI_Send(a, many, MPI_DOUBLE_PRECISION, 0, tag, MPI_COMM_WORLD, ierr)
    end do
  end if
  call MPI_Finalize(ierr)
end program
