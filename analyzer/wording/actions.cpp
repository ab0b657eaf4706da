// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/cause_names.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

constexpr char kRunOnRanksElsewhere[] = "waitdiag run -o AGAIN -- LAUNCH LINE && waitdiag compare DIR AGAIN";

// Quoted for a shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view kHarmless = "_-./:+=,%@";
  const bool plain = std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kHarmless.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !word.empty()) return word;
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

// What `predict` calls it: a cause that stands for several call paths goes by its function's name, unless other
// causes have the same.
std::string name_for_predict(const Report& report, const Report::Cause& cause) {
  if (cause.everywhere) return cause.function;
  const bool shared = std::ranges::count(report.causes, cause.function, &Report::Cause::function) > 1;
  return shared || cause.call_path.ends_with(cause.function) ? cause.call_path : cause.function;
}

// Of a name that is longer than a line, as much of the end as no other cause has.
std::string name_of_repair(const Report& report, const Report::Cause& cause) {
  constexpr std::size_t kLine = 90;
  std::string whole = name_for_predict(report, cause);
  if (whole.size() <= kLine) return whole;
  std::string_view end;
  const auto is_meant = [&end](const Report::Cause& other) {
    return other.function == end || other.call_path.ends_with(fmt::format("/{}", end));
  };
  std::vector<std::string_view> frames = frames_of(whole);
  do {
    end = std::string_view(whole).substr(static_cast<std::size_t>(frames.back().data() - whole.data()));
    frames.pop_back();
  } while (!frames.empty() && std::ranges::count_if(report.causes, is_meant) > 1);
  return std::string(end);
}

std::string_view main_pattern(const Report::Cause& cause) {
  const auto most =
      std::ranges::max_element(cause.patterns, {}, [](const auto& entry) { return entry.second; });
  return most == cause.patterns.end() ? std::string_view() : std::string_view(most->first);
}

// The late ranks computed for much longer than their processors were busy. Samples by processor time, or none,
// say nothing about the rest.
bool idle_inside(const Report& report, const Report::Cause& cause) {
  constexpr double kBusy = 0.5;
  const bool unseen = report.run.sampling == "cpu" || report.run.sampling == "off";
  if (!unseen || report.run.runtime_s <= 0 || cause.ranks.empty() || !report.off_processor.empty())
    return false;
  const std::int64_t rank = cause.ranks.front().rank;
  const auto ran = std::ranges::find(cause.executions, rank, &Report::Cause::Execution::rank);
  const auto used = std::ranges::find(report.rank_resources, rank, &Report::RankResources::rank);
  return ran != cause.executions.end() && used != report.rank_resources.end() &&
         used->processors * report.run.runtime_s < kBusy * ran->seconds;
}

// Applies what the saving was computed from.
std::string shown_by(const Report& report, const Report::Cause& cause) {
  return "waitdiag predict DIR --repair " + quoted(name_of_repair(report, cause));
}

// Parts of the sentences.
struct ActionWords {
  std::string function, ranks;
  const char* are;  // "is" or "are", for the ranks
  const char* take;
};

ActionWords words_of(const Report& report, const Report::Cause& cause) {
  const bool one = named_ranks(cause.ranks).size() == 1;
  return {cause.everywhere ? function_label(cause.everywhere->function) : cause_name(report, cause),
          ranks_label(cause.ranks, report.run.ranks), one ? "is" : "are", one ? "takes" : "take"};
}

// What even threads save alone, where a team that takes no longer than others saves more; 0: as much.
double even_threads_save(const Report& report, const Report::Cause& cause) {
  constexpr double kAsMuch = 0.85;
  const double even = cause.late_thread->gain_s;
  return even < kAsMuch * saved_s(report, cause) ? even : 0;
}

Action of_team(const Report& report, const Report::Cause& cause, const ActionWords& w) {
  const LateThread& late = *cause.late_thread;
  const std::string latest = late.thread ? fmt::format("thread {}", *late.thread) : "the latest one";
  const bool does_more = cause.gain && even_threads_save(report, cause) > 0;
  return {
      "do_not_block",
      fmt::format("Balance the threads of {} on {}{}: the others of the team wait for {}.",
                  function_label(late.opened_by), w.ranks, does_more ? ", and let them do less" : "", latest),
      {},
      "",
      "waitdiag predict DIR --without threads"};
}

Action off_processor(const Report::Cause& cause, const ActionWords& w) {
  if (cause.kind == "preempted")
    return {"own_processor",
            fmt::format("Give every thread a processor of its own: fewer ranks on a node, or ranks bound to "
                        "cores. Others ran where {} {} late.",
                        w.ranks, w.are),
            {},
            "",
            "waitdiag predict DIR --without preemption"};
  const bool known = !cause.waited_for.empty() && cause.waited_for != "something";
  if (cause.function.ends_with("(blocked in pthread_join)"))
    return {
        "do_not_block",
        fmt::format("Balance what the threads of {} do until they end: {} waits for the last one of them.",
                    w.ranks, w.function),
        {},
        "",
        "waitdiag predict DIR --without threads"};
  if (cause.waited_for == "threads")
    return {"do_not_block",
            fmt::format("Divide the work of threads more evenly, or hold locks for less time: {}.",
                        waiting_label(w.function, cause.waited_for) + " makes " + w.ranks + " late"),
            {},
            "",
            "waitdiag predict DIR --without threads"};
  return {"do_not_block",
          fmt::format("Take {} off the critical path of {}: do it less often, or while others compute.",
                      known ? waiting_label(w.function, cause.waited_for)
                            : "what " + w.function + " waits for (a file, a sleep, a lock)",
                      w.ranks),
          {},
          "",
          "waitdiag predict DIR --without " + (cause.waited_for == "pages" ? "page-faults"
                                               : known                     ? cause.waited_for
                                                                           : "blocking")};
}

Action at_the_same_time(const Report& report, const Report::Cause& cause, const ActionWords& w) {
  return {"same_time",
          fmt::format("Let {} run {} at the same time, or make it shorter: they take turns.", w.ranks,
                      w.function),
          {},
          "",
          shown_by(report, cause)};
}

Action of_communication(const Report::Cause& cause, const ActionWords& w) {
  const std::string pattern(main_pattern(cause));
  if (cause.function.starts_with("MPI_File_"))
    return {"off_critical_path",
            fmt::format("Move this access to files off the critical path: {} {} longest for {}; do it less "
                        "often, or with nonblocking calls.",
                        w.ranks, w.take, w.function),
            {},
            "",
            "waitdiag predict DIR --remove-waits " + pattern};
  const bool moves_data = cause.function != "MPI_Barrier" && cause.function != "MPI_Ibarrier";
  return {"shorten_calls",
          fmt::format("Shorten {} on {}: {}.", w.function, w.ranks,
                      moves_data ? "send less there, or begin it earlier and compute meanwhile"
                                 : "call it less often, or do without it"),
          {},
          "",
          "waitdiag predict DIR --remove-waits " + pattern};
}

Action post_earlier(const ActionWords& w, const std::string& command) {
  return {"post_earlier",
          fmt::format("Post the receives of {} earlier, before {} (MPI_Irecv), or balance {}.", w.ranks,
                      w.function, w.function),
          {},
          "",
          command};
}

// No other rank runs it, so there is nothing to balance it with.
Action alone(const Report& report, const Report::Cause& cause, const ActionWords& w) {
  return {
      "off_critical_path",
      fmt::format("Move {} off the critical path: {} {} late with it, and others have no part in it. Share "
                  "it, do it less often, or while others compute.",
                  w.function, w.ranks, w.are),
      {},
      "",
      shown_by(report, cause)};
}

Action of_place(const Report::Cause& cause, const ActionWords& w) {
  const bool node = cause.why.kind == "slow_node";
  return {"check_place",
          fmt::format("Find out whether {} or {} work is slow: everything takes longer on {}. Run once more "
                      "with ranks placed otherwise.",
                      node ? "the node" : "the core", node ? "its ranks'" : "the rank's", w.ranks),
          {},
          "",
          kRunOnRanksElsewhere};
}

Action balance(const Report& report, const Report::Cause& cause, const ActionWords& w) {
  const std::string command = "waitdiag predict DIR --balance " + quoted(name_for_predict(report, cause));
  const std::string& kind = cause.why.kind;
  if (kind == "uneven_executions" || kind == "more_often_and_slower")
    return {"deal_out",
            fmt::format("Deal out {} evenly: it runs more often on {}.", w.function, w.ranks),
            {},
            "",
            command};
  if (kind == "noise" || kind == "no_pattern")
    return {"quiet_system",
            fmt::format("Leave a processor of each node to the system, and bind ranks to cores: another rank "
                        "is late with {} in each step.",
                        w.function),
            {},
            "",
            command};
  if (kind == "alike" || cause.why.late_ranks == "take_turns")
    return {"same_time",
            fmt::format("Let all ranks run {} at the same time: over the whole run they spend as long in it.",
                        w.function),
            {},
            "",
            command};
  if (cause.why.late_ranks == "moving")
    return {"balance",
            fmt::format("Balance {} again in the course of the run: the rank that is late with it changes.",
                        w.function),
            {},
            "",
            command};
  return {"balance",
          fmt::format("Balance {}: {} {} longer for it than the others.", w.function, w.ranks, w.take),
          {},
          "",
          command};
}

Action repair(const Report& report, const Report::Cause& cause) {
  const ActionWords w = words_of(report, cause);
  if (cause.kind == "perhaps_off_processor" || idle_inside(report, cause))
    return {"record_by_clock",
            fmt::format("Record by the clock: {} {} off the processor for much of {}, and {} say where.",
                        w.ranks, w.are, w.function,
                        report.run.sampling == "off" ? "there are no samples to"
                                                     : "samples by processor time do not"),
            {},
            "",
            "waitdiag run --sampling wall -- LAUNCH LINE"};
  if (cause.gain && cause.gain->in_turn) return at_the_same_time(report, cause, w);
  if (cause.kind != "preempted" && is_of_team(cause)) return of_team(report, cause, w);
  if (cause.kind == "blocked" || cause.kind == "preempted" || cause.kind == "page_faults")
    return off_processor(cause, w);
  if (cause.kind == "communication") return of_communication(cause, w);
  if (cause.why.kind == "slow_node" || cause.why.kind == "slow_rank") return of_place(cause, w);
  const auto waits = std::ranges::find(report.waits, main_pattern(cause), &Report::Wait::pattern);
  if (waits != report.waits.end() && waits->for_receiver)
    return post_earlier(w, "waitdiag predict DIR --remove-waits " + waits->pattern);
  if (cause.gain && cause.gain->at_most) return alone(report, cause, w);
  return balance(report, cause, w);
}

// How the saving was determined, and how certain it is.
std::string how_sure(const Report& report, const Report::Cause& cause) {
  if (!cause.gain) return "";
  std::string text;
  if (cause.gain->method == "replay" && report.replayed_gains)
    text = fmt::format("Known by replay, which for the unchanged run is {} off",
                       format_share(std::abs(report.replayed_gains->error)));
  else
    text = cause.gain->in_turn
               ? "Estimated by timing the run again, with ranks that do not wait for their turn"
               : "Estimated by timing the run again without it";
  if (is_of_team(cause) && even_threads_save(report, cause) > 0)
    text += fmt::format("; even threads alone save {}", format_duration(even_threads_save(report, cause)));
  if (cause.gain->at_most) text += "; no repair saves more";
  if (cause.why.kind == "unknown_executions" || cause.why.kind == "no_pattern")
    text +=
        report.run.sampling == "off" ? "; what ran in it was not sampled" : "; times in it are from samples";
  return text + ".";
}

}  // namespace

double repaired_runtime(const Report::Cause& cause) {
  return cause.everywhere ? cause.everywhere->runtime_s : cause.gain->runtime_s;
}

double saved_s(const Report& report, const Report::Cause& cause) {
  return report.run.runtime_s - repaired_runtime(cause);
}

bool saves_next_to_nothing(const Report& report, const Report::Cause& cause) {
  constexpr double kWorthIt = 0.01;  // of the run time
  return saved_s(report, cause) < kWorthIt * report.run.runtime_s;
}

bool can_be_repaired(const Report& report, const Report::Cause& cause) {
  constexpr double kMatters = 0.005;  // of the processor time
  const bool saves_nothing = !cause.gain || saves_next_to_nothing(report, cause);
  if (saves_nothing && cause.waiting_s < kMatters * report.time.total_s) return false;
  return !cause.function.starts_with("MPI_Init") && !cause.function.starts_with("MPI_Finalize") &&
         !cause.function.starts_with("MPI_Session_");
}

Action action_for(const Report& report, const Report::Cause& cause) {
  Action action = repair(report, cause);
  if (cause.gain) action.saves_s = saved_s(report, cause);
  if (cause.gain && action.command.starts_with("waitdiag predict")) action.command = shown_by(report, cause);
  action.sure = how_sure(report, cause);
  return action;
}

std::string command_for(const Action& action, const std::string& archive) {
  constexpr std::string_view kArchive = " DIR";
  std::string command = action.command;
  if (const std::size_t at = command.find(kArchive); at != std::string::npos && !archive.empty())
    command.replace(at, kArchive.size(), ' ' + quoted(archive));
  return command;
}

std::string with_launch_line(std::string command, const std::vector<std::string>& launch_line) {
  constexpr std::string_view kLaunchLine = " LAUNCH LINE";
  std::string words;
  for (const std::string& word : launch_line) words += ' ' + quoted(word);
  if (const std::size_t at = command.find(kLaunchLine); at != std::string::npos)
    command.replace(at, kLaunchLine.size(), words);
  return command;
}

bool finds_out_more(const Action& action) {
  return action.kind == "record_by_clock" || action.kind == "check_place";
}

}  // namespace waitdiag
