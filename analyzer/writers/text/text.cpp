// The report for a person at a terminal: the sections are in the order of the questions that a reader asks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/recorded_part.hpp"
#include "analyzer/wording/short_names.hpp"
#include "analyzer/wording/teams_sentence.hpp"
#include "analyzer/wording/verdict.hpp"
#include "analyzer/wording/worker_threads.hpp"
#include "analyzer/writers/text/text_actions.hpp"
#include "analyzer/writers/text/text_sections.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kWideLabel = 15;

void print_verdict(const Report& report, const TextOptions& options, std::ostream& out) {
  static constexpr std::array<Ink, 3> kInks{Ink::Good, Ink::Fair, Ink::Bad};
  const Verdict result = verdict(report);
  out << options.style.paint(kInks[static_cast<std::size_t>(result.health)],
                             wrap(result.sentence, options.style.width, 0))
      << "\n\n";
}

// First of all, what is missing.
void print_excerpts(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.whole_run) return;
  std::string text =
      excerpts_sentence(report) +
      ". What follows is about these, and its times count them one behind the other, but for the verdict "
      "and \"Whole run\".";
  text.front() = 'R';
  out << options.style.paint(Ink::Fair, wrap(text, options.style.width, 0)) << "\n\n";
}

void print_whole_run(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.whole_run) return;
  constexpr std::size_t kSites = 3;
  const Report::WholeRun& whole = *report.whole_run;
  std::string text = fmt::format(
      "{}, {}, parallel efficiency {} (load balance {}); in MPI {} of {} core time, of which about {} "
      "waiting, if "
      "every call path waits as in the excerpts; most in",
      format_duration(whole.runtime_s), plural(whole.mpi_calls, "MPI call"),
      format_share(whole.efficiency.parallel), format_share(whole.efficiency.load_balance),
      format_duration(whole.time.mpi_s), format_duration(whole.time.total_s),
      format_duration(whole.time.waiting_s));
  for (std::size_t i = 0; i < std::min(kSites, whole.call_sites.size()); ++i) {
    const Report::WholeRun::CallSite& site = whole.call_sites[i];
    text += fmt::format("{} {} ({}, {})", i > 0 ? "," : "", brief_path(site.call_path),
                        plural(site.calls, "call"), format_duration(site.seconds));
  }
  if (whole.unseen_mpi_s > 0)
    text += fmt::format("; {} in call paths that no excerpt shows", format_duration(whole.unseen_mpi_s));
  out << '\n';
  print_labelled("Whole run", kLabelWidth, text, options, out);
}

void print_facts(const Report& report, const TextOptions& options, std::ostream& out) {
  const Report::Run& run = report.run;
  std::vector<std::string> facts;
  if (!run.program.empty()) facts.push_back(run.program);
  std::string size = plural(run.ranks, "rank");
  if (run.threads > run.ranks) size += " with " + plural(run.threads, "thread") + " in total";
  if (run.nodes > 0) size += " on " + plural(run.nodes, "node");
  facts.push_back(size);
  if (!run.predicted_for.empty()) facts.push_back("predicted for " + run.predicted_for);
  facts.push_back(recorded_time(run));
  if (!run.mpi.empty()) facts.push_back(run.mpi);
  facts.push_back(plural(run.mpi_calls, "MPI call"));
  if (run.rules != "waitprof") facts.push_back(run.rules + " rules");
  if (run.model != "h-cwp-dm") facts.push_back(run.model + " model");
  if (run.interval != "causal") facts.push_back(run.interval + " intervals");
  std::string line;
  for (const std::string& fact : facts) line += (line.empty() ? "" : options.style.dot()) + fact;
  out << wrap(line, options.style.width, 0) << '\n';
}

// What determines the run time: on which ranks, in which functions.
void print_critical_path(const Report& report, const TextOptions& options, std::ostream& out) {
  constexpr std::size_t kFunctions = 3;
  constexpr double kWorthNaming = 0.05, kLateStart = 0.01;
  const Report::CriticalPath& path = report.critical_path;
  if (path.total_s <= 0 || report.run.ranks < 2) return;
  std::string text = on_ranks_label(path.by_rank, report.run.ranks) + ":";
  std::size_t shown = 0;
  while (shown < std::min(kFunctions, path.by_call_path.size()) &&
         (shown == 0 || path.by_call_path[shown].seconds >= kWorthNaming * path.total_s))
    ++shown;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < shown; ++i) others.push_back(path.by_call_path[i].call_path);
  for (std::size_t i = 0; i < shown; ++i) {
    const Report::CriticalPath::Entry& entry = path.by_call_path[i];
    text += fmt::format("{} {} {}", i > 0 ? "," : "", distinct_name(entry.call_path, entry.function, others),
                        format_share(entry.seconds / path.total_s));
  }
  if (path.late_start_s >= kLateStart * report.run.runtime_s)
    text += fmt::format("; begins {} after the first rank", format_duration(path.late_start_s));
  print_labelled("Critical path", kWideLabel, text, options, out);
}

void print_late_start(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.late_start) return;
  const Report::LateStart& start = *report.late_start;
  print_labelled(
      "Start", kWideLabel,
      fmt::format("rank {} came to MPI_Init {} after the first rank; the others stayed there for it, "
                  "{} in total (counted as transfer, not as waiting)",
                  start.rank, format_duration(start.late_s), format_duration(start.stayed_s)),
      options, out);
}

// Only what stands out: how busy the processors were, the rank that was least, the largest process.
void print_resources(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.rank_resources.empty()) return;
  constexpr double kLess = 0.8;
  double processors = 0;
  const Report::RankResources* least = &report.rank_resources.front();
  const Report::RankResources* largest = least;
  for (const Report::RankResources& row : report.rank_resources) {
    processors += row.processors / static_cast<double>(report.rank_resources.size());
    if (row.processors < least->processors) least = &row;
    if (row.most_resident_bytes > largest->most_resident_bytes) largest = &row;
  }
  std::string text = "processor " + format_share(processors) + " busy per rank";
  if (least->processors < kLess * processors)
    text += fmt::format(" ({} on rank {})", format_share(least->processors), least->rank);
  text +=
      fmt::format("; memory up to {} (rank {})", format_bytes(largest->most_resident_bytes), largest->rank);
  for (const Report::NodeResources& node : report.node_resources) {
    if (node.processors > 0 && node.runnable > static_cast<double>(node.processors))
      text += fmt::format("; {}: {:.1f} threads for {}", node.node, node.runnable,
                          plural(node.processors, "processor"));
  }
  print_labelled("Resources", kWideLabel, text, options, out);
}

void print_files(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.files) return;
  const Report::FileAccess& all = report.files->all;
  const Report::FileAccess& longest = report.files->by_call_path.front();
  const std::string text =
      fmt::format("{}, {} in total; read {}, written {}; longest in {} ({})", plural(all.calls, "call"),
                  format_duration(all.seconds), format_bytes(all.read_bytes), format_bytes(all.written_bytes),
                  brief_path(longest.call_path), format_duration(longest.seconds));
  print_labelled("Files", kWideLabel, text, options, out);
}

// The rank that was blocked longest, and the one that lost its processor for longest.
void print_off_processor(const Report& report, const TextOptions& options, std::ostream& out) {
  constexpr double kWorthALine = 0.01;  // of the run
  std::string text;
  const auto add = [&](const char* what, auto time, auto times) {
    const auto most = std::ranges::max_element(report.off_processor, {}, time);
    if (most == report.off_processor.end() || (*most).*time < kWorthALine * report.run.runtime_s) return;
    text += fmt::format("{}{} {} times for {} on rank {}", text.empty() ? "" : "; ", what,
                        format_count((*most).*times), format_duration((*most).*time), most->rank);
  };
  using Row = Report::OffProcessor;
  add("blocked", &Row::blocked_s, &Row::blocked);
  add("lost to other threads", &Row::preempted_s, &Row::preempted);
  add("waiting for pages from a disk", &Row::page_faults_s, &Row::page_faults);
  if (!text.empty()) text += " (outside of MPI)";
  add("lost to other threads in MPI calls", &Row::preempted_in_mpi_s, &Row::preempted_in_mpi);
  const auto host = std::ranges::max_element(report.node_resources, {}, &Report::NodeResources::stolen_share);
  const bool stolen = host != report.node_resources.end() && host->stolen_share >= kWorthALine;
  const auto moved = std::ranges::max_element(
      report.rank_resources, {},
      [](const Report::RankResources& row) { return row.faults ? row.faults->migrations : 0; });
  if (!text.empty() && moved != report.rank_resources.end() && moved->faults)
    text +=
        fmt::format("; rank {} went to another processor {} times and touched {} new pages, {} from a disk",
                    moved->rank, format_count(moved->faults->migrations), format_count(moved->faults->minor),
                    format_count(moved->faults->major));
  if (stolen)
    text += fmt::format(
        "{}{} taken from {} by the host of the virtual machine ({} of what was wanted), which looks like "
        "slower code",
        text.empty() ? "" : "; ", format_duration(host->stolen_s.value_or(0)), host->node,
        format_share(host->stolen_share));
  if (!text.empty()) print_labelled("Off processor", kWideLabel, text, options, out);
}

// By node, those with most of it.
void print_taken_processors(const Report& report, const TextOptions& options, std::ostream& out) {
  constexpr double kWorthALine = 0.01;  // of the run
  constexpr std::size_t kNodes = 3;
  std::string text;
  std::size_t told = 0;
  for (const TakenProcessors& row : report.taken_processors) {
    if (row.taken_s < kWorthALine * report.run.runtime_s) continue;
    if (told++ < kNodes) text += (text.empty() ? "" : "; ") + row.text;
  }
  if (told > kNodes) text += fmt::format("; so it is on {}", plural(told - kNodes, "further node"));
  if (!text.empty()) print_labelled("Processors", kWideLabel, text, options, out);
}

// In one line: how well ranks used the cycles that they had, or why nobody knows.
void print_counters(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.counted.empty()) {
    if (report.counters.starts_with("none"))
      print_labelled("Counters", kWideLabel,
                     report.counters + ": more work and slower work are not told apart", options, out);
    return;
  }
  const auto ipc = [](const CountedRank& row) { return row.instructions / row.cycles; };
  CountedRank all;
  for (const CountedRank& row : report.counted) {
    all.instructions += row.instructions;
    all.cycles += row.cycles;
    all.seconds += row.seconds;
  }
  const CountedRank& least = *std::ranges::min_element(report.counted, {}, ipc);
  std::string text = fmt::format("{:.2f} instructions in a cycle", ipc(all));
  if (all.seconds > 0) text += fmt::format(" at {:.2f} GHz", 1e-9 * all.cycles / all.seconds);
  constexpr double kLess = 0.95;
  if (ipc(least) < kLess * ipc(all)) text += fmt::format(" ({:.2f} on rank {})", ipc(least), least.rank);
  print_labelled("Counters", kWideLabel, text + ", outside of MPI", options, out);
}

// For the rank that it cost most.
void print_recording(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.recording || report.recording->ranks.empty()) return;
  const Report::Recording& recording = *report.recording;
  const auto& ranks = recording.ranks;
  const Report::Recording::OfRank& most = *std::max_element(
      ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.total_s < b.total_s; });
  std::string text = fmt::format("cost about {} of processor time per rank at most, in {}: {} at {} each",
                                 format_duration(most.total_s), format_duration(report.run.runtime_s),
                                 plural(most.calls, "MPI call"), format_duration(report.recording->call_s));
  if (most.failed_polls > 0)
    text += fmt::format(", {} that found nothing at {} each", plural(most.failed_polls, "poll"),
                        format_duration(report.recording->poll_s));
  if (most.path_s > 0.01 * most.total_s)
    text += fmt::format(", {} for call paths that were new", format_duration(most.path_s));
  if (most.upkeep_s > 0.01 * most.total_s)
    text += fmt::format(", {} for {}", format_duration(most.upkeep_s),
                        most.flush_s > 0 ? "samples and flushes" : "samples");
  if (const double took = recording.start_s + recording.end_s; took > 0)
    text += fmt::format(", {} to start and end, which took {}", format_duration(recording.ends_ran_s),
                        format_duration(took));
  if (most.flush_s > 0) text += fmt::format("; flushes took {}", format_duration(most.flush_s));
  print_labelled("Recording", kWideLabel, text, options, out);
}

// Printed beside the verdict: a reader who relies on it has to know.
void print_quality(const Report& report, const TextOptions& options, std::ostream& out) {
  bool headed = false;
  for (const Report::Quality& quality : report.data_quality) {
    if (quality.count == 0 || quality.severity == "info") continue;
    if (!headed) out << options.style.paint(Ink::Strong, "Data quality") << '\n';
    headed = true;
    const std::string times =
        quality.count > 1 ? fmt::format(" ({} times)", format_count(quality.count)) : "";
    const std::string line = fmt::format("{}: {}{}", quality.severity, quality.text, times);
    out << options.style.paint(quality.severity == "serious" ? Ink::Bad : Ink::Fair,
                               wrap(line, options.style.width, 2))
        << '\n';
  }
  if (headed) out << '\n';
}

void print_next(const Report& report, const TextOptions& options, std::ostream& out) {
  if (options.source.empty()) return;
  std::string text = fmt::format("Next: `waitdiag report {} --json -` has every figure by rank and call path",
                                 options.source);
  if (report.causes.size() > options.top || report.hotspots.size() > options.top)
    text += fmt::format("; `--top {}` lists more", 4 * options.top);
  if (!report.waits.empty())
    text += fmt::format("; `waitdiag patterns {}` explains a wait", report.waits.front().pattern);
  out << '\n' << options.style.paint(Ink::Faint, wrap(text + ".", options.style.width, 0)) << '\n';
}

}  // namespace

void write_text_report(const Report& report, const TextOptions& options, std::ostream& out) {
  print_ending(report, options, out);
  print_excerpts(report, options, out);
  print_verdict(report, options, out);
  print_quality(report, options, out);
  print_facts(report, options, out);
  print_actions(report, options, out);
  print_whole_run(report, options, out);
  print_efficiency(report, options, out);
  print_late_start(report, options, out);
  print_critical_path(report, options, out);
  print_resources(report, options, out);
  print_off_processor(report, options, out);
  print_taken_processors(report, options, out);
  print_counters(report, options, out);
  print_files(report, options, out);
  if (!report.worker_threads.empty())
    print_labelled("Threads", kWideLabel, worker_threads_sentence(report), options, out);
  if (report.teams && report.teams->threads > 1)
    print_labelled("OpenMP", kWideLabel, teams_sentence(*report.teams), options, out);
  print_recording(report, options, out);
  print_open_calls(report, options, out);
  print_waits(report, options, out);
  print_causes(report, options, out);
  print_unexplained(report, options, out);
  print_delay_costs(report, options, out);
  print_hotspots(report, options, out);
  print_characteristics(report, options, out);
  print_messages(report, options, out);
  print_next(report, options, out);
}

}  // namespace waitdiag
