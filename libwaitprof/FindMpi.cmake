# Asks MPI's compiler wrappers where mpi.h is. Not find_package(MPI): several MPIs are wanted at once, and nothing here
# links what programs link.
#   waitprof_find_mpi(NAME VARIABLE MARK WRAPPER...)
# looks for a wrapper whose mpi.h has the text MARK and sets waitprof_NAME_includes; empty: there is none. The cache
# VARIABLE is the wrapper, chosen by the user or found.
function(waitprof_find_mpi name variable mark)
  find_program(${variable} NAMES ${ARGN} DOC "C compiler wrapper of the MPI for the recorder's backend '${name}'")
  set(waitprof_${name}_includes "" PARENT_SCOPE)
  if(NOT ${variable})
    return()
  endif()
  execute_process(COMMAND "${${variable}}" -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "-I[^ ]+" flags "${command}")
  list(TRANSFORM flags REPLACE "^-I" "" OUTPUT_VARIABLE includes)
  find_file(header mpi.h HINTS ${includes} NO_CACHE)
  if(header)
    file(STRINGS "${header}" marked REGEX "${mark}" LIMIT_COUNT 1)
  endif()
  if(NOT marked)  # another MPI's, which the general name of the wrapper stands for
    return()
  endif()
  if(NOT includes)
    cmake_path(GET header PARENT_PATH includes)
  endif()
  set(waitprof_${name}_includes "${includes}" PARENT_SCOPE)
  set(waitprof_${name}_header "${header}" PARENT_SCOPE)
  string(REGEX MATCHALL "-L[^ ]+" flags "${command}")
  list(TRANSFORM flags REPLACE "^-L" "" OUTPUT_VARIABLE directories)
  set(waitprof_${name}_directories "${directories}" PARENT_SCOPE)
endfunction()
