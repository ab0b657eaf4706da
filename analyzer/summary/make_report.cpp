// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/make_report.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/diagnosis/steps/slow_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/summary/certainty.hpp"
#include "analyzer/summary/counted_work.hpp"
#include "analyzer/summary/data_quality.hpp"
#include "analyzer/summary/guilty_calls.hpp"
#include "analyzer/summary/repaired_ranks.hpp"
#include "analyzer/summary/report_rows.hpp"
#include "analyzer/summary/teams.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/recorded_part.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// Sums in nanoseconds, by the key of a row of the report.
struct Sums {
  double total = 0;
  std::uint64_t count = 0;
  std::map<Rank, double> by_rank;
  std::map<CallPathId, double> by_call_path;

  void add(Rank rank, CallPathId path, Duration time, std::uint64_t times) {
    const auto nanoseconds = static_cast<double>(time.count());
    total += nanoseconds;
    count += times;
    by_rank[rank] += nanoseconds;
    by_call_path[path] += nanoseconds;
  }
};

std::vector<Report::ByRank> rank_list(const std::map<Rank, double>& by_rank) {
  std::vector<Report::ByRank> list;
  for (const auto& [rank, nanoseconds] : by_rank) {
    if (nanoseconds > 0) list.push_back({static_cast<std::int64_t>(rank), nanoseconds / kSecond});
  }
  return list;
}

template <typename Row, typename Key>
void largest_first(std::vector<Row>& rows, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) > key(b); });
}

void fill_run(const Trace& trace, const Diagnosis& found, Report::Run& run) {
  const RunFacts& facts = trace.facts();
  const DiagnosisOptions& options = found.options;
  run.program = facts.program;
  run.mpi = facts.mpi;
  run.creator = facts.creator;
  run.rules = options.rules == Rules::Scalasca ? "scalasca" : "waitprof";
  run.model = options.model == Model::CwpDm ? "cwp-dm" : "h-cwp-dm";
  run.interval = options.interval == IntervalStart::Pair ? "pair" : "causal";
  run.hotspot_threshold = options.hotspot_threshold;
  run.ranks = trace.ranks();
  run.events = facts.events;
  run.runtime_s = seconds(trace.end() - trace.begin());
  run.clock_error_s = seconds(clock_error(trace));
  std::set<std::string> nodes;
  for (const LocationInfo& location : trace.locations()) {
    if (!location.node.empty()) nodes.insert(location.node);
  }
  run.nodes = nodes.size();
  const MpiCalls mpi(trace);
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    run.threads += timeline.end() > timeline.begin();
    run.mpi_calls += mpi.count(Location(l));
    run.messages += timeline.sends().size();
    for (const MessageEnd& send : timeline.sends()) run.message_bytes += send.bytes;
  }
  for (const CollectiveInstance& instance : found.sync.collectives) {
    if (by_call(instance.kind)) continue;
    ++run.collectives;
    for (const CollectiveMember& member : found.sync.members_of(instance))
      run.collective_bytes += trace.timeline(member.location).collectives()[member.part].sent;
  }
  static constexpr const char* kStepSources[] = {"", "marks", "communication"};  // by StepSource
  run.steps = found.steps.count();
  run.steps_source = kStepSources[static_cast<std::size_t>(found.steps.source())];
  for (const auto& [first, last] : found.steps.number_ranges()) run.step_numbers.push_back({first, last});
  run.profile = facts.excerpts ? "light" : "";
  if (facts.paused) run.paused_s = seconds(facts.run_time) - run.runtime_s;
  const auto property = [&facts](const char* name) {
    const auto known = facts.properties.find(name);
    return known == facts.properties.end() ? std::string() : known->second;
  };
  run.sampling = property(waitprof::schema::kSampling);
  run.predicted_for = property(waitprof::schema::kPredictedFor);
}

// Call paths of the same name, in other parts of the tree, are one.
std::vector<Report::CallSite> call_site_rows(const Trace& trace) {
  std::vector<std::uint64_t> calls(trace.call_paths().size());
  for (const Timeline& timeline : trace.timelines())
    for (std::uint32_t op = 0; op < timeline.size(); ++op) ++calls[index(timeline.call_path(op))];
  std::map<std::string, std::uint64_t> by_name;
  for (std::size_t path = 0; path < calls.size(); ++path)
    if (calls[path] > 0) by_name[trace.call_path_name(CallPathId(path))] += calls[path];
  std::vector<Report::CallSite> rows;
  for (const auto& [name, count] : by_name) rows.push_back({name, count});
  return rows;
}

// For an even number of waits, the upper one of the two in the middle.
void add_each(std::vector<Duration>& waits, Report::Wait& row) {
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::ranges::nth_element(waits, middle);
  row.median_s = seconds(*middle);
  row.longest_s = seconds(*std::max_element(middle, waits.end()));
}

std::vector<Report::Wait> wait_rows(const Trace& trace, const SyncPoints& sync, const WaitStates& states) {
  std::vector<Sums> sums(wait_patterns().size());
  std::vector<std::vector<Duration>> each(sums.size());
  std::vector<Duration> nonblocking(sums.size()), uncertain(sums.size());
  const Duration error = clock_error(trace);
  for (const WaitState& wait : states.waits) {
    sums[static_cast<std::size_t>(wait.pattern)].add(trace.rank(wait.victim.location),
                                                     trace.call_path(wait.victim), wait.wait, 1);
    each[static_cast<std::size_t>(wait.pattern)].push_back(wait.wait);
    uncertain[static_cast<std::size_t>(wait.pattern)] += uncertainty(trace, wait, error);
    const bool collective = pattern(wait.pattern).on_collective != nullptr;
    if (collective && sync.collectives[wait.sync].nonblocking) {
      nonblocking[static_cast<std::size_t>(wait.pattern)] += wait.wait;
    }
  }
  for (const ListedTime& listed : states.listed) {
    sums[static_cast<std::size_t>(listed.pattern)].add(trace.rank(listed.location), listed.call_path,
                                                       listed.time, listed.count);
  }
  std::vector<Report::Wait> rows;
  for (std::size_t id = 0; id < sums.size(); ++id) {
    if (sums[id].count == 0) continue;
    const WaitPattern& p = pattern(PatternId(id));
    Report::Wait row{.pattern = std::string(p.id),
                     .title = std::string(p.title),
                     .summary = std::string(p.summary),
                     .waiting = p.waiting,
                     .part_of = std::string(p.part_of),
                     .outside_mpi = p.outside_mpi,
                     .for_receiver = p.waits_for == WaitsFor::Rendezvous,
                     .total_s = sums[id].total / kSecond,
                     .nonblocking_s = seconds(nonblocking[id]),
                     .uncertain_s = seconds(uncertain[id]),
                     .count = sums[id].count,
                     .by_rank = rank_list(sums[id].by_rank),
                     .by_call_path = {}};
    row.by_call_path = call_path_rows(trace, sums[id].by_call_path);
    if (each[id].size() == row.count) add_each(each[id], row);
    rows.push_back(std::move(row));
  }
  largest_first(rows, [](const Report::Wait& row) { return row.total_s; });
  return rows;
}

std::vector<Report::Hotspot> hotspot_rows(const Trace& trace, const Diagnosis& found,
                                          const GuiltyCalls& calls) {
  const auto& [activities, profile] = found.compared();
  const std::vector<bool> hot = hotspots(profile, activities, found.options.hotspot_threshold);
  std::vector<Report::Hotspot> rows;
  for (auto first = profile.entries.begin(), last = first; first != profile.entries.end(); first = last) {
    const CallPathId path = first->call_path;
    last = std::find_if(first, profile.entries.end(),
                        [&](const ProfileEntry& e) { return e.call_path != path; });
    if (!hot[activities.slot(path)]) continue;
    const CallPathLabel label = label_of(trace, activities, path);
    Report::Hotspot row{.call_path = label.call_path,
                        .function = label.function,
                        .file = label.file,
                        .line = label.line,
                        .waited_for = label.waited_for};
    calls.place(path, row);
    std::map<Rank, double> by_rank;
    for (auto entry = first; entry != last; ++entry) {
      row.seconds += entry->nanoseconds / kSecond;
      row.visits += entry->visits;
      by_rank[trace.rank(entry->location)] += entry->nanoseconds;
    }
    row.share = row.seconds * kSecond / profile.total_nanoseconds;
    row.by_rank = rank_list(by_rank);
    rows.push_back(std::move(row));
  }
  largest_first(rows, [](const Report::Hotspot& row) { return row.seconds; });
  return rows;
}

void add_cost(const Trace& trace, const DelayCost& cost, Report::Cause& row,
              std::map<Rank, double>& by_rank) {
  double direct = 0, indirect = 0;
  for (std::size_t id = 0; id < cost.direct.size(); ++id) {
    const double waiting = cost.direct[id] + cost.indirect[id];
    direct += cost.direct[id];
    indirect += cost.indirect[id];
    if (waiting > 0) row.patterns[std::string(pattern(PatternId(id)).id)] += waiting / kSecond;
  }
  row.direct_s += direct / kSecond;
  row.indirect_s += indirect / kSecond;
  row.excess_s += cost.excess / kSecond;
  by_rank[trace.rank(cost.location)] += direct + indirect;
}

// The gain of the cause with this number among those whose repair was timed; by replay where that was
// possible.
std::optional<Report::Cause::Gain> gain_of(const Diagnosis& found, std::size_t cause, Duration measured) {
  if (cause >= found.what_if.runtime.size()) return std::nullopt;
  std::optional<Duration> replayed;
  if (found.replayed_gains && cause < found.replayed_gains->runtime.size())
    replayed = found.replayed_gains->runtime[cause];
  const Duration without = replayed.value_or(found.what_if.runtime[cause]);
  if (without <= Duration::zero()) return std::nullopt;
  return Report::Cause::Gain{.runtime_s = seconds(without),
                             .speedup = seconds(measured) / seconds(without),
                             .method = replayed ? "replay" : "retiming",
                             .at_most = found.what_if.repairs[cause].all_of_it,
                             .in_turn = found.what_if.repairs[cause].in_turn,
                             .error_s = seconds(found.what_if.repairs[cause].error)};
}

Report::ReplayedGains facts_of(const ReplayedGains& gains) {
  Report::ReplayedGains facts{.error = gains.error, .refused = gains.refused};
  for (const std::optional<Duration>& runtime : gains.runtime) ++(runtime ? facts.replayed : facts.retimed);
  return facts;
}

std::vector<Report::Cause> cause_rows(const Trace& trace, const Diagnosis& found, const GuiltyCalls& calls,
                                      const CountedCauses& counted) {
  const std::vector<DelayCost>& costs = found.costs.costs;
  const double waiting = seconds(found.times.waiting);
  const std::vector<double> slowness = slowness_of_ranks(trace, found.compared().profile);
  std::vector<Report::Cause> rows;
  for (auto first = costs.begin(), last = first; first != costs.end(); first = last) {
    const CallPathId path = first->call_path;
    last = std::find_if(first, costs.end(), [&](const DelayCost& cost) { return cost.call_path != path; });
    const CallPathLabel label = label_of(trace, found.compared().activities, path);
    Report::Cause row;
    row.call_path = label.call_path;
    row.function = label.function;
    row.file = label.file;
    row.line = label.line;
    row.kind = label.kind;
    row.waited_for = label.waited_for;
    std::map<Rank, double> by_rank;
    for (auto cost = first; cost != last; ++cost) add_cost(trace, *cost, row, by_rank);
    row.waiting_s = row.direct_s + row.indirect_s;
    if (row.waiting_s <= 0) continue;
    row.share_of_waiting = row.waiting_s / waiting;
    row.ranks = rank_list(by_rank);
    largest_first(row.ranks, [](const Report::ByRank& entry) { return entry.seconds; });
    calls.add_sites(path, row);
    const auto spread =
        std::find_if(found.spreads.begin(), found.spreads.end(),
                     [path](const CallPathSpread& candidate) { return candidate.call_path == path; });
    if (spread != found.spreads.end()) {
      const auto number = static_cast<std::size_t>(spread - found.spreads.begin());
      if (number < found.what_if.repairs.size() && found.options.rules != Rules::Scalasca)
        share_with_repaired_ranks(trace, found.what_if.repairs[number], row);
      add_spread(trace, found.steps, *spread, slowness, row);
      row.gain = gain_of(found, number, trace.end() - trace.begin());
    }
    counted.explain(path, row);
    rows.push_back(std::move(row));
  }
  largest_first(rows, [](const Report::Cause& row) { return row.waiting_s; });
  return rows;
}

std::vector<Report::DelayCost> delay_cost_rows(const DelayCosts& costs) {
  std::vector<Report::DelayCost> rows;
  for (std::size_t id = 0; id < wait_patterns().size(); ++id) {
    Report::DelayCost row{.pattern = std::string(pattern(PatternId(id)).id)};
    for (const DelayCost& cost : costs.costs) {
      row.short_s += cost.direct[id] / kSecond;
      row.long_s += cost.indirect[id] / kSecond;
    }
    const WaitParts& parts = costs.parts[id];
    row.direct_s = parts.direct / kSecond;
    row.indirect_s = parts.indirect / kSecond;
    row.propagating_s = parts.propagating / kSecond;
    row.terminal_s = row.direct_s + row.indirect_s - row.propagating_s;
    if (row.direct_s + row.indirect_s > 0) rows.push_back(std::move(row));
  }
  return rows;
}

struct RemainderText {
  const char* id;
  const char* text;
};
constexpr RemainderText kRemainderTexts[kRemainders] = {
    {"not_hotspot", "caused by call paths below the hotspot threshold"},
    {"no_excess",
     "the process waited for was not slower anywhere by as much: transfer, start-up, or what the trace does "
     "not show"},
    {"no_cause_model", "patterns whose causes the chosen rules do not look for"},
    {"passed_on", "came about through waits whose causes the chosen rules do not look for"},
    {"clamped", "cut off by the chosen rules"},
    {"inside_mpi",
     "calls of MPI that took far longer than usual, though no rank was late for them, and nobody knows why: "
     "processors that ranks share, or a busy network"},
};

void fill_remainders(const DelayCosts& costs, Report& report) {
  for (std::size_t i = 0; i < kRemainders; ++i) {
    const double amount = costs.remainders[i] / kSecond;
    report.unexplained_s += amount;
    if (amount > 0) report.remainders.push_back({kRemainderTexts[i].id, kRemainderTexts[i].text, amount});
  }
  largest_first(report.remainders, [](const Report::Remainder& row) { return row.seconds; });
}

// A run cannot take longer on an ideal network: if it does, the recorded MPI did less than the replayed one,
// which says nothing about transfer.
void add_efficiency_by_replay(const EfficiencyTree& tree, Duration run_time, Duration ideal_run_time,
                              Report& report) {
  if (ideal_run_time > run_time) {
    report.no_efficiency_by_replay =
        "the replay on an ideal network takes " + format_duration(seconds(ideal_run_time - run_time)) +
        " longer than the run did, so ranks did not wait for each other as in the model";
    return;
  }
  report.efficiency_by_replay =
      efficiency_row(efficiency_on_ideal_network(tree, run_time, ideal_run_time), "replay");
}

}  // namespace

Report summarise(const Trace& trace, const Diagnosis& found) {
  Report report;
  fill_run(trace, found, report.run);
  report.ending = ending_of(trace);
  report.whole_run = whole_run(trace, found.states);
  report.time = {seconds(found.times.total), seconds(found.times.computation()), seconds(found.times.mpi),
                 seconds(found.times.waiting), seconds(begin_and_end(trace, found.sync, found.states))};
  const EfficiencyTree& tree = found.efficiency;
  report.efficiency = efficiency_row(tree, "waits");
  const EfficiencyTree ideal =
      efficiency_on_ideal_network(tree, trace.end() - trace.begin(), found.what_if.ideal_runtime);
  report.efficiency_on_critical_path = efficiency_row(ideal, "critical_path");
  if (found.ideal_replay)
    add_efficiency_by_replay(tree, trace.end() - trace.begin(), *found.ideal_replay, report);
  add_efficiency_by_part(trace, found, report);
  report.late_start = late_start(trace, found.sync);
  report.critical_path = critical_path_rows(trace, found);
  report.waits = wait_rows(trace, found.sync, found.states);
  add_candidates(trace, found.states, report);
  add_eager_limit(found.states, report);
  add_clock_violations(found.sync, found.states, report);
  report.call_sites = call_site_rows(trace);
  const GuiltyCalls calls(trace, found);
  report.hotspots = hotspot_rows(trace, found, calls);
  report.causes = cause_rows(trace, found, calls, add_counted_ranks(trace, found, report));
  if (found.options.model == Model::CwpDm) report.delay_costs = delay_cost_rows(found.costs);
  for (const Report::Cause& cause : report.causes) report.explained_s += cause.waiting_s;
  fill_remainders(found.costs, report);
  add_certainty(trace, found, report);
  add_late_everywhere(trace, found, report);
  report.conservation_residual_s = report.time.waiting_s - report.explained_s - report.unexplained_s;
  add_resources(found.resources, report);
  add_files(trace, found.files, report);
  add_off_processor(trace, found.stalled, report);
  add_taken_processors(trace, report);
  report.worker_threads = worker_threads(trace);
  report.teams = teams_of(trace);
  name_late_threads(trace, found, report);
  if (!name_joined_threads(trace, report)) name_workers_at_cause(report);
  report.recording = recording_cost(trace);
  if (found.messages) add_messages(trace, *found.messages, report);
  add_characteristics(trace, found, report);
  report.data_quality = data_quality(trace, found.sync.anomalies, found.states, found.compared().profile,
                                     found.resources, report.worker_threads);
  if (report.whole_run)
    report.data_quality.push_back(
        {"excerpts", "info",
         excerpts_sentence(report) +
             "; all but the whole run's figures is about the excerpts, whose times count "
             "one behind the other",
         report.whole_run->excerpts});
  if (found.replayed_gains) report.replayed_gains = facts_of(*found.replayed_gains);
  for (Report::Cause& cause : report.causes)
    if (!cause.why.kind.empty() && can_be_repaired(report, cause)) cause.action = action_for(report, cause);
  return report;
}

}  // namespace waitdiag
