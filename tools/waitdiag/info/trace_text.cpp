// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/info/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "analyzer/diagnosis/resources/crowded_nodes.hpp"
#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "tools/waitdiag/info/trace_summary.hpp"

namespace waitdiag::tool {
namespace {

class Lines {
 public:
  explicit Lines(const TextStyle& style) : style_(style) {}
  void add(std::string_view label, std::string_view text) const {
    constexpr std::size_t kLabelWidth = 15;
    std::cout << style_.paint(Ink::Strong, pad_right(label, kLabelWidth))
              << wrap(text, style_.width, kLabelWidth).substr(kLabelWidth) << '\n';
  }

 private:
  const TextStyle& style_;
};

std::string or_unknown(const std::string& text) {
  return text.empty() ? "not known" : text;
}

std::string calls_by_kind(const TraceSummary& summary) {
  std::vector<CallGroup> groups = summary.groups;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CallGroup& a, const CallGroup& b) { return a.calls > b.calls; });
  std::string text = format_count(summary.mpi_calls);
  bool first = true;
  for (const CallGroup& group : groups) {
    if (group.calls == 0) continue;
    text += fmt::format("{}{} {}", first ? ": " : ", ", format_count(group.calls), group.name);
    first = false;
  }
  return text;
}

std::string communicators(const Trace& trace) {
  constexpr std::size_t kListed = 6;
  const auto& all = trace.communicators();
  std::string text = std::to_string(all.size());
  for (std::size_t i = 0; i < std::min(kListed, all.size()); ++i) {
    const std::string size = all[i].self ? "each rank alone" : plural(all[i].members.size(), "rank");
    text += fmt::format("{}{} ({})", i == 0 ? ": " : ", ", all[i].name, size);
  }
  return all.size() > kListed ? text + ", ..." : text;
}

std::string sampling(const Trace& trace, const TraceSummary& summary) {
  const auto& properties = trace.facts().properties;
  const auto mode = properties.find(waitprof::schema::kSampling);
  const auto hertz = properties.find(waitprof::schema::kSamplingHz);
  if (mode == properties.end()) return summary.samples == 0 ? "none" : plural(summary.samples, "sample");
  if (mode->second == "off" || hertz == properties.end()) return mode->second;
  return fmt::format("{}, {} Hz, {}", mode->second, hertz->second, plural(summary.samples, "sample"));
}

void print_quality(const Trace& trace, const Lines& lines) {
  Anomalies anomalies = trace.anomalies();
  const ResourceUse use = resource_use(trace, 1);
  add_crowded_nodes(use.nodes, anomalies);
  add_stolen_processors(use.nodes, anomalies);
  bool flawless = trace.facts().communication_complete;
  if (!flawless)
    lines.add("Data quality",
              "serious: the recording of messages was incomplete (filtered, paused or cut off)");
  for (const Anomaly& anomaly : anomalies.all()) {
    if (anomaly.count == 0) continue;
    const char* words = anomaly.gravity == Gravity::Serious   ? "serious"
                        : anomaly.gravity == Gravity::Warning ? "warning"
                                                              : "info";
    lines.add(flawless ? "Data quality" : "",
              fmt::format("{}: {} ({})", words, anomaly.text, plural(anomaly.count, "time")));
    flawless = false;
  }
  if (flawless) lines.add("Data quality", "nothing odd");
}

}  // namespace

void print_info(const Trace& trace, const std::string& archive, const TextStyle& style) {
  const RunFacts& facts = trace.facts();
  const TraceSummary summary = summarise(trace);
  const Lines lines(style);
  lines.add("Archive", archive);
  lines.add("Recorded by", or_unknown(facts.creator));
  if (const auto machine = facts.properties.find(waitprof::schema::kPredictedFor);
      machine != facts.properties.end())
    lines.add("Predicted for", machine->second);
  lines.add("Program", or_unknown(facts.program));
  lines.add("MPI", or_unknown(facts.mpi));
  lines.add("Size", fmt::format("{}, {}, {}", plural(trace.ranks(), "rank"),
                                plural(trace.locations().size(), "thread"), plural(summary.nodes, "node")));
  lines.add("Run time", format_duration(seconds(trace.end() - trace.begin())));
  lines.add("Events", format_count(facts.events));
  lines.add("MPI calls", calls_by_kind(summary));
  lines.add("Messages",
            fmt::format("{}, {}", format_count(summary.messages), format_bytes(summary.message_bytes)));
  lines.add("Collectives", format_count(summary.collectives));
  lines.add("Communicators", communicators(trace));
  lines.add("Sampling", sampling(trace, summary));
  print_quality(trace, lines);
}

}  // namespace waitdiag::tool
