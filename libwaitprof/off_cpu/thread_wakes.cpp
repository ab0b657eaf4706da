// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/thread_wakes.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/rate_limit.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {
namespace {

// An object is looked for in the places of its bucket only, which share a line of the cache.
constexpr std::size_t kWaitBuckets = 128, kPlacesOfBucket = 8, kWaitPlaces = kWaitBuckets * kPlacesOfBucket;
constexpr int kWaiterBits = 16;  // an address has 48 bits
constexpr std::uint64_t kWaiterMask = (1U << kWaiterBits) - 1;
constexpr std::uint64_t kMostWakesInASecond = 2000;  // of the process; others are not known

alignas(64) constinit std::array<std::atomic<std::uint64_t>,
                                 kWaitPlaces> waited_for{};  // address, count; 0: free
// Since when the first one waits there, and the last wake: its number, twice, and whether by a caller of MPI.
constinit std::array<std::atomic<std::uint64_t>, kWaitPlaces> waits_since{}, last_wake{};
// Locks that somebody has waited for, the last one of each kind of address.
constexpr std::size_t kLocksKept = 256;
constinit std::array<std::atomic<const void*>, kLocksKept> waited_locks{};
constinit std::atomic<std::uint64_t> wakes_so_far{0};
constinit RateLimit<kMostWakesInASecond> wakes_in_a_second, locks_in_a_second;

std::uint64_t waited_address(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object) << kWaiterBits;
}

std::uint64_t scattered(const void* object) noexcept {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  return reinterpret_cast<std::uintptr_t>(object) * kGoldenRatio >> 32;
}

std::size_t wait_bucket_of(const void* object) noexcept {
  return scattered(object) % kWaitBuckets * kPlacesOfBucket;
}

// kWaitPlaces: nowhere.
std::size_t wait_place_of(const void* object) noexcept {
  const std::uint64_t address = waited_address(object);
  const std::size_t first = wait_bucket_of(object);
  for (std::size_t place = first; place < first + kPlacesOfBucket; ++place) {
    if ((waited_for[place].load(std::memory_order_relaxed) & ~kWaiterMask) == address) return place;
  }
  return kWaitPlaces;
}

bool join_waits(std::size_t place, std::uint64_t address) noexcept {
  std::uint64_t word = waited_for[place].load();
  while ((word & ~kWaiterMask) == address && (word & kWaiterMask) < kWaiterMask)
    if (waited_for[place].compare_exchange_weak(word, word + 1)) return true;
  return false;
}

// Where one waits for it more; kWaitPlaces: there is no place.
std::size_t enter_waits(const void* object, std::uint64_t time) noexcept {
  const std::uint64_t address = waited_address(object);
  if (const std::size_t known = wait_place_of(object); known != kWaitPlaces && join_waits(known, address))
    return known;
  const std::size_t first = wait_bucket_of(object);
  for (std::size_t place = first; place < first + kPlacesOfBucket; ++place) {
    std::uint64_t free = 0;
    if (waited_for[place].load(std::memory_order_relaxed) != 0 ||
        !waited_for[place].compare_exchange_strong(free, address | 1))
      continue;
    waits_since[place].store(time);
    return place;
  }
  return kWaitPlaces;
}

void leave_waits(std::size_t place) noexcept {
  std::uint64_t left = waited_for[place].fetch_sub(1) - 1;
  if ((left & kWaiterMask) == 0) waited_for[place].compare_exchange_strong(left, 0);
}

bool write_wake(ThreadState& thread, std::uint64_t time, std::uint64_t number, const Caller& caller,
                const char* call) noexcept {
  if (!has_room(thread) || is_polling(thread, time) || is_unnoticed_child(thread)) return false;
  const BusyThread busy(thread);
  const std::uint32_t region = region_of_library(call);
  if (region == 0) return false;
  end_poll_row(thread);
  record_presence(thread, time);
  const std::uint32_t path = call_path_of_caller(caller);
  append(thread, EventType::Enter, time, &Event::Payload::region, {region, path});
  append(thread, EventType::Leave, time, &Event::Payload::region, {region, kNoCallPathId});
  append(thread, EventType::ThreadWakes, time, &Event::Payload::thread, {number, kNoCallPathId, 0});
  return true;
}

// Its events are written by its sampler.
bool is_recorded_worker(const ThreadState& thread) noexcept {
  return recording() && adopt_worker() && is_free_worker(thread);
}

// Of threads that call MPI only where several have done so: elsewhere no operation waits for them. In a handler that has
// interrupted a call, events would not be in time order.
bool may_tell(const ThreadState& thread, const Caller& caller) noexcept {
  return recording() && !is_in_watched_call(thread, reinterpret_cast<std::uintptr_t>(caller.frame)) &&
         (is_recorded_worker(thread) || (threads_that_called_mpi.load() > 1 && may_append(thread)));
}

// kWaitPlaces: nobody has waited there for long.
std::size_t place_of_long_wait(const void* object, std::uint64_t time) noexcept {
  const std::size_t place = wait_place_of(object);
  const bool is_long = place != kWaitPlaces && time - waits_since[place].load() >= kShortestNamed;
  return is_long ? place : kWaitPlaces;
}

}  // namespace

NotedWait::NotedWait(const void* object) noexcept {
  ThreadState& thread = this_thread;
  if (object == nullptr || !recording() ||
      !(may_append(thread) || (adopt_worker() && is_free_worker(thread))))
    return;
  forget_wait(thread);
  const std::uint64_t time = now();
  const std::size_t place = enter_waits(object, time);
  if (place == kWaitPlaces) return;
  since_ = time;
  before_ = last_wake[place].load();
  place_ = static_cast<std::uint32_t>(place);
  thread.wait_frame = this;
  thread.skips_samples = false;
  thread.waits_at = place_ + 1;
}

Wake NotedWait::end() noexcept {
  // A later wait may have got the same place.
  if (since_ == 0 || this_thread.wait_frame != this || this_thread.waits_at != place_ + 1) return {};
  const std::uint64_t last = last_wake[place_].load();
  forget_wait(this_thread);
  if (last == before_) return {};
  return {last / 2, last % 2 != 0};
}

void forget_wait(ThreadState& thread) noexcept {
  if (thread.waits_at == 0) return;
  leave_waits(thread.waits_at - 1);
  thread.waits_at = 0;
}

bool is_waited_for(const void* object) noexcept {
  return wait_place_of(object) != kWaitPlaces;
}

[[gnu::noinline]] void tell_wake(const void* object, const Caller& caller, const char* call) noexcept {
  const int kept = errno;
  ThreadState& thread = this_thread;
  const std::uint64_t time = now();
  const std::size_t place = place_of_long_wait(object, time);
  if (place == kWaitPlaces) return;
  const bool told = may_tell(thread, caller) && wakes_in_a_second.takes(time);
  const std::uint64_t number = told ? wakes_so_far.fetch_add(1) + 1 : 0;
  if (told && is_free_worker(thread)) {
    last_wake[place].store(2 * number);
    mark_worker(EventType::ThreadWakes, number);
  } else if (told && write_wake(thread, time, number, caller, call)) {
    last_wake[place].store(2 * number + 1);
  } else {
    last_wake[place].store(0);
  }
  errno = kept;
}

bool was_waited_for(const void* lock) noexcept {
  return waited_locks[scattered(lock) % kLocksKept].load(std::memory_order_relaxed) == lock;
}

[[gnu::noinline]] void tell_taken(const void* lock) noexcept {
  const int kept = errno;
  ThreadState& thread = this_thread;
  const bool told = is_recorded_worker(thread) && locks_in_a_second.takes(now());
  if (told) mark_worker(EventType::ThreadWakes, wakes_so_far.fetch_add(1) + 1);
  thread.told_lock = told ? lock : nullptr;
  errno = kept;
}

[[gnu::noinline]] void tell_let_go(const void* lock, const Caller* caller, const char* call) noexcept {
  const int kept = errno;
  ThreadState& thread = this_thread;
  const std::uint64_t time = now();
  const std::size_t place = place_of_long_wait(lock, time);
  if (place == kWaitPlaces) return;
  waited_locks[scattered(lock) % kLocksKept].store(lock, std::memory_order_relaxed);
  const bool is_worker = is_recorded_worker(thread);
  const bool was_told = std::exchange(thread.told_lock, nullptr) == lock;
  const bool told =
      is_worker ? was_told : caller != nullptr && may_tell(thread, *caller) && wakes_in_a_second.takes(time);
  const std::uint64_t number = told ? wakes_so_far.fetch_add(1) + 1 : 0;
  const bool by_caller = told && !is_worker && write_wake(thread, time, number, *caller, call);
  last_wake[place].store(by_caller ? 2 * number + 1 : is_worker ? 2 * number : 0);
  if (told && is_worker) mark_worker(EventType::ThreadWakes, number);
  errno = kept;
}

}  // namespace waitprof
