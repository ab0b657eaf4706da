// Who a message goes to, or comes from: hypotheses that hold for every rank of every run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/scaling/rescaling/study.hpp"

namespace waitdiag {

// The peer (world rank) of each rank of each run; -1 where there is none.
using PeersByRun = std::vector<std::vector<int>>;

struct PeerLaw {
  // Swapped: ranks are numbered (i, j, k), i and j up to the same number, k below 2 (NPB's CG); the other is
  // (j, i, k).
  enum class Kind : std::uint8_t { Nobody, Shift, Exclusive, Constant, Transposed, Swapped };
  Kind kind = Kind::Nobody;
  std::size_t grid = 0;       // Shift, Transposed: place in study.grids
  std::vector<int> offset{};  // Shift: of coordinates
  int number = 0;             // Exclusive: rank xor number; Constant: everybody else with that rank

  std::optional<int> peer(int rank, int ranks, const Grid& grid) const;
  friend bool operator==(const PeerLaw&, const PeerLaw&) = default;
};

class PeerLaws {
 public:
  explicit PeerLaws(const Study& study) : study_(study) {}
  // Throws TraceError if no hypothesis gives all peers; `what` names the call.
  PeerLaw find(const PeersByRun& peers, const std::string& what);
  std::optional<int> in_target(const PeerLaw& law, int rank) const;
  std::vector<std::size_t> used_grids() const;

 private:
  bool holds(const PeerLaw& law, const PeersByRun& peers) const;
  std::vector<PeerLaw> hypotheses(const PeersByRun& peers) const;

  const Study& study_;
  std::vector<PeerLaw> known_;  // that held before
};

}  // namespace waitdiag
