// The kernel's boot id, hashed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/record/boot_identity.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace waitprof {

namespace {
constinit std::uint64_t pretended = 0;
}

void pretend_other_machine(std::uint64_t number) noexcept {
  pretended = number;
}

std::uint64_t boot_identity() noexcept {
  char identity[64] = "";
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? ::read(file, identity, sizeof identity) : 0;
  if (file >= 0) {
    ::close(file);
  }
  std::uint64_t hash = pretended;
  for (ssize_t at = 0; at < length; ++at) {
    hash = hash * 31 + static_cast<unsigned char>(identity[at]);
  }
  return hash;
}

}  // namespace waitprof
