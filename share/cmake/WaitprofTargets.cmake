# Flags and shapes shared by all targets.
#   waitprof_flags       warnings, include root
#   WAITPROF_OTF2_LIBRARY, WAITPROF_OTF2_INCLUDE
#   waitdiag_room(name SOURCES ... DEPENDS ...)   one room of the analyser = one static library
include(MpiFunctions)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
# Linked into the recorder: another OTF2 may be in the program already. The first name is Debian's.
find_library(WAITPROF_OTF2_LIBRARY NAMES libopen-trace-format2.a libotf2.a REQUIRED)
find_path(WAITPROF_OTF2_INCLUDE otf2/otf2.h REQUIRED)

add_library(waitprof_flags INTERFACE)
target_include_directories(waitprof_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(waitprof_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_UNITY_BUILD)  # a name of one file hides that of another
  target_compile_options(waitprof_flags INTERFACE -Wno-shadow)
endif()
if(WAITPROF_DEVELOPER)
  target_compile_options(waitprof_flags INTERFACE -Werror)
endif()

add_library(waitdiag_flags INTERFACE)
target_link_libraries(waitdiag_flags INTERFACE waitprof_flags)
if(WAITPROF_SANITIZE)
  target_compile_options(waitdiag_flags INTERFACE -fsanitize=${WAITPROF_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(waitdiag_flags INTERFACE -fsanitize=${WAITPROF_SANITIZE})
endif()

# They walk through all events of a run: without any optimisation the sanitized laws take minutes. The others compile in
# a third of the time without.
set(waitdiag_rooms_of_events activities builder causes characteristics derived detection grid intervals model notation parallel patterns read replay
                            repairs retiming serving steps sync wait_for_graph)

function(waitdiag_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(waitdiag_${name} STATIC ${ROOM_SOURCES})
  list(TRANSFORM ROOM_DEPENDS PREPEND waitdiag_)
  if(name IN_LIST waitdiag_rooms_of_events)
    target_compile_options(waitdiag_${name} PRIVATE "$<$<CONFIG:Debug>:-O1>")
  endif()
  target_link_libraries(waitdiag_${name} PUBLIC waitdiag_flags ${ROOM_DEPENDS} PRIVATE ${ROOM_PRIVATE_DEPENDS})
endfunction()
