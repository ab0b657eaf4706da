# Asks the MPI compiler wrapper where mpi.h is. Not find_package(MPI): nothing here may link an MPI library.
#   WAITPROF_MPI_INCLUDE_DIRS, WAITPROF_MPI_HEADER
find_program(WAITPROF_MPICC NAMES mpicc.mpich mpicc REQUIRED DOC "MPICH's C compiler wrapper")
execute_process(COMMAND "${WAITPROF_MPICC}" -show OUTPUT_VARIABLE mpicc_command OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "-I[^ ]+" include_flags "${mpicc_command}")
list(TRANSFORM include_flags REPLACE "^-I" "" OUTPUT_VARIABLE WAITPROF_MPI_INCLUDE_DIRS)
find_file(WAITPROF_MPI_HEADER mpi.h HINTS ${WAITPROF_MPI_INCLUDE_DIRS} REQUIRED)
if(NOT WAITPROF_MPI_INCLUDE_DIRS)
  cmake_path(GET WAITPROF_MPI_HEADER PARENT_PATH WAITPROF_MPI_INCLUDE_DIRS)
endif()
file(STRINGS "${WAITPROF_MPI_HEADER}" mpich_version REGEX "MPICH_VERSION" LIMIT_COUNT 1)
if(NOT mpich_version)
  message(FATAL_ERROR "${WAITPROF_MPI_HEADER} is not MPICH's (${WAITPROF_MPICC} -show names it): the recorder needs "
                      "MPICH. Install it (Debian: libmpich-dev) or set WAITPROF_MPICC to its compiler wrapper.")
endif()
