// What uneven loads cost, as a report: of recorded runs, of loads that are given, or of a map that is divided.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/results/balance.hpp"
#include "analyzer/scaling/balance/balance_model.hpp"
#include "analyzer/scaling/balance/decomposition.hpp"
#include "analyzer/scaling/balance/recorded_loads.hpp"

namespace waitdiag {

struct RunLoads {
  std::string name{};
  RecordedLoads loads{};
  std::string note{};  // what is not in the recording; "": nothing
};
struct NamedLoads {
  std::string name{};
  std::vector<double> loads{};
};

// One source, or two: before and after.
BalanceReport balance_of_runs(std::vector<RunLoads> runs, LoadKind kind, const BalanceDomain& domain);
BalanceReport balance_of_loads(std::vector<NamedLoads> loads, const BalanceDomain& domain);

// Each division of the map; those of one number of ranks follow each other, and are compared with the first of them.
// `picture`: also which rank has which part. Throws TraceError for a division that does not fit.
BalanceReport balance_of_map(const std::string& name, const LoadMap& map,
                             std::span<const Decomposition> divisions, const BalanceDomain& domain,
                             bool picture);

// The published table with which the model was validated.
BalanceReport published_balance();

}  // namespace waitdiag
