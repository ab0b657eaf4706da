// See open_regions.hpp. The hot path of a region that is recorded: one look-up and one event.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/open_regions.hpp"

#include <atomic>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/left_call.hpp"
#include "libwaitprof/regions/region_filter.hpp"
#include "libwaitprof/regions/region_stack.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/surroundings/front.hpp"

namespace waitprof {
namespace {

constinit std::atomic<std::uint64_t> lost{0};

// Counts of threads that have no buffer; many may count at once, so each uses a cache line of its own, or
// shares one with few others.
struct alignas(64) Count {
  std::atomic<std::uint64_t> value{0};
};
constinit Count without_mpi[64];

// Before MPI_Init functions are not counted: in C++ there always are some, of static objects.
void count_without_mpi(const ThreadState& thread, bool is_function) noexcept {
  const RecorderState state = recorder_state.load(std::memory_order_relaxed);
  const bool early = state == RecorderState::Idle && !is_function;
  if (thread.begin == nullptr && (early || state == RecorderState::Recording)) {
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(&thread) * 0x9e3779b97f4a7c15U;
    without_mpi[hash >> 58].value.fetch_add(1, std::memory_order_relaxed);
  }
}

void count_lost() noexcept {
  if (recording()) lost.fetch_add(1, std::memory_order_relaxed);
}

// A region that was entered is left even in a pause. That happens in other threads, since a pause closes the
// regions of its own thread.
bool leaves_are_written() noexcept {
  const RecorderState state = recorder_state.load(std::memory_order_relaxed);
  return state == RecorderState::Recording || state == RecorderState::Paused;
}

std::uint32_t region_of(const OpenRegion& open) noexcept {
  return open.is_function ? region_by_address(open.key) : static_cast<std::uint32_t>(open.key);
}

void write_event(ThreadState& thread, EventType type, std::uint32_t region, std::uint64_t time) noexcept {
  end_poll_row(thread);
  Event event = event_at(type, time);
  event.u.region = {.region = region, .call_path = kNoCallPathId};
  append(thread, event);
}

// Not in a callback inside an MPI call: the event would come after events of the call that are yet to be
// made.
void note_presence(ThreadState& thread, std::uint64_t time) noexcept {
  if (thread.mpi_depth == 0) record_presence(thread, time);
}

bool flushed(ThreadState& thread) noexcept {
  auto* const flush = flush_buffer.load(std::memory_order_relaxed);
  return flush != nullptr && flush(thread);
}

// Also makes room for the Leave: at the end another thread may write that one, which must not flush.
void write_enter(ThreadState& thread, OpenRegion& open, std::uint64_t time) noexcept {
  const std::uint32_t region = region_of(open);
  if (region == 0) return count_lost();
  end_poll_row(thread);
  if (thread.cursor >= thread.limit && !flushed(thread)) return;
  write_event(thread, EventType::Enter, region, time);
  open.written = 1;
}

bool is_filtered_region(const OpenRegion& region) noexcept {
  return is_region_filtered(region.key, region.is_function != 0);
}

void enter(OpenRegion region) noexcept {
  if (is_filtered_region(region)) {
    ThreadState& thread = this_thread;
    thread.left_out.filtered_regions += recording() && may_append(thread) ? 1 : 0;
    return;
  }
  RegionStack& stack = this_stack;
  if (!stack.push(region)) return count_lost();
  ThreadState& thread = this_thread;
  if (!recording() || !may_append(thread)) return;
  const BusyThread busy(thread);
  const std::uint64_t time = now();
  note_presence(thread, time);
  write_enter(thread, stack.open[stack.depth - 1], time);
}

void leave(OpenRegion region) noexcept {
  if (is_filtered_region(region)) return;
  RegionStack& stack = this_stack;
  if (stack.deeper > 0) {
    --stack.deeper;
    return;
  }
  const std::uint32_t position = stack.find(region);
  if (position == RegionStack::kNotFound) return count_lost();
  ThreadState& thread = this_thread;
  if (stack.open[position].written && thread.mpi_depth > 0 && thread.busy == 0) {
    close_left_call(thread);  // inside MPI only regions that were entered there are left
  }
  if (!leaves_are_written() || !may_append(thread)) {
    count_without_mpi(thread, region.is_function != 0);
    while (stack.depth > position) stack.pop();
    return;
  }
  const BusyThread busy(thread);
  std::uint64_t time = 0;  // read only if needed
  while (stack.depth > position) {
    const OpenRegion left = stack.pop();
    if (!left.written) continue;
    if (time == 0) {
      time = now();
      note_presence(thread, time);
    }
    write_event(thread, EventType::Leave, region_of(left), time);
  }
}

OpenRegion function_region(std::uintptr_t function) noexcept {
  constexpr std::uintptr_t kKey = (std::uintptr_t{1} << 62) - 1;
  return {.key = function & kKey, .is_function = 1, .written = 0};
}

}  // namespace

void open_regions(ThreadState& thread) noexcept {
  adopt_early_regions();
  RegionStack& stack = this_stack;
  thread.region_stack = &stack;
  const BusyThread busy(thread);
  stack.remove_if(is_filtered_region);  // entered before the filter was known
  const std::uint64_t time = now();
  for (std::uint32_t i = 0; i < stack.depth; ++i)
    if (!stack.open[i].written) write_enter(thread, stack.open[i], time);
}

void close_regions(ThreadState& thread) noexcept {
  auto* const stack = static_cast<RegionStack*>(thread.region_stack);
  if (stack == nullptr || thread.begin == nullptr || !leaves_are_written()) return;
  const BusyThread busy(thread);
  const std::uint64_t time = now();
  for (std::uint32_t i = stack->depth; i-- > 0;) {
    OpenRegion& open = stack->open[i];
    if (open.written) write_event(thread, EventType::Leave, region_of(open), time);
    open.written = 0;
  }
}

void enter_function(std::uintptr_t function) noexcept {
  enter(function_region(function));
}
void leave_function(std::uintptr_t function) noexcept {
  leave(function_region(function));
}

void enter_region(const char* name) noexcept {
  enter({.key = region_by_name(name), .is_function = 0, .written = 0});
}
void leave_region(const char* name) noexcept {
  leave({.key = region_by_name(name), .is_function = 0, .written = 0});
}

void adopt_early_regions() noexcept {
  RegionStack& stack = this_stack;
  if (!stack.early) return;
  stack.early = false;
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    OpenRegion& open = stack.open[i];
    if (open.is_function == 0) open.key = region_by_name(reinterpret_cast<const char*>(open.key));
  }
}

bool compiler_regions_open() noexcept {
  return this_stack.functions > 0;
}

std::uint64_t lost_regions() noexcept {
  return lost.load(std::memory_order_relaxed);
}

std::uint64_t regions_without_mpi() noexcept {
  std::uint64_t sum = waitprof_regions_before_mpi();
  for (const Count& count : without_mpi) {
    sum += count.value.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace waitprof
