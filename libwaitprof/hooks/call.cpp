// What happens around every recorded MPI call.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/call.hpp"

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/metrics/metrics.hpp"
#include "libwaitprof/record/call_filter.hpp"
#include "libwaitprof/record/communicators.hpp"
#include "libwaitprof/record/peer_lists.hpp"
#include "libwaitprof/record/settings.hpp"

namespace waitprof {

namespace {

// Flushing here, before the Enter is stamped, keeps the pause out of every MPI call.
bool make_room(ThreadState& thread, std::size_t events) noexcept {
  const auto left = thread.limit - thread.cursor;
  if (left >= 0 && static_cast<std::size_t>(left) >= events) {
    return true;
  }
  return thread.cursor == thread.begin || archive::flush(thread);
}

}  // namespace

bool RecordedCall::begin(std::size_t most_events) noexcept {
  ThreadState& thread = this_thread;
  if (thread.mpi_depth > 0) {
    return false;
  }
  const RecorderState state = recorder_state.load(std::memory_order_relaxed);
  if (state != RecorderState::Recording && state != RecorderState::Paused) {
    return false;
  }
  if (!thread.registered && registered_thread() == nullptr) {
    return false;
  }
  ++thread.mpi_depth;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // from here on the sampler keeps out
  if (!make_room(thread, most_events)) {
    --thread.mpi_depth;
    return false;
  }
  thread_ = &thread;
  first_ = thread.cursor;
  paused_ = state == RecorderState::Paused;
  filtered_ = is_filtered(region_);
  return true;
}

void RecordedCall::enter() noexcept {
  if (paused()) {
    return;
  }
  const std::uint32_t call_path = call_path_of_caller(caller_);
  enter_ = now();
  add_region(EventType::Enter, enter_, call_path);
}

void RecordedCall::enter_late() noexcept {
  add_region(EventType::Enter, enter_, call_path_of_caller(caller_));
}

void RecordedCall::keep() noexcept {
  const bool was_filtered = filtered_;
  filtered_ = false;
  if (was_filtered && !paused()) {
    stamp_leave();
    enter_late();
  }
}

// The time it takes lies behind the call.
void RecordedCall::add_usage() noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  thread_->next_usage = leave_ + kSecond / static_cast<std::uint64_t>(settings.usage_hz);
  Event event = event_at(EventType::Usage, leave_);
  event.u.usage = current_usage();
  append(*thread_, event);
}

void RecordedCall::end() noexcept {
  if (paused()) {
    if (thread_->cursor != first_) {
      cut_events(*thread_, first_);
    }
  } else {
    if (__builtin_expect(leave_ >= thread_->next_usage, 0)) {
      add_usage();
    }
    add_region(EventType::Leave, leave_, kNoCallPathId);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  --thread_->mpi_depth;
}

void RecordedCall::end_unrecorded() noexcept {
  ++thread_->failed_polls;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  --thread_->mpi_depth;
}

void RecordedCall::add_region(EventType type, std::uint64_t time, std::uint32_t call_path) noexcept {
  append(*thread_, type, time, &Event::Payload::region, {static_cast<std::uint32_t>(region_), call_path});
}

void RecordedCall::add_rma(EventType type, std::uint64_t time, const RmaData& data) noexcept {
  Event event = event_at(type, time);
  event.u.rma = data;
  append(*thread_, event);
}

void RecordedCall::add_collective_begin() noexcept {
  Event event = event_at(EventType::CollectiveBegin, enter_);
  event.u.collective = {};
  append(*thread_, event);
}

void RecordedCall::add_communicator(EventType type, std::uint32_t comm) noexcept {
  Event event = event_at(type, leave_);
  event.u.collective = {};
  event.u.collective.comm = comm & kUnknownComm;
  append(*thread_, event);
}

void RecordedCall::add_collective_end(CollectiveOp op, std::uint32_t comm, std::int32_t root,
                                      std::uint64_t sent, std::uint64_t received) noexcept {
  add_collective(EventType::CollectiveEnd, op, comm, root, sent, received);
}

void RecordedCall::add_peers(std::uint32_t peer_list) noexcept {
  if (peer_list != kNoPeerList) {
    add_message(EventType::PeerBytes, leave_, {0, 0, 0, 0, peer_list});
  }
}

void RecordedCall::add_collective_complete(CollectiveOp op, std::uint32_t comm, std::int32_t root,
                                           std::uint64_t sent, std::uint64_t received) noexcept {
  add_collective(EventType::CollectiveComplete, op, comm, root, sent, received);
}

void RecordedCall::add_collective(EventType type, CollectiveOp op, std::uint32_t comm, std::int32_t root,
                                  std::uint64_t sent, std::uint64_t received) noexcept {
  Event event = event_at(type, leave_);
  event.u.collective = {sent, received, comm & kUnknownComm, static_cast<std::uint32_t>(op) & 0xff, root};
  append(*thread_, event);
}

}  // namespace waitprof
