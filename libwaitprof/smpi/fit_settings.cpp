// Turns off what makes no sense in a simulation: there is no real execution to sample, no CPU time to read,
// and no separate process for each rank that could be killed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>

#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

void fit_settings_to_library(bool speak) noexcept {
  const char* const sampling = std::getenv("WAITPROF_SAMPLING");
  if (speak && sampling != nullptr && std::strcmp(sampling, "off") != 0) {
    say("WAITPROF_SAMPLING=%s ignored: simulated time is not sampled.", sampling);
  }
  settings.sampling = SamplingMode::Off;
  settings.off_processor = PresenceSource::None;
  settings.usage_hz = 0;
  settings.crash_safe = false;
  settings.test_clocks = {};
  settings.clock_every = 0;
  if (speak && settings.profile != RecordingProfile::Full) {
    say("WAITPROF_PROFILE=light ignored: simulated runs are recorded in full.");
  }
  settings.profile = RecordingProfile::Full;
  if (std::getenv("WAITPROF_BUFFER_MIB") == nullptr) {
    settings.buffer_mib = 1;  // all ranks share the memory of one process
  }
}

}  // namespace waitprof
