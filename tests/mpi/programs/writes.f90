! As writes.c, with the WRITE of Fortran.
!
! SPDX-License-Identifier: BSD-3-Clause
subroutine kernel()
  implicit none
  double precision, volatile :: total
  integer :: i
  total = 0
  do i = 1, 2000000
    total = total * 0.999d0 + 1
  end do
end subroutine

subroutine checkpoint(grid)
  implicit none
  double precision, intent(in) :: grid(131072)
  open(unit=10, file='checkpoint.bin', form='unformatted', access='stream', status='replace')
  write(10) grid
  close(10)
end subroutine

program writes
  use mpi
  implicit none
  double precision, save :: grid(131072) = 1
  integer :: failed, rank, step
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  do step = 1, 5
    call kernel()
    if (rank == 0) call checkpoint(grid)
    call MPI_Barrier(MPI_COMM_WORLD, failed)
  end do
  call MPI_Finalize(failed)
end program
