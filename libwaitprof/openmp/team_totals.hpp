// Totals of all teams that a thread opened, by call path. Plain data; read at the end by archive/.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace waitprof {

inline constexpr std::uint32_t kMostTeamThreads = 256;

struct TeamTotal {
  std::uint32_t call_path = 0;  // of the thread that opened them
  std::uint32_t threads = 0;    // of the largest one
  std::uint64_t regions = 0;
  std::uint64_t left_out = 0;    // further ones, of whose threads not all is known
  std::uint64_t time = 0;        // ns, of the thread that opened them
  std::uint64_t slowest = 0;     // ns, of the thread that computed longest between each two barriers
  std::uint64_t with_turns = 0;  // ns, the same if waiting for critical and ordered sections and locks counts
  std::uint64_t with_tasks = 0;  // ns, the same if waiting for tasks counts as well
  std::uint64_t barriers = 0;    // ns, of barriers that all threads had come to
  std::uint64_t tasks = 0;       // ns, of all threads: waited for tasks
  std::uint64_t busy[kMostTeamThreads] = {};   // ns, by thread
  std::uint64_t turns[kMostTeamThreads] = {};  // ns, by thread: waited for such sections and locks
};

struct TeamTotals {
  static constexpr std::uint32_t kMost = 256;
  std::uint32_t count = 0;
  TeamTotal rows[kMost];

  std::span<const TeamTotal> used() const noexcept { return {rows, count}; }
  // The last row is for all call paths without a row of their own, which are reported as unknown.
  TeamTotal& of(std::uint32_t call_path) noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (rows[i].call_path == call_path) {
        return rows[i];
      }
    }
    if (count == kMost) {
      rows[kMost - 1].call_path = 0;
      return rows[kMost - 1];
    }
    rows[count].call_path = call_path;
    return rows[count++];
  }
};

}  // namespace waitprof
