// Calls that record what an earlier one did (buffer/repeated_call.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <span>

#include "libwaitprof/buffer/repeated_call.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {
namespace {

// Copies the records of a call that lie in [begin, end) of one chunk. False: it is none that can be repeated by a copy.
bool keep_records(CallRecords& kept, std::span<const std::byte> records, std::size_t leave_at) {
  constexpr std::byte kTimestamp{event_record::kTimestamp};
  if (records.size() > sizeof kept.bytes || leave_at == 0 || leave_at >= records.size() ||
      records[0] != kTimestamp || records[leave_at] != kTimestamp) {
    return false;
  }
  std::memset(kept.bytes, 0, sizeof kept.bytes);
  std::ranges::copy(records, kept.bytes);
  kept.size = static_cast<std::uint32_t>(records.size());
  kept.leave_at = static_cast<std::uint32_t>(leave_at);
  return true;
}

}  // namespace

// Event by event, as the earlier call was; then its records are kept.
void LocationWriter::write_call_again(const Event& event) {
  const std::size_t distance = event.u.repeat.distance;
  if (distance == 0 || distance > static_cast<std::size_t>(&event - buffer_)) {
    return;
  }
  const Event* const call = &event - distance;
  const Event* const most = call + std::min(distance, kMostRepeatedEvents);
  const bool is_first = polls_ == 0 && event.time > last_time_;
  const std::byte *const begin = file_.here(), *leave_at = begin;
  const std::uint64_t records = file_.records();
  for (const Event* at = call; at != most; ++at) {
    Event again = *at;
    const bool leaves = !is_stamped_at_enter(at->type);
    const std::uint64_t time = event.time + (leaves ? event.u.repeat.duration : 0);
    if (time > time_of_limit()) {
      return;
    }
    again.time = time & kEventTimeMask;
    leave_at = leaves && leave_at == begin ? file_.here() : leave_at;
    write_one(again);
    if (at->type == EventType::Leave) {
      break;
    }
  }
  const std::byte* const end = file_.here();
  if (!is_first || end <= begin) {  // or the chunk is another one
    return;
  }
  if (calls_ == nullptr) {
    calls_ = std::make_unique<CallRecords[]>(CallRecords::kKept);
  }
  CallRecords& kept = calls_[static_cast<std::size_t>(call - buffer_) % CallRecords::kKept];
  const bool whole = keep_records(kept, {begin, end}, static_cast<std::size_t>(leave_at - begin));
  kept.call = whole ? call : nullptr;
  kept.round = round_;
  kept.records = static_cast<std::uint32_t>(file_.records() - records);
}

}  // namespace waitprof::archive
