! SPDX-License-Identifier: Apache-2.0
! Pairs of ranks hand each other a large array, which lies in a COMMON block,
! and combine it with their own; MPI through mpif.h, in FORTRAN 77's style.
      program exchange
      implicit none
      include 'mpif.h'
      integer n, steps
      parameter (n = 524288, steps = 8)
      double precision mine(n), theirs(n), total, sum, flow
      common /blocks/ mine, theirs
      integer rank, ranks, other, i, step, ierror
      integer status(MPI_STATUS_SIZE)

      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      other = ieor(rank, 1)
      if (other .ge. ranks) other = MPI_PROC_NULL
      do i = 1, n
         mine(i) = mod(i * 37 + rank, 1009) / 1009.0d0
         theirs(i) = 0.0d0
      end do

      do step = 1, steps
         if (mod(rank, 2) .eq. 0) then
            call MPI_SEND(mine, n, MPI_DOUBLE_PRECISION, other, step,
     &                    MPI_COMM_WORLD, ierror)
            call MPI_RECV(theirs, n, MPI_DOUBLE_PRECISION, other, step,
     &                    MPI_COMM_WORLD, status, ierror)
         else
            call MPI_RECV(theirs, n, MPI_DOUBLE_PRECISION, other, step,
     &                    MPI_COMM_WORLD, status, ierror)
            call MPI_SEND(mine, n, MPI_DOUBLE_PRECISION, other, step,
     &                    MPI_COMM_WORLD, ierror)
         end if
         flow = 0.0d0
         do i = 1, n
            flow = 0.5d0 * (flow + theirs(i))
            mine(i) = 0.75d0 * mine(i) + 0.25d0 * flow
         end do
      end do

      total = 0.0d0
      do i = 1, n
         total = total + mine(i) * mod(i, 7)
      end do
      call MPI_REDUCE(total, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ierror)
      if (rank .eq. 0) write (*, '(a, i3, a, z16.16)')
     &   'exchange (mpif.h): ', ranks, ' ranks, checksum ', sum
      call MPI_FINALIZE(ierror)
      end
