// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/nightly/compare/changes.hpp"
#include "analyzer/nightly/compare/figures.hpp"
#include "analyzer/nightly/compare/sentence.hpp"
#include "analyzer/nightly/statistics/median.hpp"
#include "analyzer/nightly/statistics/rank_test.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/recorded_part.hpp"

namespace waitdiag {
namespace {

std::vector<double> values(const ComparedRuns& runs, const FigureOf& figure) {
  std::vector<double> list;
  for (const ComparedRun& run : runs) list.push_back(figure.value(run.report));
  return list;
}

bool all_finite(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double value) { return std::isfinite(value); });
}

Comparison::Figure compared(const FigureOf& figure, const ComparedRuns& before, const ComparedRuns& after) {
  const std::vector<double> first = values(before, figure), second = values(after, figure);
  Comparison::Figure one{figure.id, figure.title, figure.unit};
  one.before = all_finite(first) ? median(first) : std::nan("");
  one.after = all_finite(second) ? median(second) : std::nan("");
  if (first.size() > 1 && second.size() > 1 && all_finite(first) && all_finite(second)) {
    const Shift by = shift(first, second);
    one.spread = {by.estimate, by.low, by.high, rank_test(first, second).two_sided};
  }
  return one;
}

Comparison::Side side_of(const ComparedRuns& runs) {
  Comparison::Side side;
  for (const ComparedRun& run : runs) side.sources.push_back(run.source);
  const Report::Run& first = runs.front().report.run;
  side.program = first.program;
  side.mpi = first.mpi;
  side.ranks = first.ranks;
  side.threads = first.threads;
  side.nodes = first.nodes;
  const auto counted = static_cast<double>(
      std::ranges::count_if(runs, [](const ComparedRun& run) { return !run.report.counted.empty(); }));
  for (const ComparedRun& run : runs) {
    for (const CountedRank& rank : run.report.counted) {
      side.instructions += rank.instructions / counted;
      side.cycles += rank.cycles / counted;
      side.counted_s += rank.seconds / counted;
    }
  }
  return side;
}

class Cautions {
 public:
  Cautions(const ComparedRuns& before, const ComparedRuns& after) {
    for (const ComparedRuns* runs : {&before, &after})
      for (const ComparedRun& run : *runs) look_at(run, before.front().report.run);
    const Report::Run &a = before.front().report.run, &b = after.front().report.run;
    if (!a.program.empty() && !b.program.empty() && a.program != b.program)
      add(fmt::format("two programs are compared: {} and {}", a.program, b.program));
    if (a.profile != b.profile)
      add("one side was recorded with WAITPROF_PROFILE=light, whose waiting is an estimate, the other in "
          "full");
    if (recorded(a) != recorded(b))
      add(fmt::format("another part of the run was recorded: {} before, {} after", recorded(a), recorded(b)));
    if (!a.mpi.empty() && !b.mpi.empty() && a.mpi != b.mpi)
      add(fmt::format("another MPI: {} before, {} after", a.mpi, b.mpi));
    constexpr double kStolenMatters = 0.01;
    if (const double was = stolen_share(before), is = stolen_share(after);
        std::max(was, is) >= kStolenMatters)
      add(fmt::format(
          "the host of virtual machines took processors away for up to {} of the time that they were wanted "
          "before, {} after: code seems so much slower",
          format_share(was), format_share(is)));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  static double stolen_share(const ComparedRuns& runs) {
    double most = 0;
    for (const ComparedRun& run : runs)
      for (const Report::NodeResources& node : run.report.node_resources)
        most = std::max(most, node.stolen_share);
    return most;
  }

  static std::string recorded(const Report::Run& run) {
    if (run.paused_s <= 0) return "all";
    if (run.step_numbers.empty()) return "what lies between pauses";
    return fmt::format("{} from {} to {}", plural(run.steps, "step"), run.step_numbers.front().first,
                       run.step_numbers.back().last);
  }

  void look_at(const ComparedRun& run, const Report::Run& first) {
    const Report::Run& facts = run.report.run;
    if (facts.ranks != first.ranks)
      add(fmt::format("{} ran on {} ranks, not on {}: sums over all ranks are not alike", run.source,
                      facts.ranks, first.ranks));
    if (facts.threads != first.threads && facts.ranks == first.ranks)
      add(fmt::format("{} had {} threads, not {}", run.source, facts.threads, first.threads));
    if (facts.rules != first.rules || facts.model != first.model)
      add(fmt::format("{} was diagnosed by other rules ({}, {}) than the first run ({}, {})", run.source,
                      facts.rules, facts.model, first.rules, first.model));
    add_doubts(run);
  }
  void add_doubts(const ComparedRun& run) {
    std::vector<std::string> doubts;
    for (const Report::Quality& quality : run.report.data_quality)
      if (quality.count > 0 && quality.severity == "serious") doubts.push_back(quality.text);
    if (doubts.empty()) return;
    const std::string more = doubts.size() > 1 ? fmt::format(" (and {} more)", doubts.size() - 1) : "";
    add(fmt::format("{} has incomplete or contradictory data: {}{}", run.source, doubts.front(), more));
  }
  void add(std::string text) {
    if (std::find(list_.begin(), list_.end(), text) == list_.end()) list_.push_back(std::move(text));
  }

  std::vector<std::string> list_;
};

Comparison::Outcome outcome_of(const Comparison::Figure& runtime, const CompareOptions& options) {
  const double by = runtime.spread ? runtime.spread->shift : runtime.after - runtime.before;
  if (!(std::abs(by) > options.threshold * runtime.before)) return Comparison::Outcome::Same;
  if (runtime.spread && runtime.spread->p > options.p) return Comparison::Outcome::Unsure;
  return by > 0 ? Comparison::Outcome::Slower : Comparison::Outcome::Faster;
}

// Which runs are incomplete, as the begin of a sentence; empty if none is.
std::string runs_cut_off(const ComparedRuns& before, const ComparedRuns& after) {
  std::string text;
  std::size_t others = 0;
  for (const ComparedRuns* runs : {&before, &after})
    for (const ComparedRun& run : *runs) {
      const std::string missing = missing_part(run.report);
      if (missing.empty()) continue;
      if (text.empty())
        text = fmt::format("{} lacks a part of its run ({})", run.source, missing);
      else
        ++others;
    }
  return others > 0 ? fmt::format("{}, as {} more", text, plural(others, "run")) : text;
}

}  // namespace

std::string different_programs(const std::vector<ComparedRun>& before,
                               const std::vector<ComparedRun>& after) {
  const ComparedRun* first = nullptr;
  for (const std::vector<ComparedRun>* runs : {&before, &after})
    for (const ComparedRun& run : *runs) {
      if (run.report.run.program.empty()) continue;
      if (first == nullptr) first = &run;
      if (run.report.run.program != first->report.run.program)
        return fmt::format("{} is a run of {}, {} one of {}", first->source, first->report.run.program,
                           run.source, run.report.run.program);
    }
  return "";
}

Comparison compare(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after,
                   const CompareOptions& options) {
  Comparison comparison;
  comparison.before = side_of(before);
  comparison.after = side_of(after);
  comparison.threshold = options.threshold;
  for (const FigureOf& figure : figures_compared())
    comparison.figures.push_back(compared(figure, before, after));
  comparison.waits = changed_waits(before, after);
  comparison.causes = changed_causes(before, after);
  comparison.functions = changed_functions(before, after);
  comparison.taken_processors = changed_processors(before, after);
  comparison.cautions = Cautions(before, after).take();
  if (const std::string cut_off = runs_cut_off(before, after); !cut_off.empty()) {
    comparison.outcome = Comparison::Outcome::Unsure;
    comparison.sentence = incomparable_sentence(comparison, cut_off);
    return comparison;
  }
  comparison.outcome = outcome_of(comparison.figures.front(), options);
  const std::size_t needed = values_needed(options.p), fewest = std::min(before.size(), after.size());
  comparison.sentence = comparison_sentence(comparison, fewest < needed ? needed - fewest : 0);
  return comparison;
}

}  // namespace waitdiag
