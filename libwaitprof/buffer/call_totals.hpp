// WAITPROF_PROFILE=light: what the calls of one thread amount to over the whole run, by call path and
// function. A table of fixed size in mapped memory (of the thread's event file, if there is one): whatever
// the length of the run, nothing is allocated and nothing written out. Call paths for which there is no room
// are added up in the first row.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace waitprof {

struct CallTotal {
  std::uint32_t call_path = 0;      // of the caller; 0: not known
  std::uint32_t region_plus_1 = 0;  // 0: nothing is in this row
  std::uint64_t calls = 0;
  std::uint64_t time = 0, shortest = 0, longest = 0;  // ns
  std::uint64_t messages = 0, message_bytes = 0;      // sent from point to point
  std::uint64_t collective_bytes = 0;                 // sent in collective operations
};
static_assert(sizeof(CallTotal) == 64);

struct CallTotals {
  static constexpr std::uint32_t kRows = 4096;  // besides the first one

  std::uint64_t steps = 0;  // time steps that began
  std::uint64_t unused[7] = {};
  CallTotal rows[kRows + 1];

  // The row of these calls; the first one if there is no room.
  CallTotal& of(std::uint32_t call_path, std::uint32_t region) noexcept {
    constexpr std::uint32_t kMostTries = 64;
    std::uint32_t place = (call_path * 0x9e3779b1U) ^ (region * 0x85ebca6bU);
    place ^= place >> 15;
    for (std::uint32_t i = 0; i < kMostTries; ++i) {
      CallTotal& row = rows[1 + (place + i) % kRows];
      if (row.region_plus_1 == region + 1 && row.call_path == call_path) {
        return row;
      }
      if (row.region_plus_1 == 0) {
        row.call_path = call_path;
        row.region_plus_1 = region + 1;
        return row;
      }
    }
    return rows[0];
  }
};

inline void add_call(CallTotal& row, std::uint64_t time) noexcept {
  row.shortest = row.calls == 0 ? time : std::min(row.shortest, time);
  row.longest = std::max(row.longest, time);
  row.time += time;
  ++row.calls;
}

}  // namespace waitprof
