// One-sided communication, call by call, with the laws that give it for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/scaling/quantity_laws/size_law.hpp"
#include "analyzer/scaling/rank_laws/peer_law.hpp"
#include "analyzer/scaling/rank_laws/roles.hpp"

namespace waitdiag {

struct OneSidedSlot {
  std::uint32_t call = 0;
  Turn turn{};
  RmaRecord::What what = RmaRecord::What::Put;
  bool exclusive = false;
  std::size_t role = 0;             // of the window
  std::optional<PeerLaw> target{};  // nothing: all, or unknown
  std::vector<PeerLaw> group{};
  std::shared_ptr<const SizeLaw> bytes{}, returned{};
  // The numbers that join operations on a window, by rank of the largest run.
  std::vector<std::uint64_t> numbers{};
};

using FindSizes = std::function<std::shared_ptr<const SizeLaw>(const RecordedSizes& sizes, std::size_t role)>;

// By call. Throws TraceError for anything without a law.
std::vector<OneSidedSlot> find_one_sided(const Study& study, Roles& roles, PeerLaws& peers,
                                         const FindSizes& sizes);

}  // namespace waitdiag
