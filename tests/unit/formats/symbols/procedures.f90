! Procedures of a module, one of them inlined, one nested in another, for symbols_test.cpp.
!
! SPDX-License-Identifier: BSD-3-Clause
module grid
  implicit none
  private :: smooth  ! so that it is inlined
  integer :: visits = 0
  abstract interface
    subroutine visitor() bind(c)
    end subroutine
  end interface
contains
  subroutine smooth(visit)
    procedure(visitor) :: visit
    call visit()
    visits = visits + 1
  end subroutine

  subroutine sweep(visit)
    procedure(visitor) :: visit
    call smooth(visit)
    call twist()
    call twist()
  contains
    subroutine twist()
      call visit()
      visits = visits * 2
    end subroutine
  end subroutine
end module
