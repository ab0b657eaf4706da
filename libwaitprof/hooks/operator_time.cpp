// How a call is written in which MPI ran reduction operators of the program (operator.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>

#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/operator.hpp"
#include "libwaitprof/regions/regions.hpp"

namespace waitprof {

namespace {

// That are added to those of the call.
constexpr std::ptrdiff_t kEventsOfOperators = 4 * OperatorTime::kMostRuns + 4;

}  // namespace

// Whether there was room. A kill meanwhile loses the call.
bool RecordedCall::take_out_operators() noexcept {
  constexpr std::ptrdiff_t kMostMoved = 32;
  Event* enter = first_;
  const auto region = static_cast<std::uint32_t>(region_);
  while (enter < thread_->cursor && (enter->type != EventType::Enter || enter->u.region.region != region)) {
    ++enter;
  }
  const std::ptrdiff_t count = thread_->cursor - enter;
  const std::uint32_t function = region_by_address(thread_->operators.function);
  if (count == 0 || count > kMostMoved || thread_->end - thread_->cursor <= kEventsOfOperators ||
      function == 0) {
    return false;
  }
  std::array<Event, kMostMoved> moved;
  std::copy_n(enter, count, moved.begin());
  const std::span<const Event> events = std::span(moved).first(static_cast<std::size_t>(count));
  const auto has = [&](EventType type) {
    return std::any_of(events.begin(), events.end(), [&](const Event& event) { return event.type == type; });
  };
  const bool is_operation = has(EventType::CollectiveEnd);
  const bool completes_one = !is_operation && has(EventType::CollectiveComplete);
  cut_events(*thread_, enter);
  OperatorTime& operators = thread_->operators;
  const OperatorTime::Run& last = operators.runs[operators.count - 1];
  if (last.end - last.begin < hooks::kShortestOperator) --operators.count;
  if ((is_operation || completes_one) && operators.count > 0) {
    write_in_parts(events, function, is_operation);
  } else {
    write_beside(events, function);
  }
  return true;
}

void RecordedCall::write_beside(std::span<const Event> events, std::uint32_t function) noexcept {
  const std::uint64_t all = std::min(thread_->operators.time, leave_ - enter_);
  const std::uint64_t behind = std::min(all, results_ == Results::AllPassedOn ? 0
                                             : results_ == Results::AllKept   ? all
                                                                              : thread_->operators.last);
  const std::uint32_t path = events[0].u.region.call_path;
  const std::uint64_t begin = enter_ + (all - behind), end = leave_ - behind;
  add_operator(function, path, enter_, begin);
  for (Event event : events) {
    event.time = std::clamp<std::uint64_t>(event.time, begin, end) & kEventTimeMask;
    append(*thread_, event);
  }
  add_region(EventType::Leave, end, kNoCallPathId);
  add_operator(function, path, end, leave_);
}

// An operation that begins and ends in this call is written as a nonblocking one, which has a request.
void RecordedCall::write_in_parts(std::span<const Event> events, std::uint32_t function,
                                  bool is_operation) noexcept {
  const std::uint32_t path = events[0].u.region.call_path;
  const std::uint32_t request = is_operation ? new_request_id(*thread_) : 0;
  const auto add_request = [&](EventType type, std::uint64_t time) {
    if (is_operation) append(*thread_, type, time, &Event::Payload::message, {0, 0, 0, 0, request});
  };
  append(*thread_, events[0]);
  add_request(EventType::CollectiveRequest, enter_);
  for (const OperatorTime::Run& run : std::span(thread_->operators.runs).first(thread_->operators.count)) {
    add_region(EventType::Leave, run.begin, kNoCallPathId);
    add_operator(function, path, run.begin, run.end);
    add_region(EventType::Enter, run.end, path);
  }
  const std::uint64_t last = thread_->operators.runs[thread_->operators.count - 1].end;
  for (Event event : events.subspan(1)) {
    if (event.type == EventType::CollectiveBegin) continue;
    event.time = std::max<std::uint64_t>(event.time, last) & kEventTimeMask;
    if (event.type == EventType::CollectiveEnd) {
      add_request(EventType::CollectiveRequestDone, last);
      event.type = EventType::CollectiveComplete;
    }
    append(*thread_, event);
  }
  add_region(EventType::Leave, leave_, kNoCallPathId);
  if (is_operation) thread_->free_requests.add(request);
}

void RecordedCall::add_operator(std::uint32_t function, std::uint32_t path, std::uint64_t begin,
                                std::uint64_t end) noexcept {
  if (begin == end) return;
  append(*thread_, EventType::Enter, begin, &Event::Payload::region, {function, path});
  append(*thread_, EventType::Leave, end, &Event::Payload::region, {function, kNoCallPathId});
}

}  // namespace waitprof
