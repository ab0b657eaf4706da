# libwaitprof/schema/mpi_functions.inc, what both halves of the house know about MPI functions: made when the build is
# configured, so that compilers and clang-tidy find it at once.
#   waitprof_mpi_functions   for the few that include schema/mpi_functions.hpp
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(schema_root "${PROJECT_BINARY_DIR}/schema")
set(generator "${PROJECT_SOURCE_DIR}/libwaitprof/wrapgen/function_table.py")
set(tables mpi_calls.spec mpi_region_only.spec call_classes.spec)
list(TRANSFORM tables PREPEND "${PROJECT_SOURCE_DIR}/libwaitprof/spec/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${tables} "${generator}" "${PROJECT_SOURCE_DIR}/libwaitprof/wrapgen/spec.py")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -B "${generator}" ${tables} "${schema_root}/libwaitprof/schema/mpi_functions.inc"
  COMMAND_ERROR_IS_FATAL ANY)

add_library(waitprof_mpi_functions INTERFACE)
target_include_directories(waitprof_mpi_functions INTERFACE "${schema_root}")
