// Threads that the program starts and joins, as LocationRecorder sees them: as one that starts and joins others, and
// as one that is started.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analyzer/trace/model/location_recorder.hpp"

namespace waitdiag {

void TraceBuilder::LocationRecorder::thread(Time time, const ThreadRecord& record, RegionId blocked) {
  time = advance(time);
  auto& lives = timeline_.lives_;
  switch (record.what) {
    case ThreadRecord::What::Create:
      timeline_.thread_starts_.push_back({record.number, record.call_path});
      break;
    case ThreadRecord::What::Begin:
      lives.push_back(
          {.number = record.number, .begin = time, .end = time, .function = tree_.leaf(record.call_path)});
      break;
    case ThreadRecord::What::Wait:
      joined(record.number, time, blocked);
      break;
    case ThreadRecord::What::End:
      if (lives.empty() || lives.back().number != record.number) break;
      lives.back().end = time;
      lives.back().ended = true;
      break;
  }
}

// The call comes just before, where it took long enough to be recorded.
void TraceBuilder::LocationRecorder::joined(std::uint64_t number, Time time, RegionId blocked) {
  constexpr Duration kJustBefore{1'000'000};
  const auto [call, enter, leave] = std::exchange(left_library_, {});
  if (in_operation_ || call == kNoCallPath || time - leave > kJustBefore) return;
  timeline_.thread_joins_.push_back({.number = number,
                                     .begin = enter,
                                     .end = leave,
                                     .gap = static_cast<std::uint32_t>(timeline_.size()),
                                     .blocked = tree_.node(call, blocked)});
}

void TraceBuilder::LocationRecorder::sample_of_life(CallPathId path, std::uint32_t weight) {
  auto& samples = timeline_.lives_.back().samples;
  const auto known = std::ranges::find(samples, path, &ComputationSample::call_path);
  if (known != samples.end())
    known->weight += weight;
  else
    samples.push_back({path, weight});
}

}  // namespace waitdiag
