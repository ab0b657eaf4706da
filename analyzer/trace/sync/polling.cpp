// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/polling.hpp"

#include <algorithm>

namespace waitdiag {

namespace {

// Between two polls of a row that the recorder stored as one call, on average; zero if it is none.
Duration between_polls(const Timeline& timeline, std::uint32_t op) {
  const PollRecord* const row = timeline.row_of_polls(op);
  if (row == nullptr || row->in_vain == 0) return Duration::zero();
  return timeline.length(op) / static_cast<std::int64_t>(row->in_vain);
}

// `op`, a poll, is followed by another one at the same place: shortly after, or as another part of a row that
// the recorder stored as one call. Such a row also goes on where its loop asks for something else at once: no later
// than the row's polls followed each other, for the recorder may have taken a sample meanwhile.
bool is_polled_on(const Trace& trace, Location location, std::uint32_t op) {
  const Timeline& timeline = trace.timeline(location);
  if (op + 1 >= timeline.size()) return false;
  const bool at_once = timeline.enter(op + 1) - timeline.leave(op) <= kBetweenPolls;
  if (timeline.call_path(op + 1) == timeline.call_path(op)) return at_once || timeline.is_row_of_polls(op);
  const bool in_time = at_once || timeline.enter(op + 1) - timeline.leave(op) <= between_polls(timeline, op);
  return in_time && timeline.is_row_of_polls(op) && trace.kind({location, op}) != CallKind::GetStatus &&
         is_poll(trace.kind({location, op + 1}));
}

}  // namespace

std::uint32_t last_of_polls(const Trace& trace, Location location, std::uint32_t op) {
  while (is_polled_on(trace, location, op)) ++op;
  return op;
}

TestRows::TestRows(const Trace& trace, Location location, EndsWith ends)
    : trace_(&trace),
      location_(location),
      timeline_(&trace.timeline(location)),
      completes_(calls_that_complete(*timeline_, ends)) {}

std::vector<bool> calls_that_complete(const Timeline& timeline, TestRows::EndsWith what) {
  std::vector<bool> complete(timeline.size());
  const auto note = [&](const auto& records) {
    for (const auto& record : records)
      if (record.completed != kNoOp) complete[record.completed] = true;
  };
  note(timeline.receives());
  note(timeline.collectives());
  if (what == TestRows::EndsWith::AnyRequest) note(timeline.sends());
  return complete;
}

std::uint32_t TestRows::first(std::uint32_t last) const {
  if (!completes_requests(kind(last)) && kind(last) != CallKind::Iprobe) return last;
  while (is_poll(kind(last)) && last > 0 && !completes_[last - 1] &&
         is_polled_on(*trace_, location_, last - 1))
    --last;
  return first_asked(last);
}

// The first of the MPI_Request_get_status polls right before `last`; `last` itself if there is at most one,
// since a single poll cannot have waited.
std::uint32_t TestRows::first_asked(std::uint32_t last) const {
  if (last == 0 || kind(last - 1) != CallKind::GetStatus) return last;
  std::uint32_t first = last - 1;
  while (first > 0 && is_polled_on(*trace_, location_, first - 1)) --first;
  return first < last - 1 || timeline_->is_row_of_polls(first) ? first : last;
}

bool TestRows::waits_later(std::uint32_t row) const {
  const std::uint32_t last = last_of_polls(*trace_, location_, row);
  if (is_test(kind(row))) return last != row;
  if (kind(row) == CallKind::Iprobe) return is_test(kind(last)) && completes_[last];
  const std::uint32_t next = last + 1;
  return next < timeline_->size() && completes_requests(kind(next)) && completes_[next];
}

bool polls_in_vain(const Trace& trace, Location location) {
  constexpr double kNearlyAll = 0.9;
  const Timeline& timeline = trace.timeline(location);
  if (location == trace.main_location(trace.rank(location))) return false;
  const auto is_found = [&](const auto& record) {
    return record.completed != kNoOp && is_poll(trace.kind({location, record.completed}));
  };
  if (std::ranges::any_of(timeline.receives(), is_found) || std::ranges::any_of(timeline.sends(), is_found) ||
      std::ranges::any_of(timeline.collectives(), is_found) || !timeline.receives().empty())
    return false;
  Duration there = timeline.end() - timeline.begin(), polling{};
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    if (is_poll(trace.kind({location, op}))) polling += timeline.length(op);
    if (trace.region(timeline.call_path(op)).name == kNoThreadRegion) there -= timeline.length(op);
  }
  return static_cast<double>(polling.count()) > kNearlyAll * static_cast<double>(there.count());
}

bool has_tests(const Trace& trace) {
  return std::ranges::any_of(trace.regions(), [](const Region& region) {
    return is_test(region.kind) || region.kind == CallKind::GetStatus;
  });
}

}  // namespace waitdiag
