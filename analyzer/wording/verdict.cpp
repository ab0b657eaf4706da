// The whole report in one sentence. The cases, in the order in which a reader needs them: nothing to judge,
// clocks that leave nothing to judge, waiting with a cause, waiting without one, no waiting but costly
// transfers, healthy.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/results/short_naps.hpp"
#include "analyzer/results/whole_run.hpp"
#include "analyzer/wording/cause_names.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/recorded_part.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

constexpr double kWaitingMatters = 0.05;  // share of core time from which waiting is worth a programmer's day
constexpr double kGoodEfficiency = 0.80;  // the usual guideline of the POP methodology
constexpr double kFairEfficiency = 0.60;
constexpr double kCauseStandsOut = 0.10;  // share of the waiting
constexpr double kMost = 0.5;             // of the waiting

// All causes in one function, over all call paths that lead to it, or in one team of threads; largest first, like all
// causes.
struct Culprit {
  std::vector<const Report::Cause*> causes;
  double share = 0;  // of the waiting
};

Culprit main_culprit(const std::vector<Report::Cause>& causes) {
  std::map<std::pair<std::string, std::string>, Culprit> culprits;  // by function and file, or by team
  for (const Report::Cause& cause : causes) {
    Culprit& culprit = is_of_team(cause) ? culprits[{cause.late_thread->team, "/team"}]
                                         : culprits[{cause.function, cause.file}];
    culprit.causes.push_back(&cause);
    culprit.share += cause.share_of_waiting;
  }
  return std::ranges::max_element(culprits, {}, [](const auto& one) { return one.second.share; })->second;
}

std::string name_of(const Report::Cause& cause, const Report& report) {
  return cause_name(report, cause) + called_at(cause) + " " + on_ranks_label(cause.ranks, report.run.ranks);
}

std::string on_ranks(const Culprit& culprit, const Report& report) {
  std::map<std::int64_t, double> by_rank;
  for (const Report::Cause* cause : culprit.causes)
    for (const Report::ByRank& entry : cause->ranks) by_rank[entry.rank] += entry.seconds;
  std::vector<Report::ByRank> ranks;
  for (const auto& [rank, seconds] : by_rank) ranks.push_back({rank, seconds});
  return on_ranks_label(ranks, report.run.ranks);
}

std::string team_on_ranks(const Culprit& culprit, const Report& report) {
  const LateThread& late = *culprit.causes.front()->late_thread;
  const std::string turns = late.thread ? "" : ", not always the same one,";
  const std::string with =
      late.function.empty() ? "" : (late.thread ? "," : "") + (" late with " + late.function) + ",";
  return late_thread_label(late) + turns + with + " " + on_ranks(culprit, report);
}

std::string all_of(const Culprit& culprit, const Report& report) {
  return fmt::format("{} {}, in {}", function_label(culprit.causes.front()->function),
                     on_ranks(culprit, report), plural(culprit.causes.size(), "call path"));
}

bool has(const Everywhere& function, const std::string& call_path) {
  return std::ranges::find(function.call_paths, call_path) != function.call_paths.end();
}

// ", wherever it is called (from predict and correct)"
std::string wherever_called(const Everywhere& function) {
  std::string callers;
  for (std::size_t i = 0; i < function.callers.size(); ++i)
    callers += (i == 0                             ? ""
                : i + 1 == function.callers.size() ? " and "
                                                   : ", ") +
               short_name(function.callers[i]);
  return callers.empty() ? "" : ", wherever it is called (from " + callers + ")";
}

// The figures are those of the table below the sentence, where a few of them suffice.
std::string cause_clause(const Report& report) {
  constexpr std::size_t kFew = 3;
  constexpr double kMostOfIt = 0.9;
  if (report.causes.empty()) return "no function stands out as the cause.";
  const Culprit culprit = main_culprit(report.causes);
  const auto& [causes, share] = culprit;
  const Report::Cause& first = *causes.front();
  if (share < kCauseStandsOut)
    return fmt::format("spread over many causes, the largest is {} with {}.", name_of(first, report),
                       format_share(first.share_of_waiting));
  const Certainty& certainty = first.certainty;
  const bool sure = certainty.level == "sure" || certainty.level.empty();
  const char* const caused = sure ? " of that was caused" : " of that was probably caused";
  if (is_of_team(first))
    return fmt::format("{}{} by {}.", format_share(share), caused, team_on_ranks(culprit, report));
  if (first.everywhere && (certainty.level != "open" || has(*first.everywhere, certainty.rival)))
    return fmt::format("{}{} by {} {}{}.", format_share(first.everywhere->share_of_waiting), caused,
                       function_label(first.everywhere->function),
                       on_ranks_label(first.ranks, report.run.ranks), wherever_called(*first.everywhere));
  const auto rival = std::ranges::find(report.causes, certainty.rival, &Report::Cause::call_path);
  if (certainty.level == "open" && rival != report.causes.end())
    return fmt::format("{}either {} or {}{} ({} and {}; the data do not tell).",
                       first.share_of_waiting >= kMost ? "" : "the largest cause is ", name_of(first, report),
                       name_of(*rival, report), first.share_of_waiting >= kMost ? " caused most of that" : "",
                       format_share(first.share_of_waiting), format_share(certainty.rival_share));
  std::string text;
  double named = 0;
  for (std::size_t i = 0; i < std::min(kFew, causes.size()) && named < kMostOfIt * share; ++i) {
    text += fmt::format("{}{}{} by {}", i > 0 ? ", " : "", format_share(causes[i]->share_of_waiting),
                        i > 0 ? "" : caused, name_of(*causes[i], report));
    named += causes[i]->share_of_waiting;
  }
  if (named >= kMostOfIt * share) return text + ".";
  return fmt::format("{}{} by {}.", format_share(share), caused, all_of(culprit, report));
}

// For runs in which much of the waiting arose inside MPI, for a reason that was not recorded. Where it was recorded when
// ranks lost their processors, they had them there.
std::string stalls_sentence(const Report& report) {
  constexpr double kMatters = 0.1;  // of the waiting
  const auto stalls = std::ranges::find(report.remainders, "inside_mpi", &Report::Remainder::id);
  if (stalls == report.remainders.end() || stalls->seconds < kMatters * report.time.waiting_s) return "";
  const bool crowded = std::ranges::any_of(report.data_quality, [](const Report::Quality& quality) {
    return quality.id == "crowded_nodes" && quality.count > 0;
  });
  const bool recorded = std::ranges::any_of(
      report.off_processor, [](const Report::OffProcessor& row) { return row.preempted_in_mpi_s > 0; });
  const char* const why = recorded
                              ? "perhaps ranks that they needed had no processor, or the network was busy"
                          : crowded ? "ranks shared processors"
                                    : "perhaps ranks shared processors, or the network was busy";
  return fmt::format(" {} of it came about because calls of MPI took far longer than usual: {}.",
                     format_share(stalls->seconds / report.time.waiting_s), why);
}

// Who naps again and again may be a victim: what it waits for then is not recorded.
std::string naps_sentence(const Report& report) {
  if (report.causes.empty()) return "";
  const Report::Cause& first = *main_culprit(report.causes).causes.front();
  const std::optional<double> naps = short_naps(report, first);
  if (!naps || first.share_of_waiting < kCauseStandsOut) return "";
  return fmt::format(
      " It sleeps there for {} at a time, as who waits for another rank does: if so, that rank is "
      "the cause, and which one was not recorded.",
      format_duration(*naps));
}

// ", mostly in MPI_Init()": the MPI call with the most time that is not waiting, if it is among the hotspots.
std::string costliest_call(const Report& report) {
  std::map<std::string, double> waiting;  // by call path
  for (const Report::Wait& wait : report.waits)
    if (wait.waiting && wait.part_of.empty())
      for (const Report::ByCallPath& place : wait.by_call_path) waiting[place.call_path] += place.seconds;
  std::map<std::string, double> busy;  // by function
  for (const Report::Hotspot& hotspot : report.hotspots)
    if (hotspot.function.rfind("MPI_", 0) == 0)
      busy[hotspot.function] += hotspot.seconds - std::exchange(waiting[hotspot.call_path], 0);
  const auto most = std::ranges::max_element(busy, {}, [](const auto& call) { return call.second; });
  return most == busy.end() ? "" : ", mostly in " + function_label(most->first);
}

std::string place_of_waiting(const Report& report) {
  const bool threads = std::ranges::any_of(report.waits, &Report::Wait::outside_mpi);
  return threads ? "in MPI and barriers of threads" : "in MPI";
}

bool has_warning(const Report& report, std::string_view id) {
  return std::ranges::any_of(report.data_quality, [&](const Report::Quality& quality) {
    return quality.id == id && quality.severity == "warning";
  });
}

// Other threads communicate as well, and the efficiency does not cover them.
const char* whose_efficiency(const Report& report) {
  const bool others = has_warning(report, "mpi_in_other_threads");
  return others ? "Parallel efficiency of the threads that initialised MPI" : "Parallel efficiency";
}

Health health_of(double efficiency, double waiting_share) {
  const double measure = std::isfinite(efficiency) ? efficiency : 1 - waiting_share;
  return measure >= kGoodEfficiency ? Health::Good : measure >= kFairEfficiency ? Health::Fair : Health::Bad;
}

// Core seconds in calls that were open when the program was ended: it is not known what they would have
// waited for.
double open_at_end(const Report& report) {
  double open = 0;
  if (report.ending)
    for (const Report::Ending::OpenCall& call : report.ending->open_calls) open += call.open_s;
  return open;
}

// Who takes tasks of a slow rank need not wait for it: the run is longer all the same.
std::string gain_sentence(const Report& report) {
  constexpr double kMatters = 0.05;  // of the run time
  if (report.causes.empty() || !report.causes.front().gain) return "";
  const Report::Cause& first = report.causes.front();
  const double saves = report.run.runtime_s - first.gain->runtime_s;
  if (first.gain->at_most || saves - first.gain->error_s < kMatters * report.run.runtime_s) return "";
  return fmt::format(" Yet {} costs {} of the run time.", name_of(first, report),
                     format_share(saves / report.run.runtime_s));
}

Verdict judge_run(const Report& report, double open_share) {
  const double waiting = share_of(report.time.waiting_s, report.time.total_s);
  const double in_mpi = share_of(report.time.mpi_s, report.time.total_s);
  const double efficiency = report.efficiency.parallel;
  const Health health = health_of(efficiency, waiting);
  const std::string head = std::isfinite(efficiency)
                               ? fmt::format("{} {}: ", whose_efficiency(report), format_share(efficiency))
                               : std::string();
  if (waiting >= kWaitingMatters)
    return {head +
                fmt::format("ranks spend {} of the time waiting {}; ", format_share(waiting),
                            place_of_waiting(report)) +
                cause_clause(report) + naps_sentence(report) + stalls_sentence(report),
            health};
  if (health != Health::Good && in_mpi - open_share < kWaitingMatters)
    return {head +
                fmt::format("until the end ranks hardly waited for each other ({}).", format_share(waiting)) +
                gain_sentence(report),
            health};
  if (health != Health::Good)
    return {head +
                fmt::format(
                    "ranks hardly wait for each other ({}), but spend {} of the time inside MPI itself{}.",
                    format_share(waiting), format_share(in_mpi - open_share), costliest_call(report)) +
                gain_sentence(report),
            health};
  return {head +
              fmt::format("healthy; ranks spend only {} of the time waiting {}.", format_share(waiting),
                          place_of_waiting(report)) +
              gain_sentence(report),
          health};
}

Verdict judge(const Report& report) {
  const double open_share = share_of(open_at_end(report), report.time.total_s);
  const bool open_matters = open_share >= kWaitingMatters;
  Verdict result = judge_run(report, open_matters ? open_share : 0);
  if (share_of(report.time.waiting_s, report.time.total_s) < kWaitingMatters &&
      has_warning(report, "shared_memory"))
    result.sentence += " What they wait for in the memory that they share was not recorded.";
  if (!open_matters) return result;
  result.sentence += fmt::format(
      " {} of the time went by in calls that were open when it ended, as said above; "
      "that is not among the waiting.",
      format_share(open_share));
  return result;
}

// Anomalies which say that communication was not recorded, or not completely.
constexpr auto kCommunicationMissing = std::to_array<std::string_view>(
    {"analysis_cut_off",         "collective_by_stranger",    "collective_mismatch",
     "collective_without_begin", "collective_without_end",    "communication_incomplete",
     "cut_off_event_files",      "damaged_definitions",       "damaged_local_definitions",
     "dropped_events",           "event_counts_differ",       "filtered_calls",
     "incomplete_collectives",   "leave_without_enter",       "measurement_off",
     "missing_event_files",      "missing_local_definitions", "missing_leave",
     "ranks_without_finalize",   "ranks_without_init",        "ranks_without_records",
     "records_outside_mpi",      "recording_limit",           "requests_never_completed",
     "reused_requests",          "rma_epochs_unmatched",      "skipped_records",
     "unclosed_mpi_calls",       "undefined_regions",         "unknown_peers",
     "unknown_requests",         "unmatched_receives",        "unmatched_sends",
     "unreadable_events",        "untracked_communication"});

// Nothing was exchanged, or what was exchanged was not recorded completely.
Verdict nothing_exchanged(const Report& report) {
  const bool missing = std::ranges::any_of(report.data_quality, [](const Report::Quality& quality) {
    return quality.count > 0 && quality.severity != "info" &&
           std::ranges::find(kCommunicationMissing, quality.id) != kCommunicationMissing.end();
  });
  if (missing)
    return {
        "No complete MPI communication was recorded, so nothing can be said about waiting (see Data "
        "quality).",
        Health::Fair};
  return {"No MPI communication: the ranks never exchanged anything, so none could wait for another.",
          Health::Good};
}

// Clocks that contradict messages by more than ranks wait, and by a significant part of the run; nullptr:
// they do not.
const Report::ClockViolation* contradicting_clocks(const Report& report) {
  const auto worst =
      std::ranges::max_element(report.clock_violations, {}, &Report::ClockViolation::largest_s);
  if (worst == report.clock_violations.end()) return nullptr;
  const double waiting =
      report.time.waiting_s / static_cast<double>(std::max<std::uint64_t>(report.run.ranks, 1));
  const bool matters =
      worst->largest_s > waiting && worst->largest_s >= kWaitingMatters * report.run.runtime_s;
  return matters ? &*worst : nullptr;
}

Verdict of_contradicting_clocks(const Report::ClockViolation& worst) {
  return {fmt::format("The clocks disagree: on rank {} something ended {} before what it needed began on "
                      "rank {}. That is "
                      "more than a rank waits, so efficiency, waits and causes say nothing; --correct-clocks "
                      "moves the times.",
                      worst.to, format_duration(worst.largest_s), worst.from),
          Health::Bad};
}

}  // namespace

bool data_doubtful(const Report& report) {
  return std::ranges::any_of(report.data_quality, [](const Report::Quality& quality) {
    return quality.count > 0 && quality.severity == "serious";
  });
}

Verdict verdict(const Report& report) {
  if (report.whole_run) {
    Verdict whole = verdict(of_whole_run(report));
    whole.sentence += " (Of the whole run; waiting and causes are estimated from the excerpts.)";
    return whole;
  }
  Verdict result;
  if (report.run.messages == 0 && report.run.collectives == 0)
    result = nothing_exchanged(report);
  else if (report.run.ranks == 1)
    result = {"A single rank: there is no other one to wait for. Record a run with two or more ranks.",
              Health::Good};
  else if (const Report::ClockViolation* const worst = contradicting_clocks(report))
    result = of_contradicting_clocks(*worst);
  else if (report.time.total_s <= 0)
    result = {"All that was recorded lies at one moment (0 s), so nothing can be said about waiting.",
              Health::Fair};
  else
    result = judge(report);
  if (const std::string part = recorded_part(report.run); !part.empty())
    result.sentence += " (Of the part that was recorded: " + part + ".)";
  if (data_doubtful(report)) {
    result.sentence = "Incomplete data, read with care (see Data quality). " + result.sentence;
    result.health = std::max(result.health, Health::Fair);
  }
  return result;
}

}  // namespace waitdiag
