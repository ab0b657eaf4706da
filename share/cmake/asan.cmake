# cmake -C share/cmake/asan.cmake ...: Clang 14, address and undefined-behaviour sanitizers for the analyser, the
# tools and the tests. The recorder is built too, without sanitizers: it lives in other people's processes.
set(CMAKE_C_COMPILER clang-14 CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -gline-tables-only" CACHE STRING "")
set(WAITPROF_SANITIZE "address,undefined" CACHE STRING "")
set(CMAKE_UNITY_BUILD ON CACHE BOOL "")
