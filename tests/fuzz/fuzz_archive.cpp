// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const waitdiag::fuzz::ArchiveTarget target;
  target.read({reinterpret_cast<const char*>(data), size});
  return 0;
}
