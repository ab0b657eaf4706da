// What happens around every recorded MPI call.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/call.hpp"

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/peer_lists.hpp"
#include "libwaitprof/hooks/operator.hpp"
#include "libwaitprof/hooks/workers.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/presence/metrics.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/left_call.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

namespace {

// Flushing here, before the Enter is stamped, keeps the pause out of every MPI call.
bool make_room(ThreadState& thread, std::size_t events) noexcept {
  const auto left = thread.limit - thread.cursor;
  if (left >= 0 && static_cast<std::size_t>(left) >= events) {
    return true;
  }
  end_poll_row(thread);
  return thread.cursor == thread.begin || archive::flush(thread);
}

bool moves_data(Call call) noexcept {
  const RegionRole role = kCalls[static_cast<std::uint32_t>(call)].role;
  return role <= RegionRole::PointToPoint || role == RegionRole::Rma || role == RegionRole::Atomic;
}

// A call inside another one is MPI's own, unless the application makes it in a callback.
bool is_of_a_callback(const ThreadState& thread, const Caller& caller) noexcept {
  return thread.call_frame != kNoCallFrame && !is_in_library_of_mpi(caller.return_address());
}

}  // namespace

bool RecordedCall::begin_unready(std::size_t most_events) noexcept {
  ThreadState& thread = this_thread;
  if (is_nested_call(thread, caller_.frame)) {
    if (recording() && !thread.outside && moves_data(region_) && is_of_a_callback(thread, caller_)) {
      ++thread.left_out.untracked;
    }
    return false;
  }
  const RecorderState state = recorder_state.load(std::memory_order_relaxed);
  if (state != RecorderState::Recording && state != RecorderState::Paused) {
    return false;
  }
  if (!thread.registered && registered_thread() == nullptr) {
    return false;
  }
  step_in(thread, caller_);
  if (thread.excerpt != current_excerpt.load(std::memory_order_relaxed)) {
    change_excerpt(thread, current_excerpt.load(std::memory_order_relaxed));
  }
  if (!make_room(thread, most_events) && !thread.outside) {
    step_out(thread);
    return false;
  }
  set_out(thread, state == RecorderState::Paused || thread.outside);
  return true;
}

WAITPROF_HOT void RecordedCall::enter() noexcept {
  if (paused() && !counted_) {
    return;
  }
  if (thread_->row.polls != 0) [[unlikely]] {
    end_poll_row_at_call(*thread_, now());
  }
  call_path_ = call_path_of_caller(caller_);
  enter_ = now();
  add_enter();
}

void RecordedCall::enter_late() noexcept {
  if (thread_->row.polls != 0) [[unlikely]] {
    end_poll_row_at_call(*thread_, enter_);
  }
  call_path_ = call_path_of_caller(caller_);
  add_enter();
}

inline void RecordedCall::add_enter() noexcept {
  note_presence(enter_, PresenceOf::Program);
  const Event* const place = thread_->cursor;
  add_region(EventType::Enter, enter_, call_path_);
  if (thread_->cursor != place) [[likely]] {
    repeated_.begin(*thread_, static_cast<std::uint32_t>(region_), call_path_);
  }
}

// The operation that it completes may have ended while the thread did not run.
void RecordedCall::join_row() noexcept {
  PollRow& row = thread_->row;
  if (result != MPI_SUCCESS || !row.counts() || (paused() && !counted_)) {
    return;
  }
  const bool preempted =
      !row.goes_on_at(enter_) && row.used_at != 0 && row.was_preempted_until(enter_, thread_use());
  if (!preempted && !row.leads_to(enter_)) {
    return;
  }
  enter_ = row.first;
  if (!paused()) {
    append(*thread_, EventType::Polls, enter_, &Event::Payload::step, std::uint64_t{row.polls});
  }
  thread_->row = {};
}

void RecordedCall::keep() noexcept {
  const bool was_filtered = filtered_;
  filtered_ = false;
  if (was_filtered && !paused()) {
    counted_ = thread_->totals != nullptr;
    stamp_leave();
    enter_late();
  }
}

CallTotal& RecordedCall::total() noexcept {
  if (call_path_ == kNotAsked) {
    call_path_ = call_path_of_caller(caller_);
  }
  return thread_->totals->of(call_path_, static_cast<std::uint32_t>(region_));
}

void RecordedCall::count_message(std::uint64_t bytes) noexcept {
  if (counted_) {
    CallTotal& row = total();
    ++row.messages;
    row.message_bytes += bytes;
  }
}

void RecordedCall::count_collective(std::uint64_t bytes) noexcept {
  if (counted_) {
    total().collective_bytes += bytes;
  }
}

// The bytes that the call sent are in its events, which still exist in a pause.
void RecordedCall::count() noexcept {
  CallTotal& row = total();
  add_call(row, leave_ - enter_);
  for (const Event* event = first_; event != thread_->cursor; ++event) {
    if (event->type == EventType::Send || event->type == EventType::Isend) {
      ++row.messages;
      row.message_bytes += event->u.message.bytes;
    } else if (event->type == EventType::CollectiveEnd || event->type == EventType::CollectiveComplete) {
      row.collective_bytes += event->u.collective.sent;
    }
  }
}

// Its time is spent after the call.
void RecordedCall::add_usage() noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const ShortStopwatch work;
  thread_->next_usage = leave_ + kSecond / static_cast<std::uint64_t>(settings.usage_hz);
  append(*thread_, EventType::Faults, leave_, &Event::Payload::faults, current_faults());
  Event event = event_at(EventType::Usage, leave_);
  event.u.usage = current_usage();
  append(*thread_, event);
  record_workers();
  thread_->left_out.upkeep_ns += work.passed();
  tell_left_out(*thread_);
}

void RecordedCall::end_specially() noexcept {
  repeated_.differ_if_same(*thread_, leave_);
  note_presence(leave_, PresenceOf::MpiCall);  // after the hook's events, some of which carry the enter time
  if (counted_) {
    count();
  }
  if (paused()) {
    if (thread_->cursor != first_) {
      cut_events(*thread_, first_);
    }
  } else {
    if (leave_ >= thread_->next_usage) {
      add_usage();
    }
    if (thread_->operators.time < hooks::kShortestOperator || !take_out_operators()) {
      add_region(EventType::Leave, leave_, kNoCallPathId);
    }
  }
  thread_->operators.clear();
  step_out(*thread_);
}

void RecordedCall::add_rma(EventType type, std::uint64_t time, const RmaData& data) noexcept {
  repeated_.differ_if_same(*thread_, leave_);
  append(*thread_, type, time, &Event::Payload::rma, data);
}

WAITPROF_HOT void RecordedCall::add_collective_begin() noexcept {
  add_collective(EventType::CollectiveBegin, enter_, {});
}

void RecordedCall::add_communicator(EventType type, std::uint32_t comm) noexcept {
  add_collective(type, leave_, {0, 0, comm & kUnknownComm, 0, 0});
}

WAITPROF_HOT void RecordedCall::add_collective_end(CollectiveOp op, std::uint32_t comm, std::int32_t root,
                                                   std::uint64_t sent, std::uint64_t received) noexcept {
  add_collective(EventType::CollectiveEnd, leave_,
                 {sent, received, comm & kUnknownComm, static_cast<std::uint32_t>(op) & 0xff, root});
}

void RecordedCall::add_peers(std::uint32_t peer_list) noexcept {
  if (peer_list != kNoPeerList) {
    add_message(EventType::PeerBytes, leave_, {0, 0, 0, 0, peer_list});
  }
}

void RecordedCall::add_collective_complete(CollectiveOp op, std::uint32_t comm, std::int32_t root,
                                           std::uint64_t sent, std::uint64_t received) noexcept {
  add_collective(EventType::CollectiveComplete, leave_,
                 {sent, received, comm & kUnknownComm, static_cast<std::uint32_t>(op) & 0xff, root});
}

WAITPROF_HOT void RecordedCall::add_collective(EventType type, std::uint64_t time,
                                               const CollectiveData& data) noexcept {
  if (!repeated_.has(*thread_, type, data, leave_)) {
    append(*thread_, type, time, &Event::Payload::collective, data);
  }
}

}  // namespace waitprof
