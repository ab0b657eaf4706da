# cmake -C share/cmake/fuzz.cmake ...: the analyser with Clang's fuzzer and sanitizers, for tests/fuzz.
set(CMAKE_C_COMPILER clang-14 CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only" CACHE STRING "")
set(WAITPROF_SANITIZE "fuzzer-no-link,address,undefined" CACHE STRING "")
set(WAITPROF_BUILD_RECORDER OFF CACHE BOOL "")
