// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/worker_threads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

std::string function_shares(const Report::WorkerThreads& row) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeast = 0.01;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, row.functions.size()); ++i) {
    const Report::WorkerThreads::Function& function = row.functions[i];
    if (i > 0 && function.share < kLeast) break;
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", function_label(function.function),
                        format_share(function.share));
  }
  return text;
}

std::string amount(const Report::WorkerThreads& row) {
  return row.cpu_s ? format_duration(*row.cpu_s) + " of processor time" : plural(row.samples, "sample");
}

}  // namespace

std::string worker_threads_sentence(const Report& report) {
  if (report.worker_threads.empty()) return "";
  constexpr std::size_t kMostRanks = 3;
  std::vector<Report::WorkerThreads> rows = report.worker_threads;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.samples > b.samples; });
  std::string text = "that never call MPI:";
  for (std::size_t i = 0; i < std::min(kMostRanks, rows.size()); ++i)
    text += fmt::format("{} {} of rank {}, {}: {}", i > 0 ? ";" : "", rows[i].threads, rows[i].rank,
                        amount(rows[i]), function_shares(rows[i]));
  if (rows.size() > kMostRanks) text += fmt::format("; {} more", plural(rows.size() - kMostRanks, "rank"));
  return text;
}

}  // namespace waitdiag
