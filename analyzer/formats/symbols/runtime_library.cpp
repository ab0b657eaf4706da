// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/runtime_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace waitdiag {
namespace {

// Sorted. Names up to ".so" and without a version ("libm-2.31.so" is libm, "libomp-14.so" libomp).
constexpr std::array<std::string_view, 28> kRuntimeLibraries = {
    "[vdso]",      "ld-linux-aarch64", "ld-linux-x86-64", "libc",       "libdl",   "libgcc_s",
    "libgfortran", "libgomp",          "libiomp5",        "libm",       "libmpi",  "libmpich",
    "libmpichcxx", "libmpichfort",     "libmpicxx",       "libmpifort", "libmvec", "libomp",
    "libpthread",  "libquadmath",      "librt",           "libstdc++",  "libucm",  "libucp",
    "libucs",      "libuct",           "libwaitprof",     "linux-vdso"};

bool is_known(std::string_view name) {
  return std::binary_search(kRuntimeLibraries.begin(), kRuntimeLibraries.end(), name);
}

}  // namespace

bool is_runtime_library(std::string_view module_path) {
  std::string_view name = module_path.substr(module_path.rfind('/') + 1);
  name = name.substr(0, name.find(".so"));
  const std::size_t dash = name.rfind('-');
  const bool versioned = dash != std::string_view::npos && dash + 1 < name.size() &&
                         std::isdigit(static_cast<unsigned char>(name[dash + 1])) != 0;
  return is_known(name) || (versioned && is_known(name.substr(0, dash)));
}

bool is_runtime_header(std::string_view file) {
  return file.find("/include/c++/") != std::string_view::npos;
}

}  // namespace waitdiag
