! SPDX-License-Identifier: Apache-2.0
! Counts what held and says what did not.
module checks
  implicit none
  integer :: held = 0, failed = 0
contains
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) then
      held = held + 1
    else
      failed = failed + 1
      print '(2a)', 'FAILED: ', what
    end if
  end subroutine

  ! After MPI_Finalize. A program that checked less than it should has failed, too.
  subroutine finish(least)
    integer, intent(in) :: least
    if (failed > 0) error stop 1
    if (held < least) then
      print '(a, i0, a, i0)', 'FAILED: only ', held, ' checks of ', least
      error stop 2
    end if
    print '(a)', 'passed'
  end subroutine
end module
