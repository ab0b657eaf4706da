// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

using CandidateKey = std::tuple<PatternId, Rank, CallPathId, Rank>;  // the ranks: who waited, who was late

struct CandidateSum {
  CandidateKey key{};
  std::uint64_t count = 0;
  Duration late{}, charged{};
};

// By key.
std::vector<CandidateSum> candidate_sums(const Trace& trace, const WaitStates& states) {
  std::vector<CandidateSum> sums;
  for (const ListedTime& candidate : states.candidates)
    sums.push_back({{candidate.pattern, trace.rank(candidate.location),
                     trace.without_sites(candidate.call_path), candidate.late},
                    candidate.count,
                    candidate.time});
  std::ranges::stable_sort(sums, {}, &CandidateSum::key);
  std::size_t joined = 0;
  for (const CandidateSum& sum : sums) {
    if (joined == 0 || sums[joined - 1].key != sum.key) {
      sums[joined++] = sum;
    } else {
      sums[joined - 1].count += sum.count;
      sums[joined - 1].late += sum.late;
    }
  }
  sums.resize(joined);
  if (sums.empty()) return sums;
  for (const WaitState& wait : states.waits) {
    const CandidateKey key{wait.pattern, trace.rank(wait.victim.location),
                           trace.without_sites(trace.call_path(wait.victim)),
                           trace.rank(wait.cause.location)};
    const auto sum = std::ranges::lower_bound(sums, key, {}, &CandidateSum::key);
    if (sum != sums.end() && sum->key == key) sum->charged += wait.wait;
  }
  return sums;
}

// Those with most seconds, in order; the rest is added to `others`.
std::vector<CandidateSum> latest_of(std::span<const CandidateSum> sums, std::size_t most,
                                    std::optional<Report::OtherCandidates>& others) {
  std::vector<CandidateSum> kept(sums.begin(), sums.end());
  if (kept.size() <= most) return kept;
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(kept, end, [](const CandidateSum& a, const CandidateSum& b) {
    return std::tuple(b.late, a.key) < std::tuple(a.late, b.key);
  });
  Duration late{}, charged{};
  others.emplace().entries = kept.size() - most;
  for (const CandidateSum& sum : std::span(end, kept.end())) {
    others->count += sum.count;
    late += sum.late;
    charged += sum.charged;
  }
  others->seconds = seconds(late);
  others->charged_s = seconds(charged);
  kept.erase(end, kept.end());
  std::ranges::sort(kept, {}, &CandidateSum::key);
  return kept;
}

}  // namespace

std::vector<Report::ByCallPath> call_path_rows(const Trace& trace,
                                               const std::map<CallPathId, double>& nanoseconds) {
  std::vector<Report::ByCallPath> rows;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> places;
  for (const auto& [path, time] : nanoseconds) {
    const CallPathLabel label = label_of(trace, path);
    const auto [place, is_new] = places.try_emplace({label.call_path, label.file, label.line}, rows.size());
    if (is_new) rows.push_back({label.call_path, 0, label.file, label.line});
    rows[place->second].seconds += time / kSecond;
  }
  std::ranges::stable_sort(rows, std::greater<>(), &Report::ByCallPath::seconds);
  if (rows.size() > Report::kMostCallPaths) {
    Report::ByCallPath further{Report::kFurtherCallPaths, 0, "", 0};
    for (const Report::ByCallPath& row : std::span(rows).subspan(Report::kMostCallPaths))
      further.seconds += row.seconds;
    rows.resize(Report::kMostCallPaths);
    rows.push_back(std::move(further));
  }
  return rows;
}

void add_candidates(const Trace& trace, const WaitStates& states, Report& report) {
  const std::vector<CandidateSum> sums = candidate_sums(trace, states);
  const auto pattern_of = [](const CandidateSum& sum) { return std::get<PatternId>(sum.key); };
  std::map<CallPathId, std::string> names;  // the same call paths on all ranks
  for (auto first = sums.begin(), last = first; first != sums.end(); first = last) {
    last = std::ranges::upper_bound(first, sums.end(), pattern_of(*first), {}, pattern_of);
    const auto row = std::ranges::find(report.waits, pattern(pattern_of(*first)).id, &Report::Wait::pattern);
    if (row == report.waits.end()) continue;
    for (const CandidateSum& sum :
         latest_of(std::span(first, last), Report::kMostCandidates, row->other_candidates)) {
      const auto& [id, waiting, call_path, late] = sum.key;
      std::string& name = names[call_path];
      if (name.empty()) name = trace.call_path_name(call_path);
      row->candidates.push_back({.rank = static_cast<std::int64_t>(waiting),
                                 .call_path = name,
                                 .late_rank = static_cast<std::int64_t>(late),
                                 .count = sum.count,
                                 .seconds = seconds(sum.late),
                                 .charged_s = seconds(sum.charged)});
    }
  }
}

void add_eager_limit(const WaitStates& states, Report& report) {
  struct Source {
    const char *id, *words;
  };
  static constexpr Source kSources[] = {// by EagerLimit
                                        {"given", "as given"},
                                        {"learnt", "learnt from this run"},
                                        {"assumed", "assumed: no larger one ended without it"}};
  if (report.run.rules == "scalasca") return;
  const Source& source = kSources[static_cast<std::size_t>(states.eager_limit_from)];
  report.run.eager_threshold_bytes = states.eager_limit_bytes;
  report.run.eager_threshold_source = source.id;
  const auto row = std::ranges::find_if(report.waits, [](const Report::Wait& wait) {
    const auto patterns = wait_patterns();
    const auto found = std::ranges::find(patterns, wait.pattern, &WaitPattern::id);
    return found != patterns.end() && (*found)->waits_for == WaitsFor::Rendezvous;
  });
  if (row == report.waits.end()) return;
  row->summary += " Standard sends above " + format_bytes(states.eager_limit_bytes) +
                  " are taken to need their receiver (" + source.words + ").";
}

void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report) {
  const auto add = [&](const std::vector<ClockPair>& pairs, const char* in) {
    for (const ClockPair& pair : pairs)
      report.clock_violations.push_back({.from = static_cast<std::int64_t>(pair.from),
                                         .to = static_cast<std::int64_t>(pair.to),
                                         .in = in,
                                         .count = pair.count,
                                         .largest_s = seconds(pair.largest)});
  };
  add(sync.clock_pairs, "messages");
  add(states.clock_pairs, "collectives");
  add(states.window_clock_pairs, "windows");
}

}  // namespace waitdiag
