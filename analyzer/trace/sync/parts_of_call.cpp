// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/parts_of_call.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/trace/derived/joined_calls.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

// Nothing but one visit of one function lies between an operation and the one before it, which is at the same place
// and completes requests, too: as the recorder writes operators.
bool is_behind_operator(const Trace& trace, Location location, std::uint32_t op) {
  const Timeline& timeline = trace.timeline(location);
  if (op == 0 || !completes_requests(trace.kind({location, op}))) return false;
  if (trace.without_sites(timeline.call_path(op - 1)) != trace.without_sites(timeline.call_path(op)))
    return false;
  const auto pieces = timeline.pieces(op);
  return pieces.size() == 1 && pieces[0].call_path != kNoCallPath && pieces[0].visits == 1 &&
         pieces[0].time > Duration::zero() && pieces[0].time == timeline.enter(op) - timeline.leave(op - 1);
}

// Requests of any kind.
std::vector<bool> calls_that_complete_any(const Timeline& timeline) {
  std::vector<bool> complete = calls_that_complete(timeline, TestRows::EndsWith::AnyRequest);
  for (const RmaRecord& record : timeline.rma())
    if (record.op != kNoOp) complete[record.op] = true;
  for (const FileAccess& access : timeline.file_accesses())
    if (access.op != kNoOp) complete[access.op] = true;
  return complete;
}

}  // namespace

PartsOfCalls::PartsOfCalls(const Trace& trace, Location location) {
  const Timeline& timeline = trace.timeline(location);
  std::vector<bool> complete;
  for (const CollectivePart& part : timeline.collectives()) {
    if (is_in_parts(trace, location, part)) {
      for (std::uint32_t op = part.op + 1; op <= part.completed; ++op) mark(timeline, op);
      continue;
    }
    if (!part.nonblocking() || part.completed == kNoOp) continue;
    std::uint32_t op = part.completed;
    for (; op > part.op + 1 && is_behind_operator(trace, location, op); --op) {
      if (complete.empty()) complete = calls_that_complete_any(timeline);
      if (complete[op - 1]) break;
      mark(timeline, op);
    }
  }
}

void PartsOfCalls::mark(const Timeline& timeline, std::uint32_t op) {
  goes_on_.resize(timeline.size());
  goes_on_[op] = true;
}

class Retiming::JoiningParts {
 public:
  static Trace run(Trace trace) {
    for (std::uint32_t l = 0; l < trace.timelines_.size(); ++l) join(trace, Location(l));
    return trace;
  }

 private:
  // By operation, or by gap, and one more: its number afterwards.
  struct Numbers {
    std::vector<std::uint32_t> calls, gaps;
  };

  static std::vector<std::uint32_t> parts_of(const Trace& trace, Location location) {
    const Timeline& timeline = trace.timeline(location);
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < timeline.collectives().size(); ++i) {
      const CollectivePart& part = timeline.collectives()[i];
      if (!is_in_parts(trace, location, part)) continue;
      const auto mark = std::ranges::upper_bound(timeline.step_marks(), part.op, {}, &StepMark::op);
      const bool has_mark = mark != timeline.step_marks().end() && mark->op <= part.completed;
      if (!has_mark) found.push_back(i);
    }
    return found;
  }

  static void join(Trace& trace, Location location) {
    Timeline& timeline = trace.timelines_[index(location)];
    const std::vector<std::uint32_t> parts = parts_of(trace, location);
    if (parts.empty()) return;
    Numbers numbers;
    auto next = parts.begin();
    std::uint32_t joined = 0;
    for (std::uint32_t op = 0; op <= timeline.size(); ++op) {
      while (next != parts.end() && timeline.collectives_[*next].completed < op) ++next;
      const CollectivePart* const part = next == parts.end() ? nullptr : &timeline.collectives_[*next];
      const bool goes_on = part != nullptr && op > part->op;
      joined += goes_on;
      numbers.calls.push_back(op - joined);
      numbers.gaps.push_back(op - joined + (goes_on && op > standing_part(trace, location, *part) ? 1 : 0));
    }
    for (const std::uint32_t i : parts) {
      CollectivePart& part = timeline.collectives_[i];
      Duration before{}, behind{};
      for (std::uint32_t op = part.op + 1; op <= part.completed; ++op)
        (op > standing_part(trace, location, part) ? behind : before) +=
            timeline.enter(op) - timeline.leave(op - 1);
      part.begin = timeline.enter_[part.op] += before;
      part.end = timeline.leave_[part.op] = timeline.leave(part.completed) - behind;
    }
    Joining::join(timeline, numbers.calls, numbers.gaps, std::vector<bool>(numbers.gaps.size(), false));
  }
};

bool has_calls_in_parts(const Trace& trace) {
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const CollectivePart& part : trace.timelines()[l].collectives())
      if (is_in_parts(trace, Location(l), part)) return true;
  return false;
}

Trace with_whole_calls(Trace trace) {
  return Retiming::JoiningParts::run(std::move(trace));
}

}  // namespace waitdiag
