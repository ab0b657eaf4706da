! time_steps.c in Fortran.
!
! SPDX-License-Identifier: BSD-3-Clause
program time_steps
  use mpi
  use waitprof
  implicit none
  integer :: step, error
  double precision :: mine, total

  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  mine = 1.0d0
  do step = 1, 6
    call waitprof_step()
    call waitprof_region_begin("sum  ")
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call waitprof_region_end("sum")
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
