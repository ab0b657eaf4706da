# MPIs as their own compiler wrappers describe them, never by find_package(MPI): any of them may own plain mpicc.
#   mpich_c         link to this to be an MPI program in C
#   mpich_fortran   the same in Fortran; only if there is a Fortran compiler and MPICH has its modules
#   WAITPROF_MPIEXEC   the launcher
#   openmpi_c, openmpi_fortran, WAITPROF_OPENMPI_MPIEXEC   the same of Open MPI, for tests, if it is installed
find_program(WAITPROF_MPICC NAMES mpicc.mpich mpicc REQUIRED DOC "MPICH's C compiler wrapper")
find_program(WAITPROF_MPIFORT NAMES mpifort.mpich mpifort DOC "MPICH's Fortran compiler wrapper")
find_program(WAITPROF_MPIEXEC NAMES mpiexec.mpich mpiexec REQUIRED DOC "MPICH's launcher")

# mpi_target(target wrapper): an interface library with the directories and libraries of `wrapper -show`.
function(mpi_target target wrapper)
  execute_process(COMMAND "${wrapper}" -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${command}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(links ${words})
  list(FILTER links INCLUDE REGEX "^-[Ll]")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${includes})
  target_link_options(${target} INTERFACE -Wl,-z,relro)
  target_link_libraries(${target} INTERFACE ${links})
endfunction()

mpi_target(mpich_c "${WAITPROF_MPICC}")

include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER AND WAITPROF_MPIFORT)
  enable_language(Fortran)
  mpi_target(mpich_fortran "${WAITPROF_MPIFORT}")
else()
  message(STATUS "No Fortran compiler (gfortran) or no mpifort: the Fortran example is left out")
endif()

# Under their full names only: nothing else says which MPI it is.
find_program(WAITPROF_OPENMPI_MPICC mpicc.openmpi DOC "Open MPI's C compiler wrapper")
find_program(WAITPROF_OPENMPI_MPIFORT mpifort.openmpi DOC "Open MPI's Fortran compiler wrapper")
find_program(WAITPROF_OPENMPI_MPIEXEC mpiexec.openmpi DOC "Open MPI's launcher")
if(WAITPROF_OPENMPI_MPICC AND WAITPROF_OPENMPI_MPIEXEC)
  mpi_target(openmpi_c "${WAITPROF_OPENMPI_MPICC}")
  if(TARGET mpich_fortran AND WAITPROF_OPENMPI_MPIFORT)
    mpi_target(openmpi_fortran "${WAITPROF_OPENMPI_MPIFORT}")
  endif()
endif()
