// In which order receives took their messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/trace/model/call_class.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// MPI_Mprobe takes a message out of the queue, MPI_Mrecv only fetches it: in the order of receives it counts
// from where the probe was. No record says which probe a matched receive belongs to: the k-th receive is taken
// to belong to the k-th probe, where there are equally many of both.
class MatchedReceives {
 public:
  explicit MatchedReceives(const Trace& trace);

  // The receives() of a location in the order in which they took their messages; nothing if that is the order of
  // receives() itself.
  std::optional<std::vector<std::uint32_t>> taking_order(Location location) const;

 private:
  const Trace& trace_;
  std::vector<CallClass> classes_{};  // by call path; none if the program has no matched receives
};

}  // namespace waitdiag
