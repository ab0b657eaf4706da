// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/misfit.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace waitdiag {

void Misfit::merge(const Misfit& other) {
  if (count_ == 0) {
    first_rank_ = other.first_rank_;
    first_time_ = other.first_time_;
  }
  count_ += other.count_;
  time_ += other.time_;
}

void Misfit::report(const Trace& trace, Anomalies& anomalies, const char* id, Gravity gravity,
                    const char* what, const char* time_is) const {
  if (count_ == 0) return;
  char place[160];
  std::snprintf(place, sizeof place, " (%.6f s %s); first on rank %d at %.6f s", seconds(time_), time_is,
                static_cast<int>(first_rank_), seconds(first_time_ - trace.begin()));
  anomalies.add(id, gravity, what + std::string(place), count_);
}

void ClockPairs::add(const ClockPair& more) {
  const auto [sum, is_new] = pairs_.try_emplace({more.from, more.to}, more);
  if (is_new) return;
  sum->second.count += more.count;
  sum->second.largest = std::max(sum->second.largest, more.largest);
}
void ClockPairs::merge(const ClockPairs& other) {
  for (const auto& [ranks, pair] : other.pairs_) add(pair);
}
std::vector<ClockPair> ClockPairs::rows() const {
  std::vector<ClockPair> rows;
  for (const auto& [ranks, pair] : pairs_) rows.push_back(pair);
  return rows;
}

// The worst pairs first: they show which clock was not synchronised.
void ClockPairs::report(Anomalies& anomalies, const char* id, const char* what) const {
  if (pairs_.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::vector<ClockPair> worst = rows();
  std::stable_sort(worst.begin(), worst.end(),
                   [](const ClockPair& a, const ClockPair& b) { return a.largest > b.largest; });
  std::string text = std::string("pairs of ranks have clocks that contradict their ") + what + "; the worst:";
  for (std::size_t i = 0; i < std::min(kNamed, worst.size()); ++i) {
    char words[120];
    std::snprintf(words, sizeof words, "%s rank %d to %d (%llu %s, up to %.9f s)", i == 0 ? "" : ",",
                  static_cast<int>(worst[i].from), static_cast<int>(worst[i].to),
                  static_cast<unsigned long long>(worst[i].count), what, seconds(worst[i].largest));
    text += words;
  }
  anomalies.add(id, Gravity::Warning, text, pairs_.size());
}

void MessageMisfits::merge(const MessageMisfits& other) {
  unreceived.merge(other.unreceived);
  unsent.merge(other.unsent);
  bytes.merge(other.bytes);
  clock.merge(other.clock);
  clocks_of_pairs.merge(other.clocks_of_pairs);
}

void MessageMisfits::report(const Trace& trace, Anomalies& anomalies) const {
  if (trace.facts().numbered_excerpts) {
    Misfit across = unreceived;
    across.merge(unsent);
    across.report(trace, anomalies, "messages_across_excerpts", Gravity::Info,
                  "messages were sent or received outside of what was recorded: their waits are unknown",
                  "in the calls that were recorded");
  } else {
    report_lonely(trace, anomalies);
  }
  bytes.report(trace, anomalies, "message_bytes_differ", Gravity::Warning,
               "messages grew on their way: sends and receives were probably paired wrongly",
               "in the receiving calls");
  clock.report(trace, anomalies, "clock_violations", Gravity::Warning,
               "messages were received before they were sent: the clocks disagree", "apart in total");
  clocks_of_pairs.report(anomalies, "clock_violation_pairs", "messages");
}

void MessageMisfits::report_lonely(const Trace& trace, Anomalies& anomalies) const {
  unreceived.report(trace, anomalies, "unmatched_sends", Gravity::Warning,
                    "messages were sent but never received", "in the sending calls");
  unsent.report(trace, anomalies, "unmatched_receives", Gravity::Serious,
                "messages were received that nobody sent: their waits are unknown", "in the receiving calls");
}

}  // namespace waitdiag
