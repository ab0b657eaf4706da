// What is in a trace, counted: the figures `waitdiag info` prints.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag::tool {

struct CallGroup {
  std::string_view name;
  std::uint64_t calls = 0;
};

struct TraceSummary {
  std::uint64_t mpi_calls = 0;
  std::vector<CallGroup> groups;
  std::uint64_t messages = 0, message_bytes = 0;
  std::uint64_t collectives = 0;  // operations of a whole communicator, without Init and Finalize
  std::uint64_t samples = 0;      // sampling periods
  std::uint64_t nodes = 0;
};

TraceSummary summarise(const Trace& trace);

}  // namespace waitdiag::tool
