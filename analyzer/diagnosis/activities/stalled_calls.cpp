// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/stalled_calls.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kFewestCalls = 8;  // calls of a kind that are needed to tell what is usual
constexpr int kTimesUsual = 4;           // the lower quartile
constexpr int kPartsOfGap = 10;          // a call shorter than one of these parts is ignored

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

// The average time between two calls, in nanoseconds.
double mean_gap(const Timeline& timeline) {
  Duration sum{};
  for (std::uint32_t op = 1; op < timeline.size(); ++op) sum += timeline.enter(op) - timeline.leave(op - 1);
  return static_cast<double>(sum.count()) / static_cast<double>(std::max<std::size_t>(timeline.size(), 2));
}

// How long a call took besides waiting, and how long of that its thread may have been without a processor, because
// another thread had it, or surely was.
struct OwnTime {
  Duration all{}, perhaps_preempted{}, preempted{};
};

std::vector<OwnTime> own_times(const Timeline& timeline, std::span<const WaitState> waits) {
  std::vector<OwnTime> own(timeline.size());
  auto wait = waits.begin();
  auto call = timeline.preempted_calls().begin();
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    Duration waiting{};
    for (; wait != waits.end() && wait->victim.op == op; ++wait) waiting += wait->wait;
    own[op].all = timeline.length(op) - waiting;
    for (; call != timeline.preempted_calls().end() && call->op == op; ++call) {
      own[op].perhaps_preempted = std::clamp(call->time, Duration{}, std::max(own[op].all, Duration{}));
      own[op].preempted = std::clamp(call->time - waiting, Duration{}, own[op].perhaps_preempted);
    }
  }
  return own;
}

// What a call of a kind takes when nothing disturbs it: of those on which the processor was kept, if these are enough.
class UsualTimes {
 public:
  void add(std::uint64_t kind, const OwnTime& own) {
    Times& times = of_kind_[kind];
    (own.perhaps_preempted == Duration{} ? times.kept : times.lost)
        .push_back(own.all - own.perhaps_preempted);
  }
  void close() {
    for (auto& [kind, times] : of_kind_) {
      if (times.kept.size() < kFewestCalls)
        times.kept.insert(times.kept.end(), times.lost.begin(), times.lost.end());
      if (times.kept.size() < kFewestCalls) continue;
      const auto quartile = times.kept.begin() + static_cast<std::ptrdiff_t>(times.kept.size() / 4);
      std::ranges::nth_element(times.kept, quartile);
      usual_[kind] = *quartile;
    }
  }
  std::optional<Duration> of(std::uint64_t kind) const {
    const auto found = usual_.find(kind);
    return found == usual_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Times {
    std::vector<Duration> kept, lost;
  };
  std::unordered_map<std::uint64_t, Times> of_kind_;
  std::unordered_map<std::uint64_t, Duration> usual_;
};

std::vector<StalledCalls::Stall> stalls_of(const Trace& trace, const WaitStates& states, Location location) {
  const Timeline& timeline = trace.timeline(location);
  const std::vector<std::uint64_t> bytes = bytes_by_call(timeline);
  const auto kind = [&](std::uint32_t op) {
    return std::uint64_t{index(trace.without_sites(timeline.call_path(op)))} << 8 |
           static_cast<std::uint64_t>(std::bit_width(bytes[op]));
  };
  const std::vector<OwnTime> own = own_times(timeline, states.waits_of(location));
  UsualTimes usual_times;
  // Looks into a window until something is there: whatever ended them, it is no call of this rank.
  const auto only_waits = [&](std::uint32_t op) {
    return timeline.is_row_of_polls(op) && !is_poll(trace.kind({location, op}));
  };
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    if (!only_waits(op)) usual_times.add(kind(op), own[op]);
  usual_times.close();
  const double shortest = mean_gap(timeline) / kPartsOfGap;
  const auto stall_of = [&](std::uint32_t op) -> StalledCalls::Times {
    const auto& [all, perhaps_preempted, preempted] = own[op];
    if (only_waits(op)) return {std::max(all, Duration{}), preempted};
    const std::optional<Duration> usual = usual_times.of(kind(op));
    if (!usual) return {preempted, preempted};
    const Duration taken = std::clamp(all - *usual, Duration{}, perhaps_preempted);
    const bool far_beyond = static_cast<double>(all.count()) > shortest && all > kTimesUsual * *usual;
    return {far_beyond ? all - *usual : taken, taken};
  };
  std::vector<StalledCalls::Stall> stalls;
  StalledCalls::Times before;
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    if (trace.kind({location, op}) == CallKind::ThreadSync) continue;  // another thread's work
    const StalledCalls::Times stall = stall_of(op);
    if (stall.all == Duration{}) continue;
    stalls.push_back({.op = op, .time = stall, .before = before});
    before = before + stall;
  }
  stalls.shrink_to_fit();
  return stalls;
}

}  // namespace

StalledCalls::StalledCalls(const Trace& trace, const WaitStates& states) {
  const auto& paths = trace.call_paths();
  const auto taken = std::ranges::find_if(paths, [&](const CallPathNode& path) {
    return path.parent == kNoCallPath && trace.region(path.region).off() == OffReason::Preempted;
  });
  if (taken != paths.end()) taken_path_ = CallPathId(taken - paths.begin());
  std::vector<OfLocation> by_location(trace.timelines().size());
  for_each_index(by_location.size(), [&](std::size_t l) {
    OfLocation& here = by_location[l];
    here.stalls = stalls_of(trace, states, Location(l));
    const std::size_t blocks = trace.timelines()[l].size() / kBlock + 1;
    auto stall = here.stalls.begin();
    for (std::size_t block = 0; block < blocks; ++block) {
      while (stall != here.stalls.end() && stall->op < block * kBlock) ++stall;
      here.before_block.push_back(static_cast<std::uint32_t>(stall - here.stalls.begin()));
    }
    here.before_block.push_back(static_cast<std::uint32_t>(here.stalls.size()));
  });
  by_location_ = std::make_shared<const std::vector<OfLocation>>(std::move(by_location));
}

// Of call `op` or later.
const StalledCalls::Stall* StalledCalls::OfLocation::first_from(std::uint32_t op) const {
  const std::size_t block = std::min<std::size_t>(op / kBlock, before_block.size() - 2);
  const auto stall = stalls.data();
  return std::lower_bound(stall + before_block[block], stall + before_block[block + 1], op,
                          [](const Stall& one, std::uint32_t from) { return one.op < from; });
}

std::span<const StalledCalls::Stall> StalledCalls::of(Location location, std::uint32_t first,
                                                      std::uint32_t last) const {
  if (by_location_ == nullptr || first >= last) return {};
  const OfLocation& here = (*by_location_)[index(location)];
  if (here.stalls.empty()) return {};
  return {here.first_from(first), here.first_from(last)};
}

}  // namespace waitdiag
