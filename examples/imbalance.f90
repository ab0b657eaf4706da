! The solver of imbalance.c in Fortran (use mpi): the same functions, the same waits, the same arithmetic.
!
!   one step, in units      0    1    2    3    4    5
!   rank 0   4 + 4 cells    [sweep|== if_970 ==|= if_946 =]Allreduce
!   rank 1   2 + 2 cells    [sweep|if_970|946]~~~~~~~~~~~~Allreduce
!   rank 2   none           [sweep]~~~~~~~~~~~~~~~~~~~~~~~Allreduce
!
! Wait at Allreduce: 1.8 + 3.6 (N - 2) units a step on N ranks; eos_match_if_970 causes two thirds of it,
! eos_match_if_946 one third. 10 steps; a unit is 10 ms, or what --unit MS says.
!
! SPDX-License-Identifier: BSD-3-Clause

! Emulated computation as in emulate.h: sleep until deadline = previous deadline + duration.
module emulate
  use, intrinsic :: iso_c_binding, only: c_int, c_long, c_ptr, c_null_ptr
  implicit none
  private
  public :: emulate_units, read_options

  type, bind(c) :: timespec
    integer(c_long) :: seconds = 0, nanoseconds = 0
  end type
  integer(c_int), parameter :: clock_monotonic = 1, timer_abstime = 1
  integer(c_long), parameter :: million = 1000000_c_long, billion = 1000000000_c_long
  double precision, save :: unit_ms = 10.0d0

  interface
    integer(c_int) function clock_gettime(clock, time) bind(c)
      import :: c_int, timespec
      integer(c_int), value :: clock
      type(timespec), intent(out) :: time
    end function
    integer(c_int) function clock_nanosleep(clock, flags, deadline, remaining) bind(c)
      import :: c_int, c_ptr, timespec
      integer(c_int), value :: clock, flags
      type(timespec), intent(in) :: deadline
      type(c_ptr), value :: remaining
    end function
  end interface

contains

  subroutine read_options()
    character(len=32) :: name, value
    integer :: error
    if (command_argument_count() == 0) return
    call get_command_argument(1, name)
    call get_command_argument(2, value)
    read (value, *, iostat=error) unit_ms
    if (name == '--unit' .and. command_argument_count() == 2 .and. error == 0) return
    print '(a)', 'usage: imbalance_fortran [--unit MS]'
    stop 2
  end subroutine

  subroutine emulate_units(units)
    double precision, intent(in) :: units
    integer(c_long), save :: deadline = 0
    integer(c_long) :: now
    type(timespec) :: time
    do while (clock_gettime(clock_monotonic, time) /= 0)
    end do
    now = time%seconds * billion + time%nanoseconds
    if (now - deadline >= 0.5d0 * unit_ms * million) deadline = now
    deadline = deadline + int(units * unit_ms * million, c_long)
    time = timespec(deadline / billion, mod(deadline, billion))
    do while (clock_nanosleep(clock_monotonic, timer_abstime, time, c_null_ptr) /= 0)
    end do
  end subroutine
end module

module solver
  use mpi
  use emulate, only: emulate_units
  implicit none

contains

  double precision function eos_match_if_970(density)
    double precision, intent(in) :: density
    call emulate_units(0.6d0)
    eos_match_if_970 = density * 1.01d0
  end function

  double precision function eos_match_if_946(density)
    double precision, intent(in) :: density
    call emulate_units(0.3d0)
    eos_match_if_946 = density * 0.99d0
  end function

  double precision function eos_match(cells, density)
    integer, intent(in) :: cells
    double precision, intent(in) :: density
    integer :: cell
    eos_match = 0
    do cell = 1, cells
      eos_match = eos_match + eos_match_if_970(density)
    end do
    do cell = 1, cells
      eos_match = eos_match + eos_match_if_946(density)
    end do
  end function

  subroutine sweep(rank, size, density)
    integer, intent(in) :: rank, size
    double precision, intent(inout) :: density
    double precision :: edge(1)
    integer :: status(MPI_STATUS_SIZE), error
    edge(1) = density
    call emulate_units(1.0d0)
    call MPI_Sendrecv_replace(edge, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 7, mod(rank + size - 1, size), 7, &
                              MPI_COMM_WORLD, status, error)
    density = 0.5d0 * (density + edge(1))
  end subroutine

  subroutine time_step(rank, size, density)
    integer, intent(in) :: rank, size
    double precision, intent(inout) :: density
    double precision :: mine(1), all(1)
    integer :: cells, error
    cells = 0
    if (rank == 0) cells = 4
    if (rank == 1) cells = 2
    call sweep(rank, size, density)
    mine(1) = density + eos_match(cells, density)
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    density = density + 1d-6 * all(1)
  end subroutine
end module

program imbalance
  use mpi
  use emulate, only: read_options
  use solver, only: time_step
  implicit none
  integer, parameter :: steps = 10
  integer :: rank, size, step, error
  double precision :: density
  call MPI_Init(error)
  call read_options()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  density = 1.0d0 + rank
  do step = 1, steps
    call time_step(rank, size, density)
  end do
  if (rank == 0) print '(a,i0,a,i0,a,f0.9)', 'imbalance: ', steps, ' steps on ', size, ' ranks, density ', density
  call MPI_Finalize(error)
end program
