// How much of a core each rank had while it computed: on a node where more threads want to run than there are
// processors, ranks take turns, and computation seems to take longer than it does.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct CoreShare {
  enum class Kind {
    Unknown,  // no readings where it computed, or several threads, whose processor time is one sum
    Whole,    // 98 % of a core or more
    Loaded,   // less, and on average more threads wanted to run on its node than it has processors
    Own,      // less, though there was room: it slept, waited for a disk, or was bound to a busy core
    Node,     // as Unknown, on a node with Loaded ranks: the share is the mean of the node's known ones
  };
  Kind kind = Kind::Unknown;
  double share = 1;  // processor time / time, from 0 to 1; 1 if Unknown
  Duration computation{};
};

// By rank. The mean over those stretches between two readings that are at least half computation, weighted by
// their computation; Unknown when these contain less than half of a rank's computation. So the time in MPI
// calls (in which a rank polls or sleeps) enters the figure only where it is the smaller part.
std::vector<CoreShare> core_shares(const Trace& trace);

}  // namespace waitdiag
