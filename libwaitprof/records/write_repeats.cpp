// Calls that record what an earlier one did (buffer/repeated_call.hpp), and call paths that need not be written
// (schema/repeated_paths.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "libwaitprof/buffer/repeated_call.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {
namespace {

// Copies the records of a call that lie in one chunk, and the attribute with its call path, which they have or lack.
// False: it is none that can be repeated by a copy.
bool keep_records(CallRecords& kept, std::span<const std::byte> records, std::size_t leave_at) {
  using namespace event_record;
  constexpr std::size_t kTimestampBytes = 1 + sizeof(std::uint64_t);
  std::array<std::byte, 2 * CallRecords::kMostPath> path;
  const EventAttribute attribute[] = {path_attribute(kept.call_path)};
  const auto path_size =
      static_cast<std::size_t>(EventFile::put_attributes(path.data(), attribute) - path.data());
  if (leave_at <= kTimestampBytes || leave_at >= records.size() || records[0] != std::byte{kTimestamp} ||
      records[leave_at] != std::byte{kTimestamp}) {
    return false;
  }
  const auto attributes = std::span(path).first(path_size);
  auto rest = records.subspan(kTimestampBytes);
  if (rest[0] == std::byte{kAttributeList}) {
    if (rest.size() < path_size || !std::ranges::equal(rest.first(path_size), attributes)) {
      return false;
    }
    rest = rest.subspan(path_size);
  }
  const std::size_t before_rest = kTimestampBytes + path_size;
  if (before_rest + rest.size() > sizeof kept.bytes - CallRecords::kMostPath) {
    return false;
  }
  std::memset(kept.bytes, 0, sizeof kept.bytes);
  std::ranges::copy(records.first(kTimestampBytes), kept.bytes);
  std::ranges::copy(attributes, kept.bytes + kTimestampBytes);
  std::ranges::copy(rest, kept.bytes + before_rest);
  kept.path_size = static_cast<std::uint32_t>(path_size);
  kept.size = static_cast<std::uint32_t>(before_rest + rest.size());
  kept.leave_at = static_cast<std::uint32_t>(leave_at + kept.size - records.size());
  return true;
}

}  // namespace

void LocationWriter::write_enter(const Event& event, std::uint64_t time, std::uint32_t region) {
  const std::uint32_t call_path = event.u.region.call_path;
  std::array<EventAttribute, 3> about;
  std::size_t count = 0;
  if (polls_ != 0) {
    about[count++] = {kPollsAttributeRef, OTF2_TYPE_UINT64, std::exchange(polls_, 0)};
  }
  std::uint32_t repetition = 0;
  if (!paths_.is_next(call_path)) {
    about[count++] = path_attribute(call_path);
    repetition = paths_.repetition(call_path);
    if (repetition != 0) {
      about[count++] = {kRepeatAttributeRef, OTF2_TYPE_UINT64, repetition};
    }
  }
  paths_.add(call_path);
  if (repetition != 0) {
    paths_.repeat_from(repetition);
  }
  file_.add_with(std::span(about.data(), count), EventRecord::Enter, time, region);
}

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
  kept.call_path = call->u.region.call_path;
  const bool whole = keep_records(kept, {begin, end}, static_cast<std::size_t>(leave_at - begin));
  kept.call = whole ? call : nullptr;
  kept.round = round_;
  kept.records = static_cast<std::uint32_t>(file_.records() - records);
}

}  // namespace waitprof::archive
