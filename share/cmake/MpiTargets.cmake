# The MPIs of this machine, as their own compiler wrappers describe them, never by find_package(MPI): any of them may own
# plain mpicc, and several are wanted at once.
#   waitprof_NAME_header, _includes, _directories   mpi.h, what it needs, where the libraries are; for each NAME that is
#                                                   found of mpich, openmpi
#   NAME_c         link to this to be a program of that MPI in C
#   NAME_fortran   the same in Fortran; only if there is a Fortran compiler and that MPI has its modules
#   WAITPROF_MPIEXEC, WAITPROF_OPENMPI_MPIEXEC   the launchers
find_program(WAITPROF_MPICC NAMES mpicc.mpich mpicc DOC "MPICH's C compiler wrapper")
find_program(WAITPROF_MPIFORT NAMES mpifort.mpich mpifort DOC "MPICH's Fortran compiler wrapper")
find_program(WAITPROF_MPIEXEC NAMES mpiexec.mpich mpiexec DOC "MPICH's launcher")
find_program(WAITPROF_OPENMPI_MPICC NAMES mpicc.openmpi mpicc DOC "Open MPI's C compiler wrapper")
find_program(WAITPROF_OPENMPI_MPIFORT NAMES mpifort.openmpi mpifort DOC "Open MPI's Fortran compiler wrapper")
find_program(WAITPROF_OPENMPI_MPIEXEC NAMES mpiexec.openmpi mpiexec DOC "Open MPI's launcher")

# What follows a letter in a command line: all directories behind -I.
function(words_behind letter command result)
  separate_arguments(words UNIX_COMMAND "${command}")
  list(FILTER words INCLUDE REGEX "^-${letter}.")
  list(TRANSFORM words REPLACE "^-${letter}" "")
  set(${result} ${words} PARENT_SCOPE)
endfunction()

# mpi_target(target command): an interface library with the directories and libraries of a compiler's command.
function(mpi_target target command)
  separate_arguments(words UNIX_COMMAND "${command}")
  words_behind(I "${command}" includes)
  list(FILTER words INCLUDE REGEX "^-[Ll]")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${includes})
  target_link_options(${target} INTERFACE -Wl,-z,relro)
  target_link_libraries(${target} INTERFACE ${words})
endfunction()

# find_mpi(NAME MARK WRAPPER): that MPI, if the wrapper is of it: its mpi.h has the text MARK.
function(find_mpi name mark wrapper)
  if(NOT wrapper)
    return()
  endif()
  execute_process(COMMAND "${wrapper}" -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  words_behind(I "${command}" includes)
  words_behind(L "${command}" directories)
  find_file(waitprof_${name}_mpi_h mpi.h HINTS ${includes})
  set(header "${waitprof_${name}_mpi_h}")
  unset(waitprof_${name}_mpi_h CACHE)
  if(header)
    file(STRINGS "${header}" marked REGEX "${mark}" LIMIT_COUNT 1)
  endif()
  if(NOT marked OR command MATCHES "-lmpi_abi( |$)")  # another MPI's, or the standard's ABI, which nothing here speaks yet
    return()
  endif()
  if(NOT includes)
    cmake_path(GET header PARENT_PATH includes)
  endif()
  set(waitprof_${name}_header "${header}" PARENT_SCOPE)
  set(waitprof_${name}_includes "${includes}" PARENT_SCOPE)
  set(waitprof_${name}_directories "${directories}" PARENT_SCOPE)
  mpi_target(${name}_c "${command}")
endfunction()
find_mpi(mpich "MPICH" "${WAITPROF_MPICC}")
find_mpi(openmpi "OMPI_MAJOR_VERSION" "${WAITPROF_OPENMPI_MPICC}")

# For examples and tests only.
function(find_mpi_fortran name wrapper)
  if(TARGET ${name}_c AND CMAKE_Fortran_COMPILER AND wrapper)
    execute_process(COMMAND "${wrapper}" -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    mpi_target(${name}_fortran "${command}")
  endif()
endfunction()
if(WAITPROF_BUILD_EXAMPLES)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  endif()
  find_mpi_fortran(mpich "${WAITPROF_MPIFORT}")
  find_mpi_fortran(openmpi "${WAITPROF_OPENMPI_MPIFORT}")
  if(TARGET mpich_c AND NOT TARGET mpich_fortran)
    message(STATUS "No Fortran compiler (gfortran) or no mpifort: the Fortran example is left out")
  elseif(NOT TARGET mpich_c)
    message(STATUS "No MPICH (Debian: libmpich-dev): examples and recorded tests are left out")
  endif()
endif()
