# Wrappers: spec + mpi.h -> C++.
#   waitprof_wrappers(PARTS HEADER INCLUDE_DIRECTORIES [option of wrapgen.py]...)
# sets generated_root (an include directory), generated (what is in it), generated_files and wrapper_sources.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(waitprof_wrappers parts mpi_header include_directories)
  set(room "${PROJECT_SOURCE_DIR}/libwaitprof")
  set(root "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(output "${root}/libwaitprof/generated")
  set(headers "${output}/calls.hpp" "${output}/pmpi.hpp" "${output}/exports.map")
  if(NOT "--linked" IN_LIST ARGN)
    list(APPEND headers "${output}/entries.hpp")
  endif()
  math(EXPR last_part "${parts} - 1")
  foreach(part RANGE ${last_part})
    list(APPEND sources "${output}/wrappers_${part}.cpp")
  endforeach()
  set(specs "${room}/spec/mpi_calls.spec" "${room}/spec/mpi_region_only.spec")
  file(GLOB wrapgen_sources CONFIGURE_DEPENDS "${room}/wrapgen/*.py")
  list(TRANSFORM include_directories PREPEND "--include=")
  add_custom_command(
    OUTPUT ${headers} ${sources}
    COMMAND Python3::Interpreter -B "${room}/wrapgen/wrapgen.py" ${ARGN} --compiler "${CMAKE_C_COMPILER}"
            ${include_directories} --calls "${room}/spec/mpi_calls.spec" --region-only "${room}/spec/mpi_region_only.spec"
            --output "${output}" --parts ${parts}
    DEPENDS ${wrapgen_sources} ${specs} "${mpi_header}"
    COMMENT "Generating MPI wrappers" VERBATIM)
  set(generated_root "${root}" PARENT_SCOPE)
  set(generated "${output}" PARENT_SCOPE)
  set(generated_files ${headers} PARENT_SCOPE)
  set(wrapper_sources ${sources} PARENT_SCOPE)
endfunction()
