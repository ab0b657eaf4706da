// What a process has used and a thread has executed -> OTF2's metrics.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/location_writer.hpp"

namespace waitprof::archive {

void LocationWriter::write_usage(const Event& event) {
  const UsageData& usage = event.u.usage;
  constexpr std::uint8_t kNumber = OTF2_TYPE_UINT64;
  const std::uint64_t processor_time = usage.processor_time, resident = usage.resident,
                      runnable = usage.runnable;
  const std::uint64_t minor = faults_.minor_faults, major = faults_.major_faults,
                      migrations = faults_.migrations;
  constexpr std::uint64_t kNsInMs = 1'000'000;
  const std::uint64_t stolen = usage.stolen_ms * kNsInMs, busy = faults_.node_busy_ms * kNsInMs;
  file_.add(EventRecord::Metric, in_order(event.time), kUsageMetricRef, kUsageMembers, kNumber,
            processor_time, kNumber, resident, kNumber, runnable, kNumber, minor, kNumber, major, kNumber,
            migrations, kNumber, stolen, kNumber, busy);
}

void LocationWriter::write_counters(const Event& event) {
  const std::uint64_t instructions = event.u.counters.instructions, cycles = event.u.counters.cycles;
  constexpr std::uint8_t kMembers = 2, kNumber = OTF2_TYPE_UINT64;
  file_.add(EventRecord::Metric, in_order(event.time), kCountersMetricRef, kMembers, kNumber, instructions,
            kNumber, cycles);
}

}  // namespace waitprof::archive
