// How nonblocking collective operations end: how long they take once all members are in MPI again, which is what
// their data and rounds need without waiting for anybody, and whether they end without that.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <tuple>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class UsualEnds {
 public:
  // Of all operations like one.
  struct Ends {
    Duration usual{};        // lower quartile
    bool needs_all = false;  // members hardly ever left while another one had not been back in MPI yet
  };
  UsualEnds() = default;
  UsualEnds(const Trace& trace, const SyncPoints& sync);

  Ends of(const CollectiveInstance& instance) const;

 private:
  // Operations are alike if they are of one kind, of one communicator, and of about the same number of bytes.
  using Kind = std::tuple<CollectiveKind, CommId, int>;
  std::map<Kind, Ends> ends_;
  Kind kind_of(const CollectiveInstance& instance) const;

  const Trace* trace_ = nullptr;
  const SyncPoints* sync_ = nullptr;
};

}  // namespace waitdiag
