// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/wording/ending.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

namespace schema = waitprof::schema;
using Ending = Report::Ending;

double since_start(const Trace& trace, Time time) {
  return seconds(time - trace.begin());
}

// The same for the end of the location, including the time between excerpts of the run.
double end_since_start(const Trace& trace, const Timeline& timeline) {
  return since_start(trace, timeline.end()) + seconds(timeline.left_out());
}

Ending::OpenCall open_call(const Trace& trace, Location location) {
  const LocationInfo& info = trace.locations()[index(location)];
  const auto last = static_cast<std::uint32_t>(trace.timeline(location).size() - 1);
  const CallPathLabel label = label_of(trace, trace.call_path({location, last}));
  const Timeline& timeline = trace.timeline(location);
  const Time entered = timeline.enter(last);
  return {.rank = static_cast<std::int64_t>(info.rank),
          .thread = info.thread,
          .call_path = label.call_path,
          .function = label.function,
          .file = label.file,
          .line = label.line,
          .entered_s = since_start(trace, entered) + seconds(timeline.left_out()),
          .open_s = seconds(trace.end() - entered)};
}

// The code that was seen most since the last MPI call.
std::string last_computation(const Trace& trace, const Timeline& timeline) {
  const std::size_t gap = timeline.size();
  const auto samples = timeline.samples(gap);
  const auto sampled = std::max_element(samples.begin(), samples.end(),
                                        [](const auto& a, const auto& b) { return a.weight < b.weight; });
  if (sampled != samples.end() && sampled->call_path != kNoCallPath)
    return label_of(trace, sampled->call_path).call_path;
  const auto pieces = timeline.pieces(gap);
  const auto marked = std::max_element(pieces.begin(), pieces.end(),
                                       [](const auto& a, const auto& b) { return a.time < b.time; });
  if (marked == pieces.end() || marked->call_path == kNoCallPath ||
      trace.region(marked->call_path).kind == CallKind::Artificial)
    return "";
  return label_of(trace, marked->call_path).call_path;
}

void add_states(const Trace& trace, Ending& ending) {
  for (std::size_t i = 0; i < trace.locations().size(); ++i) {
    const auto location = static_cast<Location>(i);
    const Timeline& timeline = trace.timeline(location);
    if (timeline.ends_in_call()) {
      ending.open_calls.push_back(open_call(trace, location));
    } else if (trace.locations()[i].thread == 0 && timeline.end() > timeline.begin()) {
      const Time since = timeline.gap_begin(timeline.size());
      ending.outside_mpi.push_back({.rank = static_cast<std::int64_t>(trace.locations()[i].rank),
                                    .call_path = last_computation(trace, timeline),
                                    .since_s = since_start(trace, since)});
    }
  }
  std::stable_sort(ending.open_calls.begin(), ending.open_calls.end(),
                   [](const auto& a, const auto& b) { return a.open_s > b.open_s; });
}

// If several ranks recorded how they ended, the first one counts: the others may have followed it.
void add_word(const Trace& trace, Ending& ending) {
  Time first = Time::max();
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto& properties = trace.facts().properties;
    const auto word = properties.find(schema::kEndingPrefix + std::to_string(rank));
    const Timeline& timeline = trace.timeline(trace.main_location(static_cast<Rank>(rank)));
    if (word == properties.end() || timeline.end() >= first) continue;
    constexpr std::string_view kAbort = "abort";
    const bool aborted = word->second.starts_with(kAbort);
    first = timeline.end();
    ending.how = aborted ? "aborted" : "exited";
    ending.code = aborted ? std::strtoll(word->second.c_str() + kAbort.size(), nullptr, 10) : 0;
    ending.rank = static_cast<std::int64_t>(rank);
    ending.time_s = end_since_start(trace, timeline);
  }
}

std::string path_of(const Ending& ending, std::int64_t rank) {
  for (const Ending::Outside& outside : ending.outside_mpi)
    if (outside.rank == rank) return outside.call_path;
  for (const Ending::OpenCall& call : ending.open_calls)
    if (call.rank == rank && call.thread == 0) return call.call_path;
  return "";
}

}  // namespace

std::optional<Ending> ending_of(const Trace& trace) {
  if (!trace.facts().properties.contains(schema::kRecovered)) return std::nullopt;
  Ending ending{.how = "killed"};
  for (const Timeline& timeline : trace.timelines())
    ending.time_s = std::max(ending.time_s, end_since_start(trace, timeline));
  add_states(trace, ending);
  add_word(trace, ending);
  if (ending.how == "killed" && ending.outside_mpi.size() == 1) ending.rank = ending.outside_mpi.front().rank;
  ending.call_path = path_of(ending, ending.rank);
  ending.sentence = ending_sentence(ending);
  return ending;
}

}  // namespace waitdiag
