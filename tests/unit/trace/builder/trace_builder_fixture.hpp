// Two ranks, their world, and short functions to say what happened on rank 0.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

using Pieces = std::vector<std::pair<std::string, std::int64_t>>;  // call path and nanoseconds

class TraceBuilderTest : public ::testing::Test {
 protected:
  RegionId mpi(const char* name) { return region(name); }
  RegionId region(const char* name, bool divisible = false) {
    return builder.region({.name = name, .divisible = divisible});
  }
  void call(std::int64_t enter, std::int64_t leave, RegionId id) {
    builder.enter(here, at(enter), id);
    builder.leave(here, at(leave), id);
  }
  Trace build() {
    Trace trace = builder.build();
    return trace;
  }
  static Pieces pieces(const Trace& trace, std::size_t gap) {
    Pieces named;
    for (const ComputationPiece& piece : trace.timeline(Location{0}).pieces(gap)) {
      named.emplace_back(piece.call_path == kNoCallPath ? "-" : trace.call_path_name(piece.call_path),
                         piece.time.count());
    }
    return named;
  }
  static const Timeline& timeline(const Trace& trace) { return trace.timeline(Location{0}); }

  TraceBuilder builder;
  const Location here = builder.location({.rank = Rank{0}});
  const Location there = builder.location({.rank = Rank{1}});
  const CommId world = builder.communicator({.name = "MPI_COMM_WORLD", .members = {Rank{0}, Rank{1}}});
};

}  // namespace waitdiag
