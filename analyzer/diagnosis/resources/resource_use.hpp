// What the ranks used of their nodes, over time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct ResourceUse {
  struct OfRank {
    Rank rank{};
    double processors = 0;            // processor time per time, between the first and the last reading
    std::uint64_t most_resident = 0;  // bytes
    // By column of equal width, from the trace's begin to its end; empty: no reading there.
    std::vector<std::optional<double>> processors_over_time{};
    std::vector<std::optional<std::uint64_t>> resident_over_time{};
    std::optional<Faults> faults{};  // between the first and the last reading
  };
  struct OfNode {
    std::string node;              // as in LocationInfo
    std::uint32_t processors = 0;  // 0: not known
    double runnable = 0;           // threads that ran or wanted to, mean of all readings there
    std::uint32_t most_runnable = 0;
    std::optional<Duration> stolen{};  // by the host of a virtual machine, from all its processors together
    double stolen_share = 0;           // of the time for which threads wanted to run on them
    // Processors that processes other than its ranks kept busy, on average; absent if not all of them tell.
    std::optional<double> busy_with_others{};
  };
  Duration column{};
  std::vector<OfRank> ranks;  // those with at least two readings, ascending
  std::vector<OfNode> nodes;  // by name
};

ResourceUse resource_use(const Trace& trace, std::size_t columns);

}  // namespace waitdiag
