# The examples and some programs once more, as programs of Open MPI, and the tests that record them: they
# expect the same from every MPI.
if(NOT TARGET openmpi_c OR NOT WAITPROF_OPENMPI_MPIEXEC)
  return()
endif()
set(openmpi_programs "${CMAKE_CURRENT_BINARY_DIR}/openmpi")

# openmpi_program(name source MPI): target openmpi_<name>, program openmpi/<name>.
function(openmpi_program name source mpi)
  add_executable(openmpi_${name} "${source}")
  target_include_directories(openmpi_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(openmpi_${name} PRIVATE -O2 -g -Wall -Wextra)
  set_target_properties(openmpi_${name} PROPERTIES OUTPUT_NAME ${name} C_EXTENSIONS ON
    RUNTIME_OUTPUT_DIRECTORY "${openmpi_programs}" Fortran_MODULE_DIRECTORY "${openmpi_programs}/${name}.modules")
  target_link_libraries(openmpi_${name} PRIVATE ${mpi})
endfunction()

foreach(example imbalance late_sender_chain late_broadcast early_reduce wait_at_barrier late_receiver)
  openmpi_program(${example} "${PROJECT_SOURCE_DIR}/examples/${example}.c" openmpi_c)
endforeach()
foreach(program collective_kinds constructors ends faults many_steps off_processor one_sided overlap own_wrappers polling spawning time_steps user_regions waits_and_signals shapes)
  openmpi_program(${program} programs/${program}.c openmpi_c)
endforeach()
foreach(program faults many_steps off_processor)
  target_compile_options(openmpi_${program} PRIVATE -fno-optimize-sibling-calls)
endforeach()
foreach(program joined_threads locked_threads threads waits_in_library woken_threads workers)
  openmpi_program(${program} programs/${program}.cpp openmpi_c)
  target_compile_definitions(openmpi_${program} PRIVATE OMPI_SKIP_MPICXX)  # linked with the C library only
  if(OpenMP_CXX_FOUND)
    target_link_libraries(openmpi_${program} PRIVATE OpenMP::OpenMP_CXX)
  endif()
endforeach()
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
  check_cxx_source_compiles("int main() { return 0; }" WAITPROF_HAS_THREAD_SANITIZER)
  unset(CMAKE_REQUIRED_FLAGS)
  if(WAITPROF_HAS_THREAD_SANITIZER)
    openmpi_program(threads_sanitized programs/threads.cpp openmpi_c)
    target_compile_definitions(openmpi_threads_sanitized PRIVATE OMPI_SKIP_MPICXX)
    target_compile_options(openmpi_threads_sanitized PRIVATE -fsanitize=thread)
    target_link_options(openmpi_threads_sanitized PRIVATE -fsanitize=thread)
  endif()
endif()
target_compile_definitions(openmpi_waits_in_library PRIVATE "WRITING_PLUGIN=\"$<TARGET_FILE:writing_plugin>\"")
target_link_libraries(openmpi_waits_in_library PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(openmpi_waits_in_library writing_plugin)
openmpi_program(bindings_c programs/bindings.c openmpi_c)
if(TARGET openmpi_fortran)
  openmpi_program(imbalance_fortran "${PROJECT_SOURCE_DIR}/examples/imbalance.f90" openmpi_fortran)
  target_compile_options(openmpi_imbalance_fortran PRIVATE -fno-inline)
  foreach(binding mpif_h mpi mpi_f08)
    openmpi_program(bindings_${binding} programs/bindings.F90 openmpi_fortran)
    string(TOUPPER ${binding} macro)
    target_compile_definitions(openmpi_bindings_${binding} PRIVATE BINDING_${macro})
  endforeach()
endif()
add_library(openmpi_plugin MODULE odd_processes/local_mpi_plugin.c)
set_target_properties(openmpi_plugin PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${openmpi_programs}")
target_link_libraries(openmpi_plugin PRIVATE openmpi_c)

# It refuses to start anything for root, and more ranks than there are cores; a rank that waits gives way to others.
set(openmpi_environment ${environment_of_tests} "TEST_MPIEXEC=${WAITPROF_OPENMPI_MPIEXEC}"
  "TEST_MPICC=${WAITPROF_OPENMPI_MPICC}" "TEST_EXAMPLES=${openmpi_programs}" "TEST_PROGRAMS=${openmpi_programs}"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
  TSAN_OPTIONS=report_bugs=0)  # of Open MPI
foreach(script attendance bindings open_mpi)
  waitprof_python_tests(openmpi ${script} PROPERTIES LABELS mpi TIMEOUT 240 ENVIRONMENT ${openmpi_environment})
endforeach()
foreach(script clocks collective_kinds example_waits one_sided threads time_steps tutorial)
  waitprof_python_tests(openmpi ${script} PROPERTIES LABELS mpi RUN_SERIAL ON TIMEOUT 240
    ENVIRONMENT ${openmpi_environment})
endforeach()
# Of a run that fails on two nodes, the ranks that are left notice it over the network. On one, where the launcher ends
# them all, it says little that MPICH's does not say. Over tcp, osc/rdma makes no windows.
set(over_tcp OMPI_MCA_btl=self,tcp OMPI_MCA_osc=pt2pt TEST_NODES=2)
waitprof_python_tests(openmpi_two_nodes faults PROPERTIES LABELS mpi TIMEOUT 240
  ENVIRONMENT ${openmpi_environment} ${over_tcp})
waitprof_python_tests(openmpi_two_nodes guests ONLY nightly PROPERTIES LABELS nightly TIMEOUT 600
  ENVIRONMENT ${openmpi_environment} ${over_tcp})
# They take minutes, and say little that MPICH's do not say.
foreach(script calibration faults gains guests joined_threads light off_processor overlap_gains polling repetitions woken_threads workers)
  waitprof_python_tests(openmpi ${script} ONLY nightly PROPERTIES LABELS nightly RUN_SERIAL ON TIMEOUT 600
    ENVIRONMENT ${openmpi_environment})
endforeach()
waitprof_python_tests(mpi both_mpis PROPERTIES LABELS mpi RUN_SERIAL ON TIMEOUT 240
  ENVIRONMENT ${environment_of_tests} "TEST_MPIEXEC=${WAITPROF_MPIEXEC}" "TEST_OPENMPI_MPIEXEC=${WAITPROF_OPENMPI_MPIEXEC}")
