// `waitdiag balance`: its options, and from them to the loads and what they cost.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/scaling/balance/balance_model.hpp"
#include "analyzer/scaling/balance/decomposition.hpp"
#include "analyzer/scaling/balance/recorded_loads.hpp"

namespace waitdiag::tool {

struct BalanceOptions {
  std::vector<std::string> sources{};        // archives, load files or load maps
  std::vector<std::string> distributions{};  // of a map
  std::vector<std::uint32_t> ranks{};
  std::string grid{}, block{}, cells{}, table{};
  LoadKind kind = LoadKind::Computation;
  std::string call_path{};
  double halo = -1, stencil = 5;                                       // halo < 0: 1 where the grid is known
  double bandwidth = 0, clock = 0, pipelines = 0, communication = -1;  // < 0, 0: not given
  bool quiet = false, picture = false;  // picture: also say which rank has which part of a map
};

// Throws UsageError for options that contradict each other, TraceError for what the sources hold.
BalanceReport balance_report(const BalanceOptions& options);

}  // namespace waitdiag::tool
