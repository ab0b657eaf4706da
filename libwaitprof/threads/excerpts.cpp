// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/threads/excerpts.hpp"

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/open_regions.hpp"

namespace waitprof {

constinit std::atomic<std::uint64_t> current_excerpt{kFirstExcerpt};
constinit ExcerptSchedule excerpt_schedule;

namespace {

using crash_safe::ExcerptSlot;
using crash_safe::kLastExcerpt;
using crash_safe::kMostExcerpts;
using crash_safe::kNoExcerpt;

constexpr std::uint32_t kLastSlot = kMostExcerpts + 1;

ExcerptSlot& slot_for(ThreadState& thread, std::uint64_t number) noexcept {
  ExcerptSlot* const slots = thread.excerpts->slot;
  if (number == kFirstExcerpt) {
    return slots[0];
  }
  for (std::uint32_t i = 1; i <= kMostExcerpts && number != kLastExcerpt; ++i) {
    if (!excerpt_schedule.keeps(slots[i].number)) {
      return slots[i];
    }
  }
  return slots[kLastSlot];
}

void use_slot(ThreadState& thread, ExcerptSlot& slot, std::uint64_t number) noexcept {
  Event* const first = thread.events + slot.first;
  slot.number = kNoExcerpt;
  store_head(first, Event{});
  slot.number = number;
  thread.end = first + (slot.room - 1);
  thread.limit = thread.end - slot.room / 4;
  thread.begin = thread.cursor = first;
}

// Between excerpts events are made in the last slot and taken back, except for a call that never returns.
void step_outside(ThreadState& thread) noexcept {
  use_slot(thread, thread.excerpts->slot[kLastSlot], kLastExcerpt);
  thread.outside = true;
}

// The first excerpt may be all there is in full; the last slot is for MPI_Finalize.
void divide(crash_safe::ExcerptSlots& excerpts, std::uint32_t capacity) noexcept {
  const std::uint32_t first = capacity / 4, last = capacity / 16;
  const std::uint32_t other = (capacity - first - last) / kMostExcerpts;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i <= kLastSlot; ++i) {
    const std::uint32_t room = i == 0 ? first : (i == kLastSlot ? last : other);
    excerpts.slot[i] = {kNoExcerpt, begin, room};
    begin += room;
  }
  excerpts.count = kLastSlot + 1;
}

}  // namespace

std::uint64_t ExcerptSchedule::next(bool is_step) noexcept {
  if (is_step != by_steps_.load(std::memory_order_relaxed)) {
    if (!is_step) {
      return current_;
    }
    by_steps_.store(true, std::memory_order_relaxed);
    every_.store(kStepsEach, std::memory_order_relaxed);
    marks_ = kept_ = 0;
  }
  const std::uint64_t each = is_step ? kStepsEach : kCollectivesEach;
  const std::uint64_t mark = marks_++;
  std::uint64_t every = every_.load(std::memory_order_relaxed);
  if (mark % every == 0 && kept_ == kMostExcerpts) {
    every *= 2;
    every_.store(every, std::memory_order_relaxed);
    kept_ /= 2;
  }
  if (mark % every == 0) {
    ++kept_;
    began_ = mark;
    current_ = (is_step ? kOfSteps : 0) + mark + 1;
  } else if (mark >= began_ + each) {
    current_ = kNoExcerpt;
  }
  return current_;
}

bool ExcerptSchedule::keeps(std::uint64_t number) const noexcept {
  if (number == kFirstExcerpt || number == kLastExcerpt) {
    return true;
  }
  const bool of_step = number >= kOfSteps;
  return number != kNoExcerpt && of_step == by_steps_.load(std::memory_order_relaxed) &&
         (number - (of_step ? kOfSteps : 0) - 1) % every_.load(std::memory_order_relaxed) == 0;
}

bool divide_buffer(ThreadState& thread) noexcept {
  const auto capacity = static_cast<std::uint32_t>(thread.end - thread.begin) + 1;
  thread.events = thread.begin;
  void* const totals = totals_in_file(thread);
  void* const memory = totals != nullptr ? totals : allocate_forever(sizeof(CallTotals));
  auto* const slots =
      thread.area != nullptr
          ? &thread.area->excerpts
          : static_cast<crash_safe::ExcerptSlots*>(allocate_forever(sizeof(crash_safe::ExcerptSlots)));
  if (memory == nullptr || slots == nullptr) {
    return false;
  }
  thread.totals = static_cast<CallTotals*>(memory);
  thread.excerpts = slots;
  divide(*slots, capacity);
  thread.excerpt = current_excerpt.load(std::memory_order_relaxed);
  if (thread.excerpt == kNoExcerpt) {
    step_outside(thread);
  } else {
    use_slot(thread, slot_for(thread, thread.excerpt), thread.excerpt);
  }
  return true;
}

void change_excerpt(ThreadState& thread, std::uint64_t number) noexcept {
  end_poll_row(thread);
  if (!thread.outside) {
    close_regions(thread);
  }
  thread.excerpt = number;
  thread.free_requests = {};
  if (number == kNoExcerpt) {
    return step_outside(thread);
  }
  thread.outside = false;
  skip_presence(thread);
  use_slot(thread, slot_for(thread, number), number);
  Event event = event_at(EventType::Excerpt, now());
  event.u.step = number;
  append(thread, event);
  if (recording()) {
    open_regions(thread);
  }
}

void end_full_excerpt(ThreadState& thread) noexcept {
  end_poll_row(thread);
  close_regions(thread);
  append(thread, event_at(EventType::MeasurementOff, now()));
  step_outside(thread);
}

std::span<Event> up_to_zeros(Event* first, std::size_t room) noexcept {
  std::size_t count = 0;
  while (count < room && (first[count].time != 0 || first[count].type != EventType{})) {
    ++count;
  }
  return {first, count};
}

std::span<Event> events_of_slot(const ThreadState& thread, std::uint32_t slot) noexcept {
  const ExcerptSlot& chosen = thread.excerpts->slot[slot];
  if (!excerpt_schedule.keeps(chosen.number)) {
    return {};
  }
  return up_to_zeros(thread.events + chosen.first, chosen.room);
}

}  // namespace waitprof
