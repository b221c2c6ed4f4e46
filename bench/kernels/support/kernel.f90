! SPDX-License-Identifier: Apache-2.0
! What the kernels in Fortran share: options, hashes, the report; the same as
! kernel.h. Nothing here is called inside a timed loop but kernel_fold.
module kernel
  implicit none
  integer, parameter :: i8 = selected_int_kind(18), r8 = kind(1.0d0)
  integer(i8), parameter :: golden = int(z'9e3779b97f4a7c15', i8)

  ! The command line; repeat and work are 0 for the class's default.
  type options_t
    character :: class_name = 'S'
    integer :: repeat = 0, work = 0, slabs = 16
    logical :: serial = .false., limit = .false., spoil = .false., expects = .false.
    integer(i8) :: expected = 0
  end type

  ! Seconds of one run, by what could be done at the same time (bench/README.md).
  type phases_t
    real(r8) :: compute = 0, transfer = 0, rest = 0, limit = 0
  end type

  type result_t
    real(r8) :: seconds = 0
    integer(i8) :: checksum = 0, received = 0
    logical :: verified = .false.
  end type

contains

  ! Ends the job with a sentence.
  subroutine kernel_fail(name, sentence)
    include 'mpif.h'
    character(*), intent(in) :: name, sentence
    integer :: rank, ierror
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) then
      write (0, '(a)') name//': '//sentence
      flush (0)
    end if
    call mpi_barrier(MPI_COMM_WORLD, ierror)  ! the sentence before MPI's own words
    call mpi_abort(MPI_COMM_WORLD, 2, ierror)
  end subroutine

  integer function number(name, option, text)
    character(*), intent(in) :: name, option, text
    integer :: status
    read (text, *, iostat=status) number
    if (status /= 0 .or. verify(trim(text), '0123456789') /= 0) number = 0
    if (number < 1) call kernel_fail(name, option//" needs a whole number above 0, not '"//trim(text)//"'.")
  end function

  ! Ends the job with a sentence where an option is wrong. Call after mpi_init.
  function kernel_parse(name) result(options)
    character(*), intent(in) :: name
    type(options_t) :: options
    character(64) :: option, text
    integer :: i, status
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, option)
      text = ''
      if (i < command_argument_count()) call get_command_argument(i + 1, text)
      i = i + 2
      select case (option)
      case ('--serial', '--limit', '--spoil')
        i = i - 1
        if (option == '--serial') options%serial = .true.
        if (option == '--limit') options%limit = .true.
        if (option == '--spoil') options%spoil = .true.
      case ('--class')
        if (len_trim(text) /= 1 .or. verify(trim(text), 'SWAB') /= 0) &
          call kernel_fail(name, '--class is one of S, W, A and B.')
        options%class_name = text(1:1)
      case ('--repeat')
        options%repeat = number(name, '--repeat', text)
      case ('--work')
        options%work = number(name, '--work', text)
      case ('--slabs')
        options%slabs = number(name, '--slabs', text)
      case ('--expect')
        read (text, '(z16)', iostat=status) options%expected
        if (status /= 0 .or. len_trim(text) == 0 .or. len_trim(text) > 16) &
          call kernel_fail(name, '--expect needs a checksum of up to 16 hexadecimal digits.')
        options%expects = .true.
      case default
        call kernel_fail(name, "unknown option '"//trim(option)//"'. Known: --class S|W|A|B, --repeat N, "// &
                         "--work N, --slabs N, --expect HEX, --serial, --limit, --spoil.")
      end select
    end do
  end function

  pure integer(i8) function kernel_mix(value)
    integer(i8), intent(in) :: value
    integer(i8) :: z
    z = ieor(value, ishft(value, -30))*int(z'bf58476d1ce4e5b9', i8)
    z = ieor(z, ishft(z, -27))*int(z'94d049bb133111eb', i8)
    kernel_mix = ieor(z, ishft(z, -31))
  end function

  ! The share of one result in the checksum: its place counts, its owner does not.
  pure integer(i8) function kernel_share(value, place)
    real(r8), intent(in) :: value
    integer(i8), intent(in) :: place
    real(r8) :: number_
    integer(i8) :: bits
    equivalence(number_, bits)
    number_ = value
    kernel_share = kernel_mix(bits + (place + 1)*golden)
  end function

  ! A number in [0, 1) that depends on the place alone.
  pure real(r8) function kernel_random(place)
    integer(i8), intent(in) :: place
    kernel_random = real(ishft(kernel_mix((place + 1)*golden), -12), r8)/4503599627370496.0_r8
  end function

  ! The sum of all ranks' checksums.
  integer(i8) function kernel_sum(mine)
    include 'mpif.h'
    integer(i8), intent(in) :: mine
    integer :: ierror
    call mpi_allreduce(mine, kernel_sum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
  end function

  ! As JSON wants it: a digit before the point.
  function decimal(seconds) result(text)
    real(r8), intent(in) :: seconds
    character(:), allocatable :: text
    character(24) :: wide
    write (wide, '(f24.6)') seconds
    text = trim(adjustl(wide))
  end function

  function hexadecimal(value) result(text)
    integer(i8), intent(in) :: value
    character(16) :: text
    integer :: i
    write (text, '(z16.16)') value
    do i = 1, 16
      if (text(i:i) >= 'A') text(i:i) = achar(iachar(text(i:i)) + 32)
    end do
  end function

  ! Collective: one line of JSON from rank 0; gives rank 0's verdict.
  logical function kernel_report(name, variant, options, result, phases)
    include 'mpif.h'
    character(*), intent(in) :: name, variant
    type(options_t), intent(in) :: options
    type(result_t), intent(in) :: result
    type(phases_t), intent(in), optional :: phases
    character(400) :: first, second
    character(5) :: verdict
    type(phases_t) :: mine
    real(r8) :: slowest(5)
    integer(i8) :: received, bits(5), most(5)
    integer :: rank, ranks, ierror
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
    if (present(phases)) mine = phases
    ! As the bits of integers: without interfaces a compiler wants one type for all calls.
    bits = transfer((/result%seconds, mine%compute, mine%transfer, mine%rest, mine%limit/), bits)
    call mpi_allreduce(bits(1), most(1), 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    slowest = transfer(most, slowest)
    received = kernel_sum(result%received*(2*rank + 1))
    kernel_report = result%verified
    call mpi_bcast(kernel_report, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierror)
    if (rank /= 0) return
    verdict = merge('true ', 'false', kernel_report)
    write (first, '(a,i0,a,i0,a,i0,a)') &
      '{"kernel":"'//name//'","variant":"'//variant//'","class":"'//options%class_name//'","ranks":', ranks, &
      ',"repeat":', options%repeat, ',"work":', options%work, ',"seconds":'//decimal(slowest(1))// &
      ',"verified":'//trim(verdict)//',"checksum":"'//hexadecimal(result%checksum)// &
      '","received":"'//hexadecimal(received)//'"'
    if (present(phases)) then
      second = ',"compute_s":'//decimal(slowest(2))//',"transfer_s":'//decimal(slowest(3))// &
               ',"rest_s":'//decimal(slowest(4))//',"limit_s":'//decimal(slowest(5))//'}'
    else
      second = ',"compute_s":null,"transfer_s":null,"rest_s":null,"limit_s":null}'
    end if
    write (*, '(a)') trim(first)//trim(second)
    flush (6)
  end function

end module
