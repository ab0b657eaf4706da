// What rank 0 asks of another rank: to take part in one measurement.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace waitdiag::measuring {

enum class Task : std::int32_t { Stop, PingPong, Send, Isend, Receive, LateReceive, Flows };

struct Order {
  Task task = Task::Stop;
  std::int32_t begins = 0;       // 1: sends first
  std::int32_t repetitions = 0;  // at most
  std::int32_t sends = 0;        // Flows: how many of `peers` are receivers; the others are senders
  std::uint64_t bytes = 0;       // of a message
  double budget_s = 0;           // repetitions end when it is used up
  double late_s = 0;             // LateReceive, Receive: how long to wait
  std::vector<std::int32_t> peers{};
};

// What a rank measured, in seconds.
struct Measured {
  double typical = 0;  // a tenth of the repetitions took less
  double spread = 0;   // relative standard error
};

}  // namespace waitdiag::measuring
