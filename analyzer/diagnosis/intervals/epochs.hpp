// Epochs: what lies between two synchronisations of all locations (a barrier or an all-to-all operation of
// all locations, in which each has data from every other one, that all were in at the same time). After such an event no location can learn anything from
// before it, so the epochs of a trace can be processed independently.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class Epochs {
 public:
  Epochs(const Trace& trace, const SyncPoints& sync);

  std::size_t size() const { return ends_.size() + 1; }
  // By location: the operation that ends epoch e and starts the next one; kNoOp for locations without any.
  // The last epoch has no such end.
  const std::vector<std::uint32_t>& end(std::size_t epoch) const { return ends_[epoch]; }
  // Is this collective the end of an epoch?
  bool is_end(std::uint32_t instance) const { return is_end_[instance]; }

 private:
  std::vector<std::vector<std::uint32_t>> ends_;
  std::vector<bool> is_end_;  // by collective instance
};

}  // namespace waitdiag
