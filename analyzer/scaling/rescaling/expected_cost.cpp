// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/expected_cost.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/simulation/prediction/recorded_iterations.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Measured with 4096 and 16384 ranks (halo exchanges, reductions by hand).
constexpr double kBytesPerCall = 700, kSecondsPerCall = 2e-5;
constexpr int kAlwaysAffordable = 1 << 14;  // ranks: not worth asking
constexpr double kReplayedIterations = 16;  // of long loops

// Of long loops only what is replayed.
double replayed_part(const Trace& largest, bool all_iterations) {
  if (all_iterations) return 1;
  const auto iterations = static_cast<double>(RecordedIterations(largest).iterations());
  return std::min(1.0, kReplayedIterations / iterations);
}

// Calls of an average rank, by doublings of the number of ranks.
struct CallsOfSize {
  double doublings = 0, calls = 0;
};

// `runs`: by size, and with as many ranks by problem: the largest problem counts.
std::vector<CallsOfSize> calls_by_size(const std::vector<SizedRun>& runs) {
  std::map<int, double> calls;
  for (const SizedRun& run : runs) {
    double all = 0;
    for (const Timeline& timeline : run.source.trace->timelines())
      all += static_cast<double>(timeline.size());
    calls[run.size.ranks] = all / run.size.ranks;
  }
  std::vector<CallsOfSize> sizes;
  for (const auto& [ranks, of_rank] : calls) sizes.push_back({std::log2(ranks), of_rank});
  return sizes;
}

// How calls of a rank grow beyond the largest run: each doubling adds `growth` times what the one before added.
class CallGrowth {
 public:
  explicit CallGrowth(const std::vector<CallsOfSize>& sizes) : last_(sizes.back()) {
    if (sizes.size() < 2) return;
    const CallsOfSize& before = sizes[sizes.size() - 2];
    const auto slope = [](const CallsOfSize& from, const CallsOfSize& to) {
      return std::max(0.0, (to.calls - from.calls) / (to.doublings - from.doublings));
    };
    more_ = slope(before, last_);
    if (sizes.size() < 3) return;
    const CallsOfSize& first = sizes[sizes.size() - 3];
    const double earlier = slope(first, before), apart = (last_.doublings - first.doublings) / 2;
    if (earlier > 0) growth_ = std::clamp(std::pow(more_ / earlier, 1 / apart), 0.0, 2.0);
    // From the middle of the last two sizes to that of the next doubling.
    more_ *= std::pow(growth_, (last_.doublings - before.doublings) / 2 - 0.5);
  }

  double growth() const { return growth_; }
  double calls(double doublings) const {
    double calls = last_.calls, more = more_;
    for (double at = last_.doublings; at < doublings; ++at) calls += more *= growth_;
    return calls;
  }

 private:
  CallsOfSize last_;
  double more_ = 0, growth_ = 1;  // more_: in the last doubling before the largest run
};

double memory_of_this_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string bytes_text(double bytes) {
  constexpr double kGiga = 1e9;
  return bytes < 1e3 * kGiga ? fmt::format("{:.0f} GB", std::max(1.0, bytes / kGiga))
                             : fmt::format("{:.0f} TB", bytes / (1e3 * kGiga));
}

std::string time_text(double s) {
  constexpr double kHour = 3600, kDay = 24 * kHour;
  return s < kHour      ? fmt::format("{:.0f} min", std::max(1.0, s / 60))
         : s < 2 * kDay ? fmt::format("{:.0f} h", s / kHour)
                        : fmt::format("{:.0f} days", s / kDay);
}

}  // namespace

ExpectedCost expected_cost(const std::vector<SizedRun>& runs, const RunSize& target, bool all_iterations) {
  const CallGrowth growth(calls_by_size(runs));
  const double part = replayed_part(*runs.back().source.trace, all_iterations);
  const double of_rank = growth.calls(std::log2(target.ranks));
  ExpectedCost cost{.calls = part * of_rank * target.ranks, .growth = std::max(1.0, growth.growth())};
  cost.memory_bytes = cost.calls * kBytesPerCall;
  cost.cpu_s = cost.calls * kSecondsPerCall;
  return cost;
}

void check_cost(const std::vector<SizedRun>& runs, const RunSize& target, bool all_iterations) {
  if (target.ranks <= kAlwaysAffordable) return;
  const ExpectedCost cost = expected_cost(runs, target, all_iterations);
  const double has = memory_of_this_machine();
  const double most = target.ranks * std::pow(has / cost.memory_bytes, 1 / (1 + std::log2(cost.growth)));
  if (cost.memory_bytes <= has) return;
  throw TraceError(
      fmt::format("{} ranks would make {:.2g} MPI calls, which take about {} of memory and {} to predict, "
                  "and this machine has "
                  "{}: ask for about {:.0f} ranks at most here, or for the models of waitdiag scale, which "
                  "need no such run",
                  target.ranks, cost.calls, bytes_text(cost.memory_bytes), time_text(cost.cpu_s),
                  bytes_text(has), std::floor(most / 1000) * 1000));
}

}  // namespace waitdiag
