// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/recorder_options.hpp"

#include "tools/waitdiag/command_line/choice.hpp"

namespace waitdiag::tool {

void add_recorder_options(CLI::App& command, RecorderOptions& options) {
  add_choice<const char*>(
      command, "--sampling", options.sampling, {{"cpu", "cpu"}, {"wall", "wall"}, {"off", "off"}},
      "Sample the computation while it computes, also while it sleeps or does I/O, or never [cpu]");
  command.add_option("--sampling-hz", options.sampling_hz, "Samples per second and thread [100]")
      ->check(number_between(1, 10000))
      ->type_name("N");
}

Settings recorder_settings(const RecorderOptions& options) {
  Settings settings;
  if (options.sampling != nullptr) settings.emplace_back("WAITPROF_SAMPLING", options.sampling);
  if (options.sampling_hz != 0)
    settings.emplace_back("WAITPROF_SAMPLING_HZ", std::to_string(options.sampling_hz));
  return settings;
}

}  // namespace waitdiag::tool
