// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/stalled_calls.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <unordered_map>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kFewestCalls = 8;  // calls of a kind that say what is usual
constexpr int kTimesUsual = 4;           // the lower quartile
constexpr Duration kShort = std::chrono::microseconds(50);

// Bytes that each call moves.
std::vector<std::uint64_t> bytes_by_call(const Timeline& timeline) {
  std::vector<std::uint64_t> bytes(timeline.size());
  const auto add = [&](std::uint32_t op, std::uint64_t more) {
    if (op != kNoOp) bytes[op] += more;
  };
  for (const MessageEnd& end : timeline.sends())
    add(end.completed == kNoOp ? end.posted : end.completed, end.bytes);
  for (const MessageEnd& end : timeline.receives()) add(end.completed, end.bytes);
  for (const CollectivePart& part : timeline.collectives()) add(part.completed, part.sent + part.received);
  for (const RmaRecord& record : timeline.rma()) add(record.op, record.bytes);
  for (const FileAccess& access : timeline.file_accesses()) add(access.op, access.bytes);
  return bytes;
}

std::vector<StalledCalls::Stall> stalls_of(const Trace& trace, const WaitStates& states, Location location) {
  const Timeline& timeline = trace.timeline(location);
  const std::vector<std::uint64_t> bytes = bytes_by_call(timeline);
  std::vector<Duration> own(timeline.size());
  std::unordered_map<std::uint64_t, std::vector<Duration>> of_kind;
  const auto kind = [&](std::uint32_t op) {
    return std::uint64_t{index(timeline.call_path(op))} << 8 |
           static_cast<std::uint64_t>(std::bit_width(bytes[op]));
  };
  const auto waits = states.waits_of(location);
  auto wait = waits.begin();
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    own[op] = timeline.length(op);
    for (; wait != waits.end() && wait->victim.op == op; ++wait) own[op] -= wait->wait;
    of_kind[kind(op)].push_back(own[op]);
  }
  std::unordered_map<std::uint64_t, Duration> most;
  for (auto& [of, times] : of_kind) {
    if (times.size() < kFewestCalls) continue;
    const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::ranges::nth_element(times, quartile);
    most[of] = std::max(kShort, kTimesUsual * *quartile);
  }
  std::vector<StalledCalls::Stall> stalls;
  Duration before{};
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    const auto usual = most.find(kind(op));
    if (usual == most.end() || own[op] <= usual->second) continue;
    stalls.push_back({.op = op, .time = own[op] - usual->second / kTimesUsual, .before = before});
    before += stalls.back().time;
  }
  return stalls;
}

}  // namespace

StalledCalls::StalledCalls(const Trace& trace, const WaitStates& states)
    : by_location_(trace.timelines().size()) {
  for_each_index(by_location_.size(),
                 [&](std::size_t l) { by_location_[l] = stalls_of(trace, states, Location(l)); });
}

std::span<const StalledCalls::Stall> StalledCalls::of(Location location, std::uint32_t first,
                                                      std::uint32_t last) const {
  if (by_location_.empty() || first >= last) return {};
  const std::vector<Stall>& stalls = by_location_[index(location)];
  const auto begin = std::ranges::lower_bound(stalls, first, {}, &Stall::op);
  return {begin, std::ranges::lower_bound(begin, stalls.end(), last, {}, &Stall::op)};
}

}  // namespace waitdiag
