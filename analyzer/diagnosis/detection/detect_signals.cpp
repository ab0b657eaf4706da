// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "analyzer/diagnosis/detection/waited_until.hpp"
#include "analyzer/trace/sync/idle_gaps.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/trace/sync/window_polls.hpp"

namespace waitdiag {
namespace {

constexpr Duration kAtOnce = std::chrono::microseconds(20);  // from writing to the call that says so
constexpr int kLooksBehind = 2;  // the last pause may not be told from what follows it
constexpr int kOutside = 2;    // of a row, half: for so long somebody was outside MPI who kept others waiting
constexpr int kFarLonger = 3;  // outside MPI than all others

class SignalDetection {
 public:
  explicit SignalDetection(const Trace& trace) : trace_(trace) {
    for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) read(Location(l));
    by_leave_ = by_enter_;
    std::ranges::sort(by_enter_, {}, &Call::enter);
    std::ranges::sort(by_leave_, {}, &Call::leave);
  }

  std::vector<WaitState> find() {
    std::vector<WaitState> waits;
    std::map<CallPathId, Found> by_place;
    for (const Row& row : rows_) {
      const OpRef cause = cause_of(row);
      Found& here = by_place[trace_.call_path(row.call)];
      here.all += trace_.leave(row.call) - trace_.enter(row.call);
      if (!cause.valid()) continue;
      here.known += trace_.leave(row.call) - trace_.enter(row.call);
      const CallTimes times{trace_.enter(row.call), trace_.leave(row.call), trace_.kind(row.call)};
      const Duration wait = waited_at_most_until(times, trace_.enter(cause));
      if (wait > Duration::zero()) waits.push_back({row.call, cause, wait, 0, id_of(late_signal)});
    }
    // Where it is mostly unknown, the rest may be chance.
    std::erase_if(waits, [&](const WaitState& wait) {
      const Found& here = by_place.at(trace_.call_path(wait.victim));
      return 2 * here.known < here.all;
    });
    return waits;
  }

 private:
  struct Row {
    OpRef call;
    Time since{};      // when the last look that found nothing began
    Duration pause{};  // from one to the next
  };
  struct Found {
    Duration known{}, all{};
  };
  struct Call {  // that may have written, or ends a computation
    Time enter{}, leave{};
    OpRef call;
    Duration outside{};  // before it, and what it called at once before
    bool writes = false;
  };

  void read(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    std::vector<bool> writes = calls_that_write(trace_, location);
    std::vector<bool> is_row(timeline.size());
    for (const PollRecord& poll : timeline.polls()) {
      if (is_poll(trace_.kind({location, poll.op}))) continue;
      is_row[poll.op] = true;
      const auto looks = static_cast<std::int64_t>(poll.in_vain + 1);
      rows_.push_back({{location, poll.op}, poll.last, timeline.length(poll.op) / looks});
    }
    Duration outside{};
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const Duration before = timeline.gap_end(op) - timeline.gap_begin(op);
      if (before > kAtOnce || (op > 0 && is_row[op - 1])) outside = before;
      if (!is_row[op] && (writes[op] || outside > kAtOnce))
        by_enter_.push_back({timeline.enter(op), timeline.leave(op), {location, op}, outside, writes[op]});
    }
  }

  OpRef cause_of(const Row& row) const {
    const Time end = trace_.leave(row.call);
    const OpRef seen = cause_of(row, end + kAtOnce);
    return seen.valid() ? seen : cause_of(row, end + kLooksBehind * row.pause + idle_behind(row));
  }

  // Who has no processor behind the last look that found nothing need not look again.
  Duration idle_behind(const Row& row) const {
    const Timeline& timeline = trace_.timeline(row.call.location);
    const std::uint32_t gap = row.call.op + 1;
    const Duration length = timeline.gap_end(gap) - timeline.gap_begin(gap);
    return 2 * idle_in(trace_, timeline, gap, IdleTime::Any) >= length ? length : Duration::zero();
  }

  OpRef cause_of(const Row& row, Time until) const {
    const Duration length = trace_.leave(row.call) - trace_.enter(row.call);
    const std::vector<Call> calls = calls_between(row.since - kAtOnce, until);
    const OpRef writer = outstanding(row, calls, [](const Call& call) { return call.writes; });
    if (writer.valid()) return writer;
    return outstanding(row, calls, [&](const Call& call) {
      return call.enter >= row.since - kAtOnce && kOutside * call.outside >= length;
    });
  }

  // Entered or left then, by enter.
  std::vector<Call> calls_between(Time from, Time until) const {
    std::vector<Call> calls;
    const auto left = std::ranges::lower_bound(by_leave_, from, {}, &Call::leave);
    for (auto call = left; call != by_leave_.end() && call->leave <= until; ++call)
      if (call->enter < from) calls.push_back(*call);
    std::ranges::sort(calls, {}, &Call::enter);
    const auto first = std::ranges::lower_bound(by_enter_, from, {}, &Call::enter);
    calls.insert(calls.end(), first, std::ranges::upper_bound(by_enter_, until, {}, &Call::enter));
    return calls;
  }

  // Such calls are of one rank, or one rank had been outside MPI for far longer than the others: its latest call up to
  // the end of the row, or its first one behind that.
  template <typename IsMeant>
  OpRef outstanding(const Row& row, const std::vector<Call>& calls, IsMeant is_meant) const {
    std::map<Rank, Duration> outside;
    const auto counts = [&](const Call& call) {
      return is_meant(call) && trace_.rank(call.call.location) != trace_.rank(row.call.location);
    };
    for (const Call& call : calls)
      if (counts(call)) {
        Duration& longest = outside[trace_.rank(call.call.location)];
        longest = std::max(longest, call.outside);
      }
    if (outside.empty()) return {};
    const auto most = std::ranges::max_element(outside, {}, [](const auto& one) { return one.second; });
    const bool stands_out = std::ranges::all_of(outside, [&](const auto& other) {
      return other.first == most->first || kFarLonger * other.second < most->second;
    });
    if (!stands_out) return {};
    OpRef found;
    for (const Call& call : calls)
      if (counts(call) && trace_.rank(call.call.location) == most->first &&
          (!found.valid() || call.enter <= trace_.leave(row.call)))
        found = call.call;
    return found;
  }

  const Trace& trace_;
  std::vector<Row> rows_;
  std::vector<Call> by_enter_, by_leave_;
};

}  // namespace

std::vector<WaitState> detect_signals(const Trace& trace) {
  if (!looks_into_windows(trace)) return {};
  return SignalDetection(trace).find();
}

}  // namespace waitdiag
