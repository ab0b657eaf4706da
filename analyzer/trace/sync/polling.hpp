// Calls that ask whether something is done (MPI_Test*, MPI_Request_get_status, MPI_Iprobe): which of them
// together form one wait. Wait patterns and replay ask here; this is decided nowhere else.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// A rank that takes longer than this between two polls is computing, and polls now and then.
inline constexpr Duration kBetweenPolls = std::chrono::microseconds(10);

constexpr bool is_test(CallKind kind) {
  using enum CallKind;
  return kind == Test || kind == Testany || kind == Testall || kind == Testsome;
}
constexpr bool is_poll(CallKind kind) {
  return is_test(kind) || kind == CallKind::GetStatus || kind == CallKind::Iprobe;
}
// Requests that other calls have started.
constexpr bool completes_requests(CallKind kind) {
  using enum CallKind;
  return is_test(kind) || kind == Wait || kind == Waitany || kind == Waitall || kind == Waitsome;
}

// The last of the polls that follow `op`, a poll, at the same place: each of them shortly after, or as another
// part of a row that the recorder stored as one call. Such a row may end at another place of its loop.
std::uint32_t last_of_polls(const Trace& trace, Location location, std::uint32_t op);

// The rows of tests of one location. Each ends with the first test that completes a receive or a collective
// (with AnyRequest, also a send); a row of MPI_Request_get_status, which completes nothing, ends with the
// call right after it that does.
class TestRows {
 public:
  enum class EndsWith : std::uint8_t { ReceiveOrCollective, AnyRequest };
  TestRows(const Trace& trace, Location location, EndsWith ends = EndsWith::ReceiveOrCollective);
  // The first test of the row that ends with `last`; `last` itself if no test came before it.
  std::uint32_t first(std::uint32_t last) const;
  // A single test cannot have waited.
  bool waits(std::uint32_t last) const { return timeline_->is_row_of_polls(last) || first(last) != last; }
  // The call after the last test: `last` is a test itself, or the call after the tests.
  std::uint32_t end(std::uint32_t last) const { return is_test(kind(last)) ? last + 1 : last; }
  // For a row that the recorder stored as one call: the wait ends with a later test, or with the call that
  // completes what the tests found.
  bool waits_later(std::uint32_t row) const;
  // Was there a test before `last`, or is it one?
  bool ends_row(std::uint32_t last) const {
    return is_test(kind(last)) ||
           (completes_requests(kind(last)) && last > 0 && kind(last - 1) == CallKind::GetStatus);
  }

 private:
  CallKind kind(std::uint32_t op) const { return trace_->kind({location_, op}); }
  std::uint32_t first_asked(std::uint32_t last) const;

  const Trace* trace_;
  Location location_;
  const Timeline* timeline_;
  std::vector<bool> completes_;  // by call
};

// A thread, not the one that initialised MPI, that does nothing but ask, and never finds anything: it is there for
// what may come (a progress or service thread), and neither computes nor waits for anybody.
bool polls_in_vain(const Trace& trace, Location location);

// By call of a timeline: whether it completes a receive or a collective operation (with AnyRequest, also a send).
std::vector<bool> calls_that_complete(const Timeline& timeline, TestRows::EndsWith what);

// Does any call of the trace test?
bool has_tests(const Trace& trace);

}  // namespace waitdiag
