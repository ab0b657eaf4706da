// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/compare/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

const Comparison::Figure& figure(const Comparison& comparison, const char* id) {
  return *std::find_if(comparison.figures.begin(), comparison.figures.end(),
                       [id](const Comparison::Figure& one) { return one.id == id; });
}

std::string from_to(const Comparison::Figure& one) {
  return fmt::format("{} -> {}", format_figure(one.before, one.unit), format_figure(one.after, one.unit));
}

std::string run_time(const Comparison& comparison) {
  const Comparison::Figure& one = figure(comparison, "runtime_s");
  std::string text = "run time " + from_to(one);
  if (one.before > 0) text += fmt::format(" ({:+.1f} %)", 100 * (one.after / one.before - 1));
  const Comparison::Figure& efficiency = figure(comparison, "parallel_efficiency");
  if (std::isfinite(efficiency.before) && std::isfinite(efficiency.after))
    text += ", parallel efficiency " + from_to(efficiency);
  return text;
}

// The function, whatever call paths lead to it, whose rows changed most in the direction of `sign`.
struct LeadingCause {
  std::string label{};
  std::string id{};     // of the call path with most of it
  double most = 0;      // by which that changed
  bool waited = false;  // off its processor: `label` is what for
  bool taken = false;   // it lost its processor to other threads, whatever it computed
  double by = 0;
  std::map<std::int64_t, double> ranks{};
};

LeadingCause leader(const std::vector<Comparison::Change>& changes, double sign) {
  std::map<std::string, LeadingCause> leaders;
  for (const Comparison::Change& change : changes) {
    if (change.by() * sign <= 0) continue;
    const bool taken = is_taken_processor(change.title);
    LeadingCause& one = leaders[taken ? "" : change.title + '\n' + change.file];
    one.taken = taken;
    const std::string place = place_label(change.file, change.line);
    one.waited = !change.waited_for.empty();
    one.label = one.waited ? waiting_label(change.title, change.waited_for) : function_label(change.title);
    one.label += place.empty() ? "" : " (" + place + ")";
    one.by += std::abs(change.by());
    if (std::abs(change.by()) > one.most) {
      one.most = std::abs(change.by());
      one.id = change.id;
    }
    for (const Report::ByRank& entry : change.ranks) one.ranks[entry.rank] += entry.seconds;
  }
  LeadingCause most;
  for (const auto& [key, one] : leaders)
    if (one.by > most.by) most = one;
  return most;
}

std::string on_ranks(const LeadingCause& one, std::uint64_t ranks_of_run) {
  std::vector<Report::ByRank> list;
  for (const auto& [rank, seconds] : one.ranks) list.push_back({rank, seconds});
  return list.empty() ? "" : " " + on_ranks_label(list, ranks_of_run);
}

std::string more_or_less(double by) {
  return fmt::format("{} {}", format_duration(std::abs(by)), by > 0 ? "more" : "less");
}

// Who had most of what these ranks lost more, or less, of their processors; "": not known.
std::string takers(const Comparison& comparison, const std::vector<std::int64_t>& losers) {
  constexpr double kMost = 0.75;
  double by = 0, by_others = 0;
  std::vector<std::int64_t> ranks;
  for (const Comparison::Taken& row : comparison.taken_processors) {
    const auto loses = [&](std::int64_t rank) { return std::ranges::binary_search(row.ranks, rank); };
    if (std::ranges::none_of(losers, loses)) continue;
    if (!row.before_by_others_s || !row.after_by_others_s) return "";
    by += row.by();
    by_others += *row.after_by_others_s - *row.before_by_others_s;
    ranks.insert(ranks.end(), row.by_ranks.begin(), row.by_ranks.end());
  }
  std::ranges::sort(ranks);
  const double share = by == 0 ? 0 : by_others / by;
  if (ranks.empty() || share >= kMost) return by == 0 ? "" : "other processes";
  const std::string own =
      fmt::format("{} {} of this run", ranks.size() == 1 ? "rank" : "ranks", format_ranks(ranks));
  return share < 1 - kMost ? own : "other processes and " + own;
}

// "other processes took 2.10 s more of rank 3's processor"
std::string took_processors(const Comparison& comparison, const LeadingCause& lost, double by) {
  std::vector<Report::ByRank> losers;
  for (const auto& [rank, seconds] : lost.ranks) losers.push_back({rank, seconds});
  const std::vector<std::int64_t> named = named_ranks(losers);
  const std::string ranks = ranks_label(losers, std::max(comparison.before.ranks, comparison.after.ranks));
  const std::string who = takers(comparison, named);
  if (who.empty())
    return fmt::format("{} lost {} for {}", ranks, named.size() == 1 ? "its processor" : "their processors",
                       more_or_less(by));
  return fmt::format("{} took {} of {}", who, more_or_less(by),
                     named.size() == 1 ? ranks + "'s processor" : "the processors of " + ranks);
}

// By which all ranks lost their processors for longer, or less long.
double taken_more(const Comparison& comparison) {
  double by = 0;
  for (const Comparison::Change& change : comparison.functions)
    if (is_taken_processor(change.title)) by += change.by();
  return by;
}

// "18 % more instructions; 1.90 -> 1.20 in a cycle; 2.40 -> 2.16 GHz"; empty without hardware counters.
std::string work_change(const Comparison& comparison) {
  constexpr double kAlike = 0.02;
  const Comparison::Side &before = comparison.before, &after = comparison.after;
  if (before.cycles <= 0 || after.cycles <= 0 || before.instructions <= 0) return "";
  const double more = after.instructions / before.instructions - 1;
  std::string text = fmt::format(
      "{}; {:.2f} -> {:.2f} in a cycle",
      std::abs(more) < kAlike
          ? "as many instructions"
          : fmt::format("{:.0f} % {} instructions", 100 * std::abs(more), more > 0 ? "more" : "fewer"),
      before.instructions / before.cycles, after.instructions / after.cycles);
  if (before.counted_s > 0 && after.counted_s > 0)
    text += fmt::format("; {:.2f} -> {:.2f} GHz", 1e-9 * before.cycles / before.counted_s,
                        1e-9 * after.cycles / after.counted_s);
  return text;
}

std::string waiting_clause(const Comparison& comparison, double by) {
  std::string text = "Ranks wait " + more_or_less(by) + " in total";
  const LeadingCause cause = leader(comparison.causes, by);
  if (cause.by <= 0) return text + ".";
  const double share = std::min(1.0, cause.by / std::abs(by));
  const std::string where = on_ranks(cause, std::max(comparison.before.ranks, comparison.after.ranks));
  if (const double more = taken_more(comparison); cause.taken && more * by > 0)
    return fmt::format("{}, {} of that because {}.", text, format_share(share),
                       took_processors(comparison, cause, more));
  const auto took = std::ranges::find(comparison.functions, cause.id, &Comparison::Change::id);
  if (cause.waited && took != comparison.functions.end())
    return fmt::format("{}, {} of that because {} took {}{}.", text, format_share(share), cause.label,
                       more_or_less(took->by()), where);
  const std::string work = work_change(comparison);
  return fmt::format("{}, {} of that because of {}{}.{}", text, format_share(share), cause.label, where,
                     work.empty() ? "" : " Computation of all ranks: " + work + ".");
}

std::string computing_clause(const Comparison& comparison, double by) {
  const std::string work = work_change(comparison);
  std::string text =
      "Ranks compute " + more_or_less(by) + " in total" + (work.empty() ? "" : " (" + work + ")");
  std::vector<Comparison::Change> computing;
  for (const Comparison::Change& change : comparison.functions)
    if (change.title.rfind("MPI_", 0) != 0) computing.push_back(change);
  const LeadingCause function = leader(computing, by);
  if (function.by <= 0) return text + ".";
  if (function.taken)
    return fmt::format("Between MPI calls ranks take {} in total: {}.", more_or_less(by),
                       took_processors(comparison, function, std::copysign(function.by, by)));
  if (function.waited)
    return fmt::format("Between MPI calls ranks take {} in total: {} took {}{}.", more_or_less(by),
                       function.label, more_or_less(std::copysign(function.by, by)),
                       on_ranks(function, std::max(comparison.before.ranks, comparison.after.ranks)));
  return fmt::format("{}, {} of it in {}{}.", text, format_duration(function.by), function.label,
                     on_ranks(function, std::max(comparison.before.ranks, comparison.after.ranks)));
}

double difference(const Comparison& comparison, const char* id) {
  const Comparison::Figure& one = figure(comparison, id);
  return one.after - one.before;
}

// Different communication than before is not a question of speed: the program does something else.
std::string other_work(const Comparison& comparison) {
  for (const char* id : {"messages", "collectives", "mpi_calls", "message_bytes", "collective_bytes"}) {
    const Comparison::Figure& one = figure(comparison, id);
    if (one.before == one.after || !std::isfinite(one.before) || !std::isfinite(one.after)) continue;
    return fmt::format(" The program does not do the same: {} {}.", from_to(one), one.title);
  }
  return "";
}

}  // namespace

std::string reason_of_change(const Comparison& comparison, double sign) {
  const auto by = [&](const char* id) { return difference(comparison, id); };
  const double waiting = sign * by("waiting_s"), computing = sign * by("computation_s"),
               working = sign * (by("mpi_s") - by("waiting_s"));
  if (std::max({waiting, computing, working}) <= 0) return "No part of it changed that way.";
  if (waiting >= computing && waiting >= working) return waiting_clause(comparison, by("waiting_s"));
  if (computing >= working) return computing_clause(comparison, by("computation_s"));
  return "Ranks spend " + more_or_less(by("mpi_s") - by("waiting_s")) +
         " in MPI calls without waiting for others.";
}

std::string incomparable_sentence(const Comparison& comparison, const std::string& cut_off) {
  return fmt::format("Not comparable as a whole: {}. What is there took {}, which says nothing of speed.",
                     cut_off, from_to(figure(comparison, "runtime_s")));
}

std::string comparison_sentence(const Comparison& comparison, std::size_t runs_missing) {
  const std::string time = run_time(comparison);
  switch (comparison.outcome) {
    case Comparison::Outcome::Same:
      return "No difference: " + time + "." + other_work(comparison);
    case Comparison::Outcome::Unsure:
      return runs_missing > 0
                 ? fmt::format(
                       "Not sure: {}, but the runs of each side differ as much among themselves or "
                       "are too few; {} more on each side could tell.",
                       time, plural(runs_missing, "run"))
                 : fmt::format("Not sure: {}, but the runs of each side differ as much among themselves.",
                               time);
    case Comparison::Outcome::Faster:
    case Comparison::Outcome::Slower:
      break;
  }
  const char* outcome = comparison.outcome == Comparison::Outcome::Slower ? "Slower: " : "Faster: ";
  return outcome + time + ". " +
         reason_of_change(comparison, difference(comparison, "runtime_s") >= 0 ? 1 : -1) +
         other_work(comparison);
}

}  // namespace waitdiag
