! bindings.c in Fortran, call by call. BINDING_MPIF_H, BINDING_MPI or BINDING_MPI_F08 says by which binding.
!
! SPDX-License-Identifier: BSD-3-Clause
#ifdef BINDING_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#define STATUS_SHAPE
#else
#define HANDLE(kind) integer
#define STATUS integer
#define STATUS_SHAPE (MPI_STATUS_SIZE)
#endif
#ifdef BINDING_MPIF_H
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#elif defined BINDING_MPI
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif

module steps
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, left, right, ierr
contains

  subroutine point_to_point()
    integer :: out, in, outs(3), ins(3), indx, i
    logical :: flag
    HANDLE(MPI_Request) :: requests(6)
    HANDLE(MPI_Message) :: message
    STATUS :: status STATUS_SHAPE
    out = rank
    outs = rank
    call MPI_Sendrecv(out, 1, MPI_INTEGER, right, 1, in, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send(out, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    do i = 1, 3
      call MPI_Irecv(ins(i), 1, MPI_INTEGER, left, 2 + i, MPI_COMM_WORLD, requests(i), ierr)
      call MPI_Isend(outs(i), 1, MPI_INTEGER, right, 2 + i, MPI_COMM_WORLD, requests(3 + i), ierr)
    end do
    call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Isend(out, 1, MPI_INTEGER, right, 10, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Probe(left, 10, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(in, 1, MPI_INTEGER, left, 10, MPI_COMM_WORLD, status, ierr)
    call MPI_Waitany(1, requests, indx, status, ierr)
    call MPI_Isend(out, 1, MPI_INTEGER, right, 11, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Mprobe(left, 11, MPI_COMM_WORLD, message, status, ierr)
    call MPI_Mrecv(in, 1, MPI_INTEGER, message, status, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, status, ierr)
    end do
    call MPI_Isend(out, 1, MPI_INTEGER, right, 12, MPI_COMM_WORLD, requests(1), ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(left, 12, MPI_COMM_WORLD, flag, status, ierr)
    end do
    call MPI_Recv(in, 1, MPI_INTEGER, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(1), status, ierr)
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 13, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Cancel(requests(1), ierr)
    call MPI_Wait(requests(1), status, ierr)
  end subroutine

  subroutine persistent()
    integer :: out, in, round, i
    HANDLE(MPI_Request) :: requests(2)
    out = rank
    call MPI_Recv_init(in, 1, MPI_INTEGER, left, 20, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send_init(out, 1, MPI_INTEGER, right, 20, MPI_COMM_WORLD, requests(2), ierr)
    do round = 1, 3
      call MPI_Startall(2, requests, ierr)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_Start(requests(1), ierr)
    call MPI_Start(requests(2), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
    do i = 1, 2
      call MPI_Request_free(requests(i), ierr)
    end do
  end subroutine

  subroutine collectives()
    integer :: one, sum
    integer, allocatable :: all(:)
    HANDLE(MPI_Request) :: requests(2)
    allocate (all(ranks))
    one = rank
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Bcast(one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(one, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Gather(one, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Allgather(one, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Iallreduce(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  subroutine communicators()
    integer :: value, sum, source, destination
    HANDLE(MPI_Comm) :: half, copy, grid
    value = rank
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    call MPI_Comm_set_name(half, "half", ierr)
    call MPI_Comm_dup(half, copy, ierr)
    call MPI_Allreduce(value, sum, 1, MPI_INTEGER, MPI_SUM, copy, ierr)
    call MPI_Comm_free(copy, ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid, ierr)
    call MPI_Cart_shift(grid, 0, 1, source, destination, ierr)
    call MPI_Sendrecv_replace(value, 1, MPI_INTEGER, destination, 30, source, 30, grid, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(grid, ierr)
  end subroutine

  subroutine windows_and_files(file_name)
    character(*), intent(in) :: file_name
    integer :: memory(4), value
    HANDLE(MPI_Win) :: window
    HANDLE(MPI_File) :: file
    memory = 0
    value = rank
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    call MPI_Put(value, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, left, 0, window, ierr)
    call MPI_Get(value, 1, MPI_INTEGER, left, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    call MPI_Win_unlock(left, window, ierr)
    call MPI_Win_free(window, ierr)
    call MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
    call MPI_File_write_at_all(file, int(4 * rank, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_close(file, ierr)
  end subroutine

end module

program bindings
  use steps
  implicit none
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call point_to_point()
  call persistent()
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Pcontrol(1)
  call collectives()
  call communicators()
  call windows_and_files("bindings.data")
  call MPI_Finalize(ierr)
end program
