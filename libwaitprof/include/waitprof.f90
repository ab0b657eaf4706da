! Regions and time steps of your Fortran program in the recording: waitprof.h for Fortran. Add this file to your
! sources; nothing to link.
!
!   use waitprof
!
!   call waitprof_region_begin("assemble")
!   ...
!   call waitprof_region_end("assemble")
!
!   do step = 1, steps
!     call waitprof_step()        ! a time step begins; on all ranks, at the same place
!     ...
!
! Without libwaitprof.so in the process every call is one test of a pointer. Trailing blanks of a name do not count.
!
! SPDX-License-Identifier: BSD-3-Clause
module waitprof
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: waitprof_region_begin, waitprof_region_end, waitprof_step

  abstract interface
    subroutine exported_function(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    ! dlfcn.h; a null handle looks through the whole process.
    type(c_funptr) function dlsym(handle, name) bind(c)
      import :: c_funptr, c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
    end function
  end interface

  logical, save :: searched = .false.
  procedure(exported_function), pointer, save :: enter_region => null(), leave_region => null(), begin_step => null()

contains

  subroutine waitprof_region_begin(name)
    character(len=*), intent(in) :: name
    if (.not. searched) call find_library()
    if (associated(enter_region)) call enter_region(trim(name)//c_null_char)
  end subroutine

  subroutine waitprof_region_end(name)
    character(len=*), intent(in) :: name
    if (.not. searched) call find_library()
    if (associated(leave_region)) call leave_region(trim(name)//c_null_char)
  end subroutine

  subroutine waitprof_step()
    if (.not. searched) call find_library()
    if (associated(begin_step)) call begin_step("step"//c_null_char)
  end subroutine

  ! Threads that do this at the same time find the same library.
  subroutine find_library()
    call find("waitprof_enter_region", enter_region)
    call find("waitprof_leave_region", leave_region)
    call find("waitprof_begin_step", begin_step)
    searched = .true.
  end subroutine

  subroutine find(name, found)
    character(len=*), intent(in) :: name
    procedure(exported_function), pointer, intent(inout) :: found
    type(c_funptr) :: address
    address = dlsym(c_null_ptr, name//c_null_char)
    if (c_associated(address)) call c_f_procpointer(address, found)
  end subroutine

end module waitprof
