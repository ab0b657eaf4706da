// Which operations of a trace are MPI calls: all but those of threads among each other. Figures about processes leave
// these out: to another process they are computation, like anything a process does by itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class MpiCalls {
 public:
  explicit MpiCalls(const Trace& trace)
      : trace_(trace), only_mpi_(std::ranges::none_of(trace.regions(), [](const Region& region) {
          return region.of_threads();
        })) {}

  bool contains(OpRef op) const { return only_mpi_ || trace_.region(trace_.call_path(op)).mpi(); }
  std::uint64_t count(Location location) const {
    const auto ops = static_cast<std::uint32_t>(trace_.timeline(location).size());
    if (only_mpi_) return ops;
    std::uint64_t calls = 0;
    for (std::uint32_t op = 0; op < ops; ++op) calls += contains({location, op});
    return calls;
  }

 private:
  const Trace& trace_;
  bool only_mpi_;  // the usual case: nothing to look up
};

}  // namespace waitdiag
