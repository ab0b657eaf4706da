// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/binding.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {
namespace {

constexpr std::size_t kMostProcessors = 8192;  // of Linux
constexpr std::int32_t kDiffers = -2;

std::int32_t number_in(const char* directory, std::size_t processor, const char* file) noexcept {
  char path[512];
  std::snprintf(path, sizeof path, "%s/cpu%zu/topology/%s", directory, processor, file);
  char text[16] = "";
  read_small_file(path, text);
  const bool number = text[0] >= '0' && text[0] <= '9';
  return number ? static_cast<std::int32_t>(std::strtol(text, nullptr, 10)) : Binding::kNone;
}

}  // namespace

Binding binding_of(std::span<const std::uint64_t> processors, const char* description) noexcept {
  Binding common;
  bool first = true;
  for (std::size_t word = 0; word < processors.size(); ++word) {
    for (std::uint64_t rest = processors[word]; rest != 0; rest &= rest - 1) {
      const std::size_t processor = 64 * word + static_cast<std::size_t>(std::countr_zero(rest));
      const std::int32_t package = number_in(description, processor, "physical_package_id");
      if (package < 0 || (!first && package != common.package)) {
        return {};
      }
      if (common.core != kDiffers) {
        const std::int32_t core = number_in(description, processor, "core_id");
        common.core = first || core == common.core ? core : kDiffers;
      }
      common.package = package;
      first = false;
    }
  }
  common.core = common.core == kDiffers ? Binding::kNone : common.core;
  return common;
}

Binding binding_of_thread() noexcept {
  std::uint64_t processors[kMostProcessors / 64] = {};
  const long bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof processors, processors);
  return bytes > 0 ? binding_of({processors, static_cast<std::size_t>(bytes) / sizeof processors[0]},
                                "/sys/devices/system/cpu")
                   : Binding{};
}

std::uint32_t processors_online() noexcept {
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<std::uint32_t>(online) : 0;
}

}  // namespace waitprof
