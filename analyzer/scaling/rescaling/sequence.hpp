// What all ranks of all runs do, call by call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/simulation/prediction/call_loops.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct SourceRun {
  const Trace* trace = nullptr;
  std::string name{};  // as the user named it
};

// Calls at one place of a loop are one group.
struct CallSequence : CallLoops {
  std::vector<std::string> names{};  // of the call path of each call
};

// Throws TraceError, naming the first difference, if a rank of a run does something else than the others.
CallSequence align(const std::vector<SourceRun>& runs);

}  // namespace waitdiag
