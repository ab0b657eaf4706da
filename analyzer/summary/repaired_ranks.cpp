// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/repaired_ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "analyzer/summary/report_rows.hpp"

namespace waitdiag {
namespace {

constexpr double kAlike = 0.1;  // the difference, relative to what the rank loses that is waited for longest
constexpr double kUnrepaired = 0.05;     // of what the rank loses that loses most
constexpr double kNoticeableLoss = 0.1;  // of the waiting for the rank that is waited for longest
constexpr std::size_t kStretches = 16;   // of the run, in each of which they are compared

using SavedSoFar = std::array<double, kStretches>;  // at the end of each stretch

std::vector<SavedSoFar> saved_by_rank(const Trace& trace, const Change& repair) {
  std::vector<SavedSoFar> saved(trace.ranks());
  const double run = std::max(1.0, static_cast<double>((trace.end() - trace.begin()).count()));
  for (std::uint32_t l = 0; l < repair.savings.size(); ++l)
    for (const Saving& saving : repair.savings[l]) {
      const Timeline& timeline = trace.timelines()[l];
      const Time end = saving.in_call ? timeline.leave(saving.op) : timeline.gap_end(saving.op);
      const double part = static_cast<double>((end - trace.begin()).count()) / run;
      const auto stretch = std::min(kStretches - 1, static_cast<std::size_t>(part * kStretches));
      saved[index(trace.rank(Location(l)))][stretch] += static_cast<double>(saving.time.count());
    }
  for (SavedSoFar& of_rank : saved) std::partial_sum(of_rank.begin(), of_rank.end(), of_rank.begin());
  return saved;
}

// As much, and at the same time; one may be in the next stretch already.
bool are_alike(const SavedSoFar& one, const SavedSoFar& other) {
  const double little = kAlike * one.back();
  if (one.back() <= 0 || std::abs(one.back() - other.back()) > little) return false;
  for (std::size_t i = 0; i < kStretches; ++i) {
    const double least = i > 0 ? one[i - 1] : 0, most = one[std::min(i + 1, kStretches - 1)];
    if (other[i] < least - little || other[i] > most + little) return false;
  }
  return true;
}

// They were waited for, but others came later.
void mark_in_time(const std::vector<SavedSoFar>& saved, std::vector<Report::ByRank>& ranks) {
  double most = 0;
  for (const SavedSoFar& of_rank : saved) most = std::max(most, of_rank.back());
  if (most < kNoticeableLoss * kSecond * ranks.front().seconds) return;
  for (Report::ByRank& entry : ranks)
    entry.in_time = saved[static_cast<std::size_t>(entry.rank)].back() < kUnrepaired * most;
}

// Who got the last tasks was waited for, by chance: what makes tasks long is to be repaired elsewhere.
void share_by_savings(const std::vector<SavedSoFar>& saved, std::vector<Report::ByRank>& ranks) {
  double charged = 0, all = 0;
  for (const Report::ByRank& entry : ranks) charged += entry.seconds;
  for (const SavedSoFar& of_rank : saved) all += of_rank.back();
  ranks.clear();
  for (std::size_t rank = 0; rank < saved.size(); ++rank)
    if (saved[rank].back() > 0)
      ranks.push_back({static_cast<std::int64_t>(rank), charged * saved[rank].back() / all});
  std::ranges::stable_sort(ranks, std::ranges::greater(), &Report::ByRank::seconds);
}

}  // namespace

void share_with_repaired_ranks(const Trace& trace, const Change& repair, Report::Cause& cause) {
  if (cause.ranks.empty() || repair.in_turn) return;
  const auto saved = saved_by_rank(trace, repair);
  if (!repair.shared.empty()) return share_by_savings(saved, cause.ranks);
  mark_in_time(saved, cause.ranks);
  const SavedSoFar& of_latest = saved[static_cast<std::size_t>(cause.ranks.front().rank)];
  std::vector<std::int64_t> ranks;
  double charged = 0, all_saved = 0;
  for (std::size_t rank = 0; rank < saved.size(); ++rank) {
    if (!are_alike(of_latest, saved[rank])) continue;
    ranks.push_back(static_cast<std::int64_t>(rank));
    all_saved += saved[rank].back();
  }
  if (ranks.size() < 2) return;
  std::erase_if(cause.ranks, [&](const Report::ByRank& entry) {
    const bool is_late = std::ranges::binary_search(ranks, entry.rank);
    charged += is_late ? entry.seconds : 0;
    return is_late;
  });
  for (const std::int64_t rank : ranks)
    cause.ranks.push_back({rank, charged * saved[static_cast<std::size_t>(rank)].back() / all_saved});
  std::ranges::stable_sort(cause.ranks, std::ranges::greater(), &Report::ByRank::seconds);
}

}  // namespace waitdiag
