// Every WAITPROF_* setting: one table, read once at MPI_Init. A setting is a member here, with its
// default, and one line in settings.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/schema/schema.hpp"

namespace waitprof {

enum class SamplingMode : std::uint8_t { Off, Cpu, Wall };

// Light: excerpts of the run in full, and totals of the calls of each call path for the rest.
enum class RecordingProfile : std::uint8_t { Full, Light };

// The source that tells when a thread was not on a processor. Values as in the archive (schema.hpp).
enum class PresenceSource : std::uint8_t { None, Sums, Switches };

// Which time steps are recorded.
struct StepSelection {
  bool selected = false;  // false: all
  std::uint64_t first = 0, last = UINT64_MAX;
};

// A selection of ranks, as runs.
struct RankSelection {
  static constexpr int kMostRuns = 64;
  struct Run {
    int first, last;
  };
  Run runs[kMostRuns] = {};
  int count = 0;  // 0: all

  bool has(int rank) const noexcept {
    bool found = count == 0;
    for (int i = 0; i < count && !found; ++i) {
      found = runs[i].first <= rank && rank <= runs[i].last;
    }
    return found;
  }
};

// For tests, WAITPROF_TEST_CLOCKS=us:ppm[:ms[:one]]: rank r's clock is r * us microseconds ahead and fast by r *
// ppm millionths (with ms: fast for that many milliseconds, then slow for as long, and so on), and every rank
// counts as a machine of its own; with `one` other than 0, all count as the same machine.
struct TestClocks {
  bool on = false;
  std::int64_t ahead_us = 0, fast_ppm = 0, turn_ms = 0;
  bool one_machine = false;
};

// The defaults that apply unless the environment says otherwise. Variables and values are in settings.cpp.
struct Settings {
  char directory[4096] = "";  // "": default name
  RecordingProfile profile = RecordingProfile::Full;
  SamplingMode sampling = SamplingMode::Cpu;
  int sampling_hz = 100;
  RankSelection sampling_ranks;
  bool call_paths = true;
  bool each_call_path = false;
  int call_path_depth = 64;
  int buffer_mib = schema::kBufferMib;  // per thread
  int limit_mib = 0;                    // per rank; 0: none
  PresenceSource off_processor = PresenceSource::Switches;
  int usage_hz = 10;
  std::uint32_t mpi_filter = 0;  // groups of call_filter.hpp; functions are in function_filter.hpp
  char problem[256] = "";        // "n=256,steps=10"; "": not said
  StepSelection steps;
  bool crash_safe = true;
  int clock_every = 0;
  TestClocks test_clocks;
  // For tests, WAITPROF_TEST_COUNTERS="2,1": what hardware counters count in a nanosecond.
  struct TestCounters {
    double instructions = 0, cycles = 0;
    bool used() const noexcept { return cycles > 0; }
  } test_counters;
  // For tests, WAITPROF_TEST_STOLEN="0.2": what the host takes from the node's processors, in seconds a second.
  double test_stolen = 0;
  bool test_object_table = false;  // for tests, WAITPROF_TEST_OBJECT_TABLE: as with a glibc before 2.35
  bool every_rank = false;
  bool enabled = true;
};
extern constinit Settings settings __attribute__((visibility("hidden")));

// Restricts the settings to what can be recorded with this MPI library, and adapts defaults; called after
// read_settings().
void fit_settings_to_library(bool speak) noexcept;

// Reads the environment. Warnings (bad value, unknown variable with the nearest name) go to stderr when
// `speak`.
void read_settings(bool speak) noexcept;

}  // namespace waitprof
