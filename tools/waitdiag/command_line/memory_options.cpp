// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/memory_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "analyzer/toml/units_of_measure.hpp"
#include "analyzer/trace/memory/memory_limit.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

void limit_memory_to(const std::string& size) {
  const auto bytes = bytes_of(size);
  if (!bytes || *bytes < 1) throw UsageError("--memory takes a size such as 2GiB, not '" + size + "'");
  limit_memory(static_cast<std::uint64_t>(*bytes), Limit::Chosen);
}

}  // namespace

void add_memory_options(CLI::App& command) {
  command
      .add_option_function<std::string>("--memory", limit_memory_to,
                                        "Memory to take at most, such as 2GiB; what does not fit lies in a "
                                        "scratch file. The result does not "
                                        "depend on it [half of what the machine or its cgroup has]")
      ->type_name("SIZE");
  command
      .add_option_function<std::string>(
          "--scratch", scratch_in,
          "Directory of the scratch file, which has no name there [beside the archive, or else $TMPDIR]")
      ->type_name("DIR");
}

void limit_memory_as_usual() {
  limit_memory(usable_memory() / 2, Limit::Usual);
}

}  // namespace waitdiag::tool
