# From the tables of spec/ to C++. Both functions set generated_root (an include directory), generated (what is in it)
# and generated_files.
#   waitprof_calls()                                                 what all MPIs have in common
#   waitprof_wrappers(NAME PARTS HEADER INCLUDE_DIRECTORIES [option of wrapgen.py]...)
#                                                                    the rest for one mpi.h; also wrapper_sources
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(wrapgen_room "${CMAKE_CURRENT_LIST_DIR}")

macro(waitprof_generate root parts)
  set(generated_root "${root}" PARENT_SCOPE)
  set(generated "${root}/libwaitprof/generated" PARENT_SCOPE)
  set(specs "${wrapgen_room}/spec/mpi_calls.spec" "${wrapgen_room}/spec/mpi_region_only.spec")
  file(GLOB wrapgen_sources CONFIGURE_DEPENDS "${wrapgen_room}/wrapgen/*.py")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND Python3::Interpreter -B "${wrapgen_room}/wrapgen/wrapgen.py" ${options} --calls "${wrapgen_room}/spec/mpi_calls.spec"
            --region-only "${wrapgen_room}/spec/mpi_region_only.spec" --output "${root}/libwaitprof/generated" --parts ${parts}
    DEPENDS ${wrapgen_sources} ${specs} ${mpi_header}
    COMMENT "Generating MPI wrappers" VERBATIM)
endmacro()

function(waitprof_calls)
  set(root "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(outputs calls.hpp entries.hpp exports.map)
  list(TRANSFORM outputs PREPEND "${root}/libwaitprof/generated/")
  waitprof_generate("${root}" 1)
  set(generated_files ${outputs} PARENT_SCOPE)
endfunction()

function(waitprof_wrappers name parts mpi_header include_directories)
  set(root "${CMAKE_CURRENT_BINARY_DIR}/generated-${name}")
  math(EXPR last_part "${parts} - 1")
  foreach(part RANGE ${last_part})
    list(APPEND sources "${root}/libwaitprof/generated/wrappers_${part}.cpp")
  endforeach()
  if(NOT "--linked" IN_LIST ARGN)
    list(APPEND sources "${root}/libwaitprof/generated/wrapper_table.cpp")
  endif()
  set(headers "${root}/libwaitprof/generated/pmpi.hpp")
  set(outputs ${headers} ${sources})
  list(TRANSFORM include_directories PREPEND "--include=")
  set(options ${ARGN} --compiler "${CMAKE_C_COMPILER}" ${include_directories})
  waitprof_generate("${root}" ${parts})
  set(generated_files ${headers} PARENT_SCOPE)
  set(wrapper_sources ${sources} PARENT_SCOPE)
endfunction()
