// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/watched_call.hpp"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/schema/blocking_calls.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {
namespace {

constexpr std::size_t kMostText = 192;

// The file name without its directory, with a star for every number in it, so that all checkpoints get the
// same name.
void copy_without_numbers(const char* path, char* text, std::size_t room) noexcept {
  const char* from = std::strrchr(path, '/');
  from = from != nullptr ? from + 1 : path;
  for (bool in_number = false; *from != '\0' && room > 1; ++from) {
    const bool digit = *from >= '0' && *from <= '9';
    if (digit && in_number) {
      continue;
    }
    *text++ = digit ? '*' : *from;
    --room;
    in_number = digit;
  }
  *text = '\0';
}

// A name for what the descriptor stands for: "out.*.dat", "pipe", "socket", "eventfd"; empty: not known.
void describe_descriptor(int descriptor, char (&text)[kMostText]) noexcept {
  char link[32], target[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, target, sizeof target - 1);
  text[0] = '\0';
  if (length <= 0) {
    return;
  }
  target[length] = '\0';
  // As Linux says of a file that has no name any more.
  if (constexpr std::string_view kDeleted = " (deleted)"; std::string_view(target).ends_with(kDeleted)) {
    target[static_cast<std::size_t>(length) - kDeleted.size()] = '\0';
  }
  if (target[0] == '/') {
    copy_without_numbers(target, text, sizeof text);
  } else if (constexpr std::string_view kUnnamed = "anon_inode:";
             std::string_view(target).starts_with(kUnnamed)) {
    char* const what = target + kUnnamed.size();  // "[eventfd]", "inotify"
    *strchrnul(what, ']') = '\0';
    copy_without_numbers(what + (*what == '[' ? 1 : 0), text, sizeof text);
  } else if (char* const colon = std::strchr(target, ':'); colon != nullptr) {
    *colon = '\0';  // "pipe:[4711]"
    copy_without_numbers(target, text, sizeof text);
  }
}

using CallName = char[2 * kMostText];

const CallName& name_call(const WatchedCall& call, const char* path, CallName& name) noexcept {
  char object[kMostText] = "";
  if (call.descriptor == kOnlyTime) {
    copy_without_numbers(schema::kWithoutDescriptors.data(), object, sizeof object);
  } else if (call.descriptor == kForCaller) {
    copy_without_numbers(schema::kForCaller.data(), object, sizeof object);
  } else if (path != nullptr) {
    copy_without_numbers(path, object, sizeof object);
  } else if (call.descriptor >= 0 && descriptors_may_be_named()) {
    describe_descriptor(call.descriptor, object);
  }
  const std::string_view function = name_of_blocking_call(call.function);
  std::snprintf(name, sizeof name, object[0] != '\0' ? "%.*s (%s)" : "%.*s",
                static_cast<int>(function.size()), function.data(), object);
  return name;
}

std::uint32_t region_of(const WatchedCall& call, const char* path) noexcept {
  CallName name;
  return region_of_library(name_call(call, path, name));
}

struct WatchedEnd {
  std::uint64_t since, until;
  std::uint64_t bytes = 0;
  const char* path = nullptr;
  bool in_handler = false;
  std::uint32_t caller = kNoCallPathId;  // in a handler
};

// Writes the call up to now, which may be before its end. False: it has no name.
bool write_watched(ThreadState& thread, const WatchedCall& call, const WatchedEnd& end) noexcept {
  const BlockedTime blocked = blocked_time(thread, end.since, end.until);
  const bool long_enough = blocked.time >= kShortestNamed || call.begun;
  const bool named = long_enough && has_room_for_intervals(thread, end.until);
  const Caller caller{call.frame, call.frame_pointer};
  const std::uint32_t region = named ? region_of(call, end.path) : 0;
  if (region == 0) {
    record_presence(thread, end.until);
    return false;
  }
  thread.watched.begun = end.in_handler;
  const std::uint32_t path = end.in_handler ? end.caller : call_path_of_caller(caller);
  append(thread, EventType::Enter, blocked.begin, &Event::Payload::region, {region, path});
  write_presence(thread, end.until, PresenceOf::WatchedCall);
  if (end.bytes > 0) {
    append(thread, EventType::FileBytes, end.until, &Event::Payload::message, {end.bytes, 0, 0, 0, 0});
  }
  append(thread, EventType::Leave, end.until, &Event::Payload::region, {region, kNoCallPathId});
  return true;
}

void write_woken(ThreadState& thread, std::uint64_t time, const Wake& by) noexcept {
  if (by.number != 0)
    append(thread, EventType::ThreadWoken, time, &Event::Payload::thread, {by.number, kNoCallPathId, 0});
}

// Shorter ones, and more than there is room for, are as the thread was: on its processor, or off. False: it is such a one.
bool write_team_wait(ThreadState& thread, const WatchedCall& call, const WatchedEnd& end) noexcept {
  const bool named = end.until - end.since >= kShortestNamed && has_room_for_intervals(thread, end.until);
  const std::uint32_t region = named ? region_of(call, nullptr) : 0;
  if (region == 0) {
    record_presence(thread, end.until);
    return false;
  }
  const std::uint32_t path = call_path_of_caller({call.frame, call.frame_pointer});
  append(thread, EventType::Enter, end.since, &Event::Payload::region, {region, path});
  write_blocked(thread, end.since, end.until);
  append(thread, EventType::Leave, end.until, &Event::Payload::region, {region, kNoCallPathId});
  return true;
}

}  // namespace

// Time off the processor before the call has another reason.
[[gnu::noinline]] void begin_watched(ThreadState& thread, std::uint64_t& since) noexcept {
  const int kept = errno;
  const BusyThread busy(thread);
  const std::uint64_t time = now();
  if (is_told_by_clocks(thread)) {
    since = time;
  }
  if (!is_polling(thread, time)) {
    end_poll_row(thread);
    record_presence(thread, time);
  }
  errno = kept;
}

[[gnu::noinline]] void end_watched(ThreadState& thread, const WatchedCall& call, std::uint64_t since,
                                   const CallResult& result) noexcept {
  const int kept = errno;
  const BusyThread busy(thread);
  const std::uint64_t time = now();
  WatchedCall named = call;
  if (result.by != nullptr && result.by->by_caller) named.descriptor = kForCaller;
  if (thread.presence == nullptr) {
    CallName name;
    block_worker({call.frame, call.frame_pointer}, since, name_call(call, result.path, name));
    if (result.by != nullptr) mark_worker(EventType::ThreadWoken, result.by->number);
  } else if (call.since != 0) {
    if (write_team_wait(thread, named, {.since = call.since, .until = time}) && result.by != nullptr)
      write_woken(thread, time, *result.by);
  } else if ((since == 0 || time - since >= kShortestNamed) && !is_polling(thread, time)) {
    end_poll_row(thread);
    if (write_watched(thread, named,
                      {.since = since, .until = time, .bytes = result.bytes, .path = result.path}) &&
        result.by != nullptr)
      write_woken(thread, time, *result.by);
  }
  errno = kept;
}

void tell_of_wait(const WatchedCall& call, std::uint64_t since, const Wake& by) noexcept {
  ThreadState& thread = this_thread;
  const std::uint64_t time = now();
  const bool told = thread.presence != nullptr || thread.worker != nullptr;
  if (told || time - since < kShortestNamed || !recording() || !may_append(thread) || !has_room(thread) ||
      is_polling(thread, time))
    return;
  const int kept = errno;
  const BusyThread busy(thread);
  end_poll_row(thread);
  if (const std::uint32_t region = region_of(call, nullptr); region != 0) {
    const std::uint32_t path = call_path_of_caller({call.frame, call.frame_pointer});
    append(thread, EventType::Enter, since, &Event::Payload::region, {region, path});
    append(thread, EventType::Leave, time, &Event::Payload::region, {region, kNoCallPathId});
    write_woken(thread, time, by);
  }
  errno = kept;
}

void end_noted(CallWatch& watch, NotedWait& wait, const Caller& caller, std::uint32_t function,
               bool woken) noexcept {
  const Wake by = wait.end();
  if (watch.end()) return watch.write({.by = woken ? &by : nullptr});
  const bool unsampled = wait.since() != 0 && this_thread.skips_samples;
  if ((!woken || by.number == 0) && !unsampled) return;
  tell_of_wait({.frame = caller.frame,
                .frame_pointer = caller.frame_pointer,
                .function = function,
                .descriptor = by.by_caller ? kForCaller : kNoFile},
               wait.since(), by);
}

void begin_team_wait(ThreadState& thread) noexcept {
  thread.watched.since = now();
}

void interrupt_team_wait(ThreadState& thread) noexcept {
  const BusyThread busy(thread);
  const WatchedCall call = thread.watched;
  thread.watched.frame = nullptr;
  write_team_wait(thread, call, {.since = call.since, .until = now()});
}

bool note_watched(ThreadState& thread, std::uint64_t time) noexcept {
  std::uint32_t path = 0;
  if (!call_path_in_handler({thread.watched.frame, thread.watched.frame_pointer}, path)) {
    thread.watched = {};
    record_presence(thread, time);
    return false;
  }
  if (is_told_by_clocks(thread)) return blocked_time(thread, 0, time).time >= kShortestNamed;
  if (has_presence_news(thread, 0)) {
    write_watched(thread, thread.watched, {.since = 0, .until = time, .in_handler = true, .caller = path});
  }
  return false;
}

}  // namespace waitprof
