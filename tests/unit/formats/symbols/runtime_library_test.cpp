// To which function the time of a frame belongs: that of the runtime to its caller, that of any other library
//to itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/runtime_library.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

TEST(RuntimeLibrary, IsRecognisedWhateverItsVersionAndPlace) {
  for (const char* module :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libm-2.31.so", "/opt/gcc/lib64/libstdc++.so.6.0.30",
        "/lib64/ld-linux-x86-64.so.2", "libmpich.so.12.2.2", "[vdso]", "linux-vdso.so.1"}) {
    EXPECT_TRUE(is_runtime_library(module)) << module;
  }
}

TEST(RuntimeLibrary, IsNotAnApplicationsLibrary) {
  for (const char* module : {"/usr/lib/x86_64-linux-gnu/libscalapack-mpich.so.2.2", "/opt/me/libmatch.so",
                             "libmine-2.so", "./solver", "libcfd.so", ""}) {
    EXPECT_FALSE(is_runtime_library(module)) << module;
  }
}

TEST(RuntimeHeader, IsOneOfTheStandardLibrary) {
  EXPECT_TRUE(is_runtime_header("/usr/include/c++/12/bits/stl_algo.h"));
  EXPECT_TRUE(is_runtime_header("/usr/lib/llvm-14/include/c++/v1/algorithm"));
  EXPECT_FALSE(is_runtime_header("/home/me/include/mesh.hpp"));
  EXPECT_FALSE(is_runtime_header("/usr/include/eigen3/Eigen/src/Core/Product.h"));
  EXPECT_FALSE(is_runtime_header(""));
}

}  // namespace
}  // namespace waitdiag
