// The kernel's boot id, hashed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/boot_identity.hpp"

#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {

namespace {
constinit std::uint64_t pretended = 0;
}

void pretend_other_machine(std::uint64_t number) noexcept {
  pretended = number;
}

std::uint64_t boot_identity() noexcept {
  char identity[64] = "";
  const std::size_t length = read_small_file("/proc/sys/kernel/random/boot_id", identity);
  std::uint64_t hash = pretended;
  for (std::size_t at = 0; at < length; ++at) {
    hash = hash * 31 + static_cast<unsigned char>(identity[at]);
  }
  return hash;
}

}  // namespace waitprof
