# cmake -C share/cmake/tsan.cmake ...: the analyser, the tools and the tests under the thread sanitizer.
set(CMAKE_C_COMPILER clang-14 CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only" CACHE STRING "")
set(WAITPROF_SANITIZE "thread" CACHE STRING "")
