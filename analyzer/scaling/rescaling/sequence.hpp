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
  // Where ranks make different calls (an edge of a grid has no neighbour to send to), the sequence has all of
  // them. By run and rank: the operation that is each call, kNoOp if this rank does not make it; and the call
  // that each operation is. Empty: all ranks make all calls, in this order.
  std::vector<std::vector<std::vector<std::uint32_t>>> ops{}, calls{};
  std::string difference{};  // the first one, for people

  std::uint32_t size() const { return static_cast<std::uint32_t>(names.size()); }
  // `call` may be size(): what follows the last one.
  std::uint32_t op(std::size_t run, std::size_t rank, std::uint32_t call) const {
    return ops.empty() ? call : ops[run][rank][call];
  }
  // The same: `op` may be the number of operations.
  std::uint32_t call(std::size_t run, std::size_t rank, std::uint32_t op) const {
    return calls.empty() || op == kNoOp ? op : calls[run][rank][op];
  }
};

// Throws TraceError for what cannot be rescaled at all, and where ranks differ too much to be compared.
CallSequence align(const std::vector<SourceRun>& runs);

}  // namespace waitdiag
