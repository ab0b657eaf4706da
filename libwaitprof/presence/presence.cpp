// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/presence.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/presence/counters.hpp"
#include "libwaitprof/presence/switch_ring.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/used_time.hpp"

namespace waitprof {
namespace {

constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;
// Shorter intervals are added to a sum, which is written once it is this long.
constexpr std::uint64_t kShort = 20 * kMicrosecond;
// At most this many intervals are written in each window of this length; the rest goes into sums.
constexpr std::uint64_t kWindow = 100 * kMillisecond;
constexpr std::uint32_t kMostInWindow = 200;
constexpr std::uint64_t kBetweenReadings = kMillisecond / 2;
constexpr std::uint64_t kBetweenCounts = 5 * kMicrosecond;
constexpr std::uint64_t kRestAfterOverrun = kSecond;
constexpr std::size_t kReasons = 4;
// A thread that waited for a page runs no longer than that until its fault is told, or it waits for the page again.
constexpr std::uint64_t kOfOneFault = 50 * kMicrosecond;
// Their memory is locked, of which a program may have little.
constexpr int kMostRings = 16;

constinit std::atomic<int> rings{0};
constinit std::atomic<std::uint64_t> migrations{0};

struct Sum {
  std::uint64_t time = 0, turns = 0;
};

struct Interval {
  std::uint64_t begin = 0, end = 0;
};

struct PresenceState {
  PresenceUpdates updates;
  SwitchRing ring;
  std::uint64_t no_updates = 0;     // what updates.head points to while the ring is not read
  std::uint64_t left = 0;           // when the thread left its processor; 0: it is on one
  OffReason reason{};               // why
  std::array<Interval, 8> blocked;  // for what may still be told
  std::uint32_t blocked_count = 0;
  std::uint32_t processor = UINT32_MAX;  // that it was on last
  std::uint64_t since = 0;               // nothing earlier counts
  std::uint64_t last = 0;                // time of the last switch that was read
  std::uint64_t rest_until = 0;          // the ring ran over: clocks are read until then
  std::uint64_t window = 0;              // when it began
  std::uint32_t written_in_window = 0;
  bool only_sums = false;  // no intervals at present
  std::array<Sum, kReasons> sums;
  std::uint64_t read_at = 0, ran = 0, ready = 0;  // the clocks, as read last
  void* counters = nullptr;                       // presence/counters.hpp
  std::uint64_t counted_at = 0;
  bool told = false;  // which source this is, in the buffer
};

PresenceState* presence_of(ThreadState& thread) noexcept {
  return static_cast<PresenceState*>(thread.presence);
}

void write_interval(ThreadState& thread, std::uint64_t time, const OffProcessorData& data) noexcept {
  append(thread, EventType::OffProcessor, time, &Event::Payload::off_processor, data);
}

void write_sums(ThreadState& thread, PresenceState& presence, std::uint64_t time) noexcept {
  for (std::uint32_t reason = 0; reason < kReasons; ++reason) {
    Sum& sum = presence.sums[reason];
    if (sum.time >= kShort && has_room(thread)) {
      write_interval(thread, time, {sum.time, sum.turns, reason, 0});
      sum = {};
    }
  }
}

void add_interval(ThreadState& thread, PresenceState& presence, std::uint64_t begin, std::uint64_t end,
                  OffReason reason) noexcept {
  begin = std::max(begin, presence.since);
  if (end <= begin) {
    return;
  }
  if (end >= presence.window + kWindow) {
    presence.window = end;
    presence.written_in_window = 0;
  }
  if (end - begin < kShort || presence.only_sums || presence.written_in_window >= kMostInWindow ||
      !has_room(thread)) {
    Sum& sum = presence.sums[static_cast<std::size_t>(reason)];
    sum.time += end - begin;
    ++sum.turns;
    return;
  }
  ++presence.written_in_window;
  write_interval(thread, end, {end - begin, 0, static_cast<std::uint32_t>(reason), 0});
}

void add_blocked(ThreadState& thread, PresenceState& presence, OffReason reason) noexcept {
  for (std::uint32_t i = 0; i < presence.blocked_count; ++i) {
    add_interval(thread, presence, presence.blocked[i].begin, presence.blocked[i].end, reason);
  }
  presence.blocked_count = 0;
}

// Whether what comes now may have to do with the thread's waiting before.
bool goes_on(const PresenceState& presence, std::uint64_t time) noexcept {
  return presence.blocked_count > 0 && time <= presence.blocked[presence.blocked_count - 1].end + kOfOneFault;
}

void come_back(ThreadState& thread, PresenceState& presence, std::uint64_t time) noexcept {
  if (presence.left == 0) {
    return;
  }
  if (presence.reason != OffReason::Blocked) {
    add_interval(thread, presence, presence.left, time, presence.reason);
  } else {
    presence.blocked[presence.blocked_count++] = {presence.left, time};
  }
  presence.left = 0;
}

// The kernel's clock and ours at one moment: over the life of what is in the ring they do not drift apart.
std::uint64_t ahead_of_kernel_clock() noexcept {
  const ClockReading reading = read_clocks();
  const bool ticks = scale_in_use.nanoseconds_per_tick != 0;
  return (ticks ? scaled(scale_in_use, reading.ticks) : time_of(reading)) - reading.nanoseconds;
}

void take_switch(ThreadState& thread, PresenceState& presence, const Switch& next,
                 std::uint64_t time) noexcept {
  switch (next.what) {
    case Switch::What::Blocked:
    case Switch::What::Preempted:
      if (next.what == Switch::What::Preempted || !goes_on(presence, time) ||
          presence.blocked_count == presence.blocked.size()) {
        add_blocked(thread, presence, OffReason::Blocked);
      }
      presence.left = time;
      presence.reason = next.what == Switch::What::Blocked ? OffReason::Blocked : OffReason::Preempted;
      break;
    case Switch::What::Back:
      come_back(thread, presence, time);
      break;
    case Switch::What::PageFault:
      add_blocked(thread, presence, goes_on(presence, time) ? OffReason::PageFault : OffReason::Blocked);
      break;
    case Switch::What::Lost:
      thread.left_out.lost_switches += next.lost;
      break;
    case Switch::What::Other:
      return;
  }
  if (presence.processor != next.processor) {
    migrations.fetch_add(presence.processor != UINT32_MAX ? 1 : 0, std::memory_order_relaxed);
    presence.processor = next.processor;
  }
  presence.last = time;
}

void read_clocks_again(PresenceState& presence, std::uint64_t time) noexcept {
  presence.read_at = time;
  presence.ran = processor_time_of_thread();
  presence.updates.next_reading = time + kBetweenReadings;
}

void begin_reading_clocks(PresenceState& presence, std::uint64_t time) noexcept {
  presence.updates.head = &presence.no_updates;
  presence.updates.tail = presence.no_updates;
  ready_time_of_thread(presence.ready);
  read_clocks_again(presence, time);
}

void begin_reading_ring(PresenceState& presence) noexcept {
  presence.ring.pass_all();
  presence.ring.give_back();
  presence.left = 0;
  presence.blocked_count = 0;
  presence.updates = {presence.ring.head(), presence.ring.tail(), UINT64_MAX};
}

bool open_ring(PresenceState& presence) noexcept {
  const bool opened = rings.fetch_add(1) < kMostRings && presence.ring.open();
  if (!opened) {
    rings.fetch_sub(1);
  }
  return opened;
}

// The lost records follow the last switch that was read; the ring has room from now on.
void rest_from_ring(ThreadState& thread, PresenceState& presence, std::uint64_t until) noexcept {
  add_interval(thread, presence, presence.last, until, OffReason::Unknown);
  presence.left = 0;
  presence.rest_until = until + kRestAfterOverrun;
  begin_reading_clocks(presence, until);
}

void write_from_ring(ThreadState& thread, PresenceState& presence, std::uint64_t until) noexcept {
  const std::uint64_t ahead = ahead_of_kernel_clock();
  const bool overrun = presence.ring.is_full();
  Switch next;
  while (presence.ring.peek(next) && (overrun || next.time + ahead <= until)) {
    take_switch(thread, presence, next, std::min(next.time + ahead, until));
    presence.ring.pass();
  }
  add_blocked(thread, presence, OffReason::Blocked);
  presence.ring.give_back();
  presence.updates.tail = presence.ring.tail();
  if (overrun) {
    rest_from_ring(thread, presence, until);
  }
}

// The thread ran from time to time: writes how long it did not, and how much of that it was ready to run.
void write_from_clocks(PresenceState& presence, std::uint64_t until) noexcept {
  const std::uint64_t passed = until - presence.read_at, ran_before = presence.ran;
  read_clocks_again(presence, until);
  const std::uint64_t ran = std::min(presence.ran - ran_before, passed);
  const std::uint64_t off = passed - ran;
  if (off < kShort) {
    return;
  }
  std::uint64_t ready = presence.ready;
  const bool known = ready_time_of_thread(ready);
  const std::uint64_t preempted = std::min(off, ready - presence.ready);
  presence.ready = ready;
  const auto sum = [&presence](OffReason reason, std::uint64_t time) {
    presence.sums[static_cast<std::size_t>(reason)].time += time;
    ++presence.sums[static_cast<std::size_t>(reason)].turns;
  };
  sum(known ? OffReason::Blocked : OffReason::Unknown, off - preempted);
  if (preempted > 0) {
    sum(OffReason::Preempted, preempted);
  }
}

// As MPI calls begin and end, but for calls and stretches that are shorter.
void write_counters(ThreadState& thread, PresenceState& presence, std::uint64_t until) noexcept {
  CounterData values{};
  if (until < presence.counted_at + kBetweenCounts || !has_room(thread) ||
      !counter_reader().read(presence.counters, values)) {
    return;
  }
  presence.counted_at = until;
  append(thread, EventType::Counters, until, &Event::Payload::counters, values);
}

// As late as it can be: a thread is in the trace from its first event on.
void tell_source(ThreadState& thread, PresenceState& presence) noexcept {
  const PresenceSource source = presence.ring.is_open() ? PresenceSource::Switches : PresenceSource::Sums;
  append(thread, EventType::Presence, presence.since, &Event::Payload::step,
         static_cast<std::uint64_t>(source));
  presence.told = true;
}

}  // namespace

void start_presence(ThreadState& thread) noexcept {
  if (settings.off_processor == PresenceSource::None || thread.presence != nullptr) {
    return;
  }
  void* const memory = map_pages(sizeof(PresenceState));
  if (memory == nullptr) {
    return;
  }
  // A child sees zeros here: it does not have the ring, and may not have run the handlers of pthread_atfork.
  ::madvise(memory, sizeof(PresenceState), MADV_WIPEONFORK);
  auto* const presence = new (memory) PresenceState;
  presence->since = now();
  if (settings.off_processor == PresenceSource::Switches && open_ring(*presence)) {
    begin_reading_ring(*presence);
  } else {
    begin_reading_clocks(*presence, presence->since);
  }
  presence->updates.next_reading = 0;
  presence->counters = counter_reader().open();
  thread.presence = presence;
}

void stop_presence(ThreadState& thread) noexcept {
  if (PresenceState* const presence = presence_of(thread); presence != nullptr) {
    thread.presence = nullptr;
    rings.fetch_sub(presence->ring.is_open() ? 1 : 0);
    if (presence->counters != nullptr) {
      counter_reader().close(presence->counters);
    }
    presence->ring.close();
    unmap_pages(presence, sizeof(PresenceState));
  }
}

std::uint64_t migrations_of_process() noexcept {
  return migrations.load(std::memory_order_relaxed);
}

bool is_told_by_clocks(const ThreadState& thread) noexcept {
  const auto* const presence = static_cast<const PresenceState*>(thread.presence);
  return presence->updates.head == &presence->no_updates;
}

bool has_room_for_intervals(const ThreadState& thread, std::uint64_t time) noexcept {
  const auto* const presence = static_cast<const PresenceState*>(thread.presence);
  const bool new_window = time >= presence->window + kWindow;
  return has_room(thread) && (new_window || presence->written_in_window < kMostInWindow);
}

BlockedTime blocked_time(ThreadState& thread, std::uint64_t since, std::uint64_t until) noexcept {
  const PresenceState& presence = *presence_of(thread);
  if (is_told_by_clocks(thread)) {
    const std::uint64_t ran = processor_time_of_thread() - presence.ran, passed = until - presence.read_at;
    std::uint64_t ready = presence.ready;
    ready_time_of_thread(ready);
    const std::uint64_t not_waiting = ran + ready - presence.ready;
    return {since, std::min(passed - std::min(not_waiting, passed), until - since)};
  }
  const std::uint64_t ahead = ahead_of_kernel_clock();
  SwitchRing unread = presence.ring;  // a copy of where we are in it
  std::uint64_t left = presence.left;
  bool blocked = presence.reason == OffReason::Blocked;
  BlockedTime sum{left != 0 ? left : until, 0};
  for (Switch next; unread.peek(next) && next.time + ahead <= until; unread.pass()) {
    if (next.what == Switch::What::Back) {
      sum.time += left != 0 && blocked ? next.time + ahead - std::max(left, since) : 0;
      left = 0;
    } else if (next.what != Switch::What::Other && next.what != Switch::What::Lost) {
      left = next.time + ahead;
      blocked = next.what == Switch::What::Blocked;
      sum.begin = std::min(sum.begin, left);
    }
  }
  sum.begin = std::clamp(sum.begin, since, until);
  return sum;
}

void write_presence(ThreadState& thread, std::uint64_t until, PresenceOf what) noexcept {
  PresenceState& presence = *presence_of(thread);
  presence.only_sums = what == PresenceOf::MpiCall;
  if (!presence.told) {
    tell_source(thread, presence);
  }
  if (presence.updates.head != &presence.no_updates) {
    presence.updates.next_reading = UINT64_MAX;
    write_from_ring(thread, presence, until);
  } else if (what == PresenceOf::WatchedCall || until >= presence.read_at + kBetweenReadings) {
    write_from_clocks(presence, until);
    if (presence.ring.is_open() && until >= presence.rest_until) {
      begin_reading_ring(presence);
    }
  } else {
    presence.updates.next_reading = presence.read_at + kBetweenReadings;
  }
  write_sums(thread, presence, until);
  if (presence.counters != nullptr) {
    write_counters(thread, presence, until);
    presence.updates.next_reading =
        std::min(presence.updates.next_reading, presence.counted_at + kBetweenCounts);
  }
}

void pass_presence(ThreadState& thread) noexcept {
  PresenceState& presence = *presence_of(thread);
  presence.since = presence.last = now();
  presence.sums = {};
  if (presence.updates.head != &presence.no_updates) {
    begin_reading_ring(presence);
  } else {
    read_clocks_again(presence, presence.since);
  }
}

void write_blocked(ThreadState& thread, std::uint64_t since, std::uint64_t until) noexcept {
  PresenceState& presence = *presence_of(thread);
  if (!presence.told) {
    tell_source(thread, presence);
  }
  presence.only_sums = false;
  if (presence.updates.head != &presence.no_updates) {
    begin_reading_ring(presence);
    presence.last = until;
  } else {
    begin_reading_clocks(presence, until);
  }
  add_interval(thread, presence, since, until, OffReason::Blocked);
}

}  // namespace waitprof
