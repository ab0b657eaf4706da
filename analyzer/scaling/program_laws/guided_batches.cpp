// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/guided_batches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyzer/scaling/quantity_laws/time_law.hpp"

namespace waitdiag {
namespace {

int workers_of(const DealtRun& run) {
  return static_cast<int>(run.lead_ns.size()) - 1;
}

double sum_of(const std::vector<double>& tasks_ns) {
  return std::accumulate(tasks_ns.begin(), tasks_ns.end(), 0.0);
}

bool about(double one, double other, double relative) {
  return std::abs(one - other) <= relative * other;
}

// The last batches, but for what remains in the very last one.
double least_of(const std::vector<double>& tasks_ns, int workers) {
  const auto count = static_cast<std::ptrdiff_t>(std::max<std::size_t>(
      1, std::min<std::size_t>(static_cast<std::size_t>(workers), tasks_ns.size() / 4)));
  std::vector<double> last(tasks_ns.end() - 1 - count, tasks_ns.end() - 1);
  std::ranges::nth_element(last, last.begin() + count / 2);
  return last[static_cast<std::size_t>(count / 2)];
}

// Large batches show the share: small ones are rounded.
std::optional<GuidedBatches> guided_batches_of(const DealtRun& run) {
  constexpr std::size_t kFewest = 8, kFewestLarge = 3;
  constexpr double kLarge = 0.25, kAlike = 0.05, kMost = 0.9;
  const std::vector<double>& tasks = run.tasks_ns;
  if (tasks.size() < kFewest) return std::nullopt;
  const double large = kLarge * std::ranges::max(tasks);
  std::vector<double> shares;
  double left = sum_of(tasks);
  for (const double task : tasks) {
    if (task > large) shares.push_back(left / (task * workers_of(run)));
    left -= task;
  }
  GuidedBatches guided{.least_ns = least_of(tasks, workers_of(run))};
  if (shares.size() < kFewestLarge || guided.least_ns <= 0) return std::nullopt;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  guided.share = *middle;
  const auto alike =
      std::ranges::count_if(shares, [&](double one) { return about(one, guided.share, kAlike); });
  return static_cast<double>(alike) < kMost * static_cast<double>(shares.size()) ? std::nullopt
                                                                                 : std::optional(guided);
}

}  // namespace

std::vector<double> batches_of(double all_ns, int workers, const GuidedBatches& guided) {
  constexpr double kNothing = 1e-6;
  std::vector<double> tasks;
  for (double left = all_ns; left > kNothing * all_ns; left -= tasks.back())
    tasks.push_back(std::min(left, std::max(guided.least_ns, left / (guided.share * workers))));
  return tasks;
}

std::optional<GuidedBatches> guided_batches(const std::vector<DealtRun>& runs) {
  constexpr double kAlike = 0.03, kTwo = 2;
  std::optional<GuidedBatches> all;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const std::optional<GuidedBatches> one = guided_batches_of(*run);
    if (!one) return std::nullopt;
    if (!all) all = one;
    if (!about(one->share, all->share, kAlike)) return std::nullopt;
    const auto count = static_cast<double>(run->tasks_ns.size());
    const auto expected = static_cast<double>(
        batches_of(sum_of(run->tasks_ns), workers_of(*run), {all->share, one->least_ns}).size());
    if (std::abs(count - expected) > std::max(kTwo, kAlike * expected)) return std::nullopt;
  }
  return all;
}

std::optional<std::vector<double>> guided_in_target(const Study& study, const std::vector<DealtRun>& runs) {
  const std::optional<GuidedBatches> guided = guided_batches(runs);
  if (!guided) return std::nullopt;
  const auto of_all = [&](const auto& figure) {
    RankFigures figures;
    for (const DealtRun& run : runs) {
      std::vector<double>& of_run = figures.emplace_back();
      for (const double mean : run.mean_ns) of_run.push_back(mean == kAbsent ? kAbsent : figure(run));
    }
    const int worker = runs.back().how.place.among(study.target.ranks) == 0 ? 1 : 0;
    return TimeLaw(study, {}, make_factors(study, {}), figures).at(worker);
  };
  const double all_ns = of_all([](const DealtRun& run) { return sum_of(run.tasks_ns); });
  const double least_ns = of_all([](const DealtRun& run) { return least_of(run.tasks_ns, workers_of(run)); });
  return batches_of(all_ns, study.target.ranks - 1, {guided->share, least_ns});
}

}  // namespace waitdiag
