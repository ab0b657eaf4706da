// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/read/runtime_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace waitdiag {
namespace {

// Sorted. Names up to ".so" and without a version ("libm-2.31.so" is libm).
constexpr std::array<std::string_view, 26> kRuntimeLibraries = {
    "[vdso]",    "ld-linux-aarch64", "ld-linux-x86-64", "libc",      "libdl",
    "libgcc_s",  "libgfortran",      "libgomp",         "libm",      "libmpi",
    "libmpich",  "libmpichcxx",      "libmpichfort",    "libmpicxx", "libmpifort",
    "libmvec",   "libpthread",       "libquadmath",     "librt",     "libstdc++",
    "libucm",    "libucp",           "libucs",          "libuct",    "libwaitprof",
    "linux-vdso"};

}  // namespace

bool is_runtime_library(std::string_view module_path) {
  std::string_view name = module_path.substr(module_path.rfind('/') + 1);
  name = name.substr(0, name.find(".so"));
  const std::size_t dash = name.rfind('-');
  if (dash != std::string_view::npos && dash + 1 < name.size() &&
      name.find('.', dash) != std::string_view::npos &&
      std::isdigit(static_cast<unsigned char>(name[dash + 1])) != 0) {
    name = name.substr(0, dash);
  }
  return std::binary_search(kRuntimeLibraries.begin(), kRuntimeLibraries.end(), name);
}

}  // namespace waitdiag
