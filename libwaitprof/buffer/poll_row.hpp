// Polls that found nothing (MPI_Test*, MPI_Iprobe ...), one soon after the other: a row of them is a wait.
//
//   first poll   poll   poll  ...  poll   |   the one that finds something, or anything else
//   first                          last
//
// Whether the thread does nothing else meanwhile is told by the polls that are timed, one in sixteen where
// they are short: a row ends where the time between two polls is much longer than a poll. If another process
// had the thread's processor meanwhile, that was no computation of the thread; if the thread itself slept, it
// may have been working (files).
//
// Fewer polls than a row needs, with a pause behind them, are kept as a call as well; but where nothing else comes
// in between, not more often than every so many microseconds. That somebody asks, sleeps and asks again only shows
// if it is known that he asked.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// Plain data of a thread. Times in ns.
struct PollRow {
  // Fewer polls than this do not count as a row; more time than this between two polls counts as computation.
  static constexpr std::uint32_t kFewest = 4;
  static constexpr std::uint64_t kLongestAway = 10'000;
  // So far apart are few polls with pauses that are recorded, where nothing else is in between.
  static constexpr std::uint64_t kToldApart = 200'000;
  static constexpr std::uint64_t kNoRow = std::uint64_t{1} << 63;  // as `last`: no time is shortly after it

  std::uint64_t first = 0,
                last = kNoRow;  // when it began; when the last poll began, or ended if it was timed
  std::uint64_t judged = 0;     // up to here, nothing but polling was done
  std::uint64_t inside = 0;     // time in the polls that were timed
  std::uint64_t used_at = 0;    // when `use` was read, some time in the row; 0: never
  ThreadUse use;
  std::uint32_t timed = 0;  // how many
  std::uint32_t polls = 0, judged_polls = 0;
  std::uint32_t every = 0;                  // one poll in every + 1 is timed; a mask
  std::uint32_t all_until = 0;              // so many polls are timed in any case
  std::uint32_t region = 0, call_path = 0;  // of its first poll, or its fourth
  bool is_named = false;                    // they are known

  bool goes_on_at(std::uint64_t enter) const noexcept { return enter - last <= kLongestAway; }

  // `broken`: it follows another row, which was ended by a gap that may have been spent inside a poll.
  static PollRow beginning(std::uint64_t enter, bool broken) noexcept {
    constexpr std::uint32_t kFew = 64, kMany = 1024;
    PollRow row;
    row.first = row.judged = enter;
    row.all_until = broken ? kMany : kFew;
    return row;
  }

  void name(std::uint32_t its_region, std::uint32_t its_call_path) noexcept {
    region = its_region;
    call_path = its_call_path;
    is_named = true;
  }

  // One more poll that found nothing began at `enter`. True: it is one to be timed.
  bool add(std::uint64_t enter) noexcept {
    last = enter;
    return (++polls & every) == 0;
  }

  // That poll ended at `leave`. False: since the last timed poll, the thread did more than poll.
  bool judge(std::uint64_t enter, std::uint64_t leave) noexcept {
    constexpr std::uint64_t kShort = 500;
    constexpr std::uint32_t kBetweenTimed = 15;
    inside += leave - enter;
    ++timed;
    if (!only_polled(enter, polls - judged_polls)) {
      return false;
    }
    pass(leave);
    every = polls >= all_until && inside / timed < kShort ? kBetweenTimed : 0;
    return true;
  }

  // Whether the time that the thread has used should be read after that poll.
  bool wants_use(std::uint64_t enter, std::uint64_t leave) const noexcept {
    constexpr std::uint64_t kLong = 100'000;
    return leave - first >= kLong && (used_at == 0 || leave - enter > kLongestAway);
  }
  void has_used(std::uint64_t time, const ThreadUse& read) noexcept {
    used_at = time;
    use = read;
  }
  // Whether the thread was preempted since the last poll, not asleep; then the row goes on.
  bool was_preempted_until(std::uint64_t enter, const ThreadUse& read) noexcept {
    if (read.sleeps != use.sleeps || read.ran - use.ran > last - used_at + kLongestAway) {
      return false;
    }
    pass(enter);
    has_used(enter, read);
    return true;
  }

  // Whether the row is long enough for an MPI call of its own.
  bool counts() const noexcept { return judged_polls >= kFewest; }

  // Whether a poll that began at `enter` ends the row with nothing in between.
  bool leads_to(std::uint64_t enter) const noexcept {
    return counts() && goes_on_at(enter) && only_polled(enter, polls - judged_polls + 1);
  }

 private:
  // Judges the rest, up to `time`: `times` gaps after polls, with all polls but the first.
  bool only_polled(std::uint64_t time, std::uint64_t times) const noexcept {
    constexpr std::uint64_t kAlwaysPolling = 500;
    return time - judged <= (kAlwaysPolling + 2 * (inside / timed)) * times;
  }
  void pass(std::uint64_t time) noexcept {
    judged = last = time;
    judged_polls = polls;
  }
};

}  // namespace waitprof
