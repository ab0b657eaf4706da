// Rows of calls that look into a window again and again, until another process has written there:
//
//   do { MPI_Fetch_and_op(..., MPI_NO_OP, ...); MPI_Win_flush(...); } while (...)
//   while (*flag == 0) { MPI_Win_sync(...); usleep(...); }       // shared memory, or what others put
//
// No record tells whether such a call found what the loop waits for: that it is repeated does. Who computes between two
// looks is working (a shared counter deals out tasks); who sleeps a short while is not.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Calls first .. last of one loop; the last one found something, no other one did. Or none did, and it went on until its
// end. Or it belongs to the row, although it found something.
struct RowOfPolls {
  std::uint32_t first = 0, last = 0;
  bool in_vain = false;
  bool with_last = in_vain;
  std::uint64_t looks = last - first + (with_last ? 1 : 0);  // up to one_call()
  std::uint32_t last_in_vain = last;                         // the last one that surely found nothing
  Duration pause_behind{};     // the loop pauses behind its last call, too, and the program goes on at once
  std::uint32_t like_gap = 0;  // as in this gap
  std::uint32_t one_call() const { return with_last ? last : last - 1; }  // up to here
  std::uint32_t last_pause() const { return in_vain ? last + 1 : last; }
  std::uint64_t pauses() const {
    const bool found_at_once = with_last && !in_vain && pause_behind == Duration::zero();
    return found_at_once ? looks - 1 : looks;
  }
};

// Whether a piece of a pause is one of those in `gap`.
bool sleeps_like(const Trace& trace, const Timeline& timeline, std::uint32_t gap,
                 const ComputationPiece& piece);

// Does any call of the trace look into a window?
bool looks_into_windows(const Trace& trace);

// Adds those of each location to its rows, and sorts these by time.
void add_rows_at_windows(const Trace& trace, std::vector<std::vector<RowOfPolls>>& by_location);

// By call of a location: may others see in a window what it wrote, because of that call?
std::vector<bool> calls_that_write(const Trace& trace, Location location);

}  // namespace waitdiag
