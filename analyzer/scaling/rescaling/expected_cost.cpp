// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/expected_cost.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Measured with 4096 and 16384 ranks (halo exchanges, reductions by hand).
constexpr double kBytesPerCall = 700, kSecondsPerCall = 2e-5;
constexpr int kAlwaysAffordable = 1 << 14;  // ranks: not worth asking
constexpr double kReplayedIterations = 16;  // of long loops

// Calls of a rank; of long loops only what is replayed.
double calls_of(const std::vector<SizedRun>& runs, const RunSize& size, bool all_iterations) {
  const RescaleFacts facts = Rescaler(runs, size, {}).facts();
  const double part =
      all_iterations
          ? 1
          : std::min(1.0, kReplayedIterations / std::max(1.0, static_cast<double>(facts.iterations)));
  return facts.calls * part;
}

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
  const int largest =
      std::ranges::max_element(runs, {}, [](const SizedRun& run) { return run.size.ranks; })->size.ranks;
  double calls[3] = {};
  RunSize size = target;
  for (int i = 0; i < 3; ++i) {
    size.ranks = largest << i;
    calls[i] = calls_of(runs, size, all_iterations);
  }
  // From doubling to doubling as many more, or twice as many more.
  const double before = calls[1] - calls[0];
  double more = std::max(0.0, calls[2] - calls[1]), of_a_rank = calls[2];
  const double growth = before > 0 ? std::clamp(more / before, 0.0, 2.0) : 1;
  for (double ranks = 4.0 * largest; ranks < target.ranks; ranks *= 2) of_a_rank += more *= growth;
  ExpectedCost cost{.calls = of_a_rank * target.ranks, .growth = std::max(1.0, growth)};
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
