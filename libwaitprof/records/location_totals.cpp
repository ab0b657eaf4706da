// The totals of all calls of a thread, as records at the end of its event file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>

#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/location_writer.hpp"

namespace waitprof::archive {

void LocationWriter::write_total(const CallTotal& total) {
  std::array<EventAttribute, EventFile::kMostAttributes> about;
  std::size_t count = 0;
  if (total.region_plus_1 != 0) {
    about[count++] = {kFirstTotalAttributeRef, OTF2_TYPE_REGION, local_region(total.region_plus_1 - 1)};
  }
  if (total.call_path != kNoCallPathId) {
    about[count++] = path_attribute(total.call_path);
  }
  OTF2_AttributeRef attribute = kFirstTotalAttributeRef;
  for (const std::uint64_t value : {total.time, total.shortest, total.longest, total.messages,
                                    total.message_bytes, total.collective_bytes}) {
    about[count++] = {++attribute, OTF2_TYPE_UINT64, value};
  }
  file_.add_with(std::span(about.data(), count), EventRecord::ParameterUnsignedInt, last_time_,
                 kTotalParameterRef, total.calls);
}

void LocationWriter::write_teams(const TeamTotals& teams) {
  for (const TeamTotal& total : teams.used()) {
    const std::uint32_t records = std::max(total.threads, total.left_out > 0 ? 1U : 0U);
    for (std::uint32_t thread = 0; thread < records; ++thread) {
      std::array<EventAttribute, EventFile::kMostAttributes> about;
      std::size_t count = 0;
      if (total.call_path != kNoCallPathId) {
        about[count++] = path_attribute(total.call_path);
      }
      OTF2_AttributeRef attribute = kFirstParallelAttributeRef;
      for (const std::uint64_t value :
           {total.regions, total.time, total.slowest, total.busy[thread], total.left_out, total.with_turns,
            total.barriers, total.turns[thread], total.with_tasks, total.tasks}) {
        about[count++] = {attribute++, OTF2_TYPE_UINT64, value};
      }
      file_.add_with(std::span(about.data(), count), EventRecord::ParameterUnsignedInt, last_time_,
                     kParallelParameterRef, std::uint64_t{thread});
    }
  }
}

void LocationWriter::write_totals(const CallTotals& totals) {
  for (const CallTotal& total : totals.rows) {
    if (total.calls != 0) {
      write_total(total);
    }
  }
  if (totals.steps != 0) {
    file_.add(EventRecord::ParameterUnsignedInt, last_time_, kStepsPassedParameterRef, totals.steps);
  }
}

}  // namespace waitprof::archive
