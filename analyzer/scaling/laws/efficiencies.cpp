// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/efficiencies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace waitdiag {
namespace {

using Efficiency = ScalingReport::Efficiency;
using SameSize = std::vector<const Report*>;

double mean(const SameSize& runs, auto value) {
  double sum = 0;
  for (const Report* run : runs) sum += value(*run);
  return sum / static_cast<double>(runs.size());
}

// From the run with most waiting for one call path.
void add_loss(const SameSize& runs, Efficiency& one) {
  for (const Report* run : runs) {
    if (run->causes.empty() || run->time.total_s <= 0) continue;
    const double lost = run->causes.front().waiting_s / run->time.total_s;
    if (lost <= one.lost) continue;
    one.lost = lost;
    one.loses_most = run->causes.front().call_path;
  }
}

std::optional<HybridEfficiency> hybrid_of(const SameSize& runs) {
  if (!std::ranges::all_of(runs, [](const Report* run) { return run->teams.has_value(); }))
    return std::nullopt;
  const auto factor = [&](double Teams::*which) {
    return mean(runs, [which](const Report& run) { return (*run.teams).*which; });
  };
  HybridEfficiency hybrid{.parallel = factor(&Teams::parallel),
                          .mpi = factor(&Teams::mpi),
                          .openmp = factor(&Teams::openmp),
                          .serial = factor(&Teams::serial),
                          .balance = factor(&Teams::balance),
                          .overhead = factor(&Teams::overhead),
                          .contention = factor(&Teams::contention),
                          .tasks = factor(&Teams::tasks),
                          .barriers = factor(&Teams::barriers)};
  for (const Report* run : runs) hybrid.threads = std::max(hybrid.threads, run->teams->threads);
  return hybrid;
}

Efficiency of_size(std::uint64_t ranks, const SameSize& runs) {
  const auto factor = [&](double Report::Efficiency::*which) {
    return mean(runs, [which](const Report& run) { return run.efficiency.*which; });
  };
  Efficiency one{.ranks = ranks,
                 .parallel = factor(&Report::Efficiency::parallel),
                 .load_balance = factor(&Report::Efficiency::load_balance),
                 .communication = factor(&Report::Efficiency::communication),
                 .serialisation = factor(&Report::Efficiency::serialisation),
                 .transfer = factor(&Report::Efficiency::transfer)};
  one.hybrid = hybrid_of(runs);
  add_loss(runs, one);
  return one;
}

// Computation that is closer to growing with the ranks than to staying constant: the work per rank is fixed.
bool grows_with_ranks(double computation, double ranks) {
  return computation > 0 && ranks > 1 && computation > std::sqrt(ranks);
}

}  // namespace

void add_efficiencies(std::span<const Report> reports, ScalingReport& scaling) {
  std::map<std::uint64_t, SameSize> sizes;
  for (const Report& report : reports) sizes[report.run.ranks].push_back(&report);
  if (sizes.empty()) return;
  const auto computation = [](const SameSize& runs) {
    return mean(runs, [](const Report& run) { return run.time.computation_s; });
  };
  const auto ranks_more = [&](std::uint64_t ranks) {
    return static_cast<double>(ranks) / static_cast<double>(sizes.begin()->first);
  };
  const auto counted = [](const SameSize& runs, double CountedRank::*what) {
    return mean(runs, [what](const Report& run) {
      double sum = run.counted.empty() ? ScalingReport::kNotCounted : 0;
      for (const CountedRank& rank : run.counted) sum += rank.*what;
      return sum;
    });
  };
  const double smallest = computation(sizes.begin()->second), largest = computation(sizes.rbegin()->second);
  scaling.work_grows =
      smallest > 0 && grows_with_ranks(largest / smallest, ranks_more(sizes.rbegin()->first));
  for (const auto& [ranks, runs] : sizes) {
    Efficiency& one = scaling.efficiencies.emplace_back(of_size(ranks, runs));
    const double work = scaling.work_grows ? ranks_more(ranks) : 1, own = computation(runs);
    one.scalability = own > 0 ? work * smallest / own : std::numeric_limits<double>::quiet_NaN();
    one.global = one.parallel * one.scalability;
    const auto of = [&](const SameSize& same) {
      return CountedRank{.instructions = counted(same, &CountedRank::instructions),
                         .cycles = counted(same, &CountedRank::cycles),
                         .seconds = counted(same, &CountedRank::seconds)};
    };
    const CountedRank here = of(runs), there = of(sizes.begin()->second);
    one.instruction_scalability = work * there.instructions / here.instructions;
    one.ipc_scalability = here.instructions / here.cycles / (there.instructions / there.cycles);
    one.frequency_scalability = here.cycles / here.seconds / (there.cycles / there.seconds);
  }
}

}  // namespace waitdiag
