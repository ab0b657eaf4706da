// Which thread of a team the others waited for, and with what it was late.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/summary/report_rows.hpp"
#include "analyzer/summary/teams.hpp"
#include "analyzer/summary/work_in_teams.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

// Whose unevenness it is. Tasks and loops that are dealt out make another thread late each time.
std::optional<std::int64_t> late_one(const Teams::Team& team) {
  constexpr double kMostOfIt = 0.75;
  if (team.busiest_s - team.mean_s < kMostOfIt * (team.slowest_s - team.mean_s)) return std::nullopt;
  return team.busiest_thread;
}

std::string sentence_about(const Teams::Team& team, const LateThread& late) {
  const bool one = late.thread.has_value();
  const std::string where =
      function_label(team.function) + (late.function.empty() ? "" : " with " + late.function);
  const std::string who =
      one ? fmt::format("thread {} of {} was late in {}: it", *late.thread, team.threads, where)
          : fmt::format("not always the same of {} threads was late in {}: the latest", team.threads, where);
  return fmt::format(
      " On rank {} {} computed for {}, a thread on average for {}; with even threads the rank would "
      "be {} faster.",
      team.rank, who, format_duration(one ? team.busiest_s : team.slowest_s), format_duration(team.mean_s),
      format_duration(team.slowest_s - team.mean_s));
}

// The call of a library in it is below the function that was not on a processor.
bool may_lie_in_team(const Report::Cause& cause) {
  return cause.kind == "computation" || cause.kind == "blocked";
}

bool lies_in(std::string_view call_path, std::string_view of) {
  return call_path.starts_with(of) && (call_path.size() == of.size() || call_path[of.size()] == '/');
}

// How long a thread was in the teams that it opened without anything that tells what they did: asleep, and nothing
// says when it was.
class UnseenTime {
 public:
  UnseenTime(const Trace& trace, const Diagnosis& found, const std::vector<Teams::Team>& teams) {
    const auto& [activities, profile] = found.compared();
    for (const Teams::Team& team : teams) of_rank_[team.rank].push_back({&team, team.time_s});
    std::string path;
    CallPathId known = kNoCallPath;
    for (const ProfileEntry& entry : profile.entries) {
      const auto opened = of_rank_.find(static_cast<std::int64_t>(index(trace.rank(entry.location))));
      if (opened == of_rank_.end()) continue;
      if (entry.call_path != known || path.empty())
        path = label_of(trace, activities, known = entry.call_path).call_path;
      for (auto& [team, unseen_s] : opened->second)
        if (lies_in(path, team->call_path)) unseen_s -= entry.nanoseconds / kSecond;
    }
  }
  double of(const Teams::Team& team) const {
    return std::ranges::find(of_rank_.at(team.rank), &team, &Unseen::team)->time_s;
  }

 private:
  struct Unseen {
    const Teams::Team* team;
    double time_s;
  };
  std::map<std::int64_t, std::vector<Unseen>> of_rank_;
};

// In the team, or in its callers because of what is not seen of it.
bool is_about(const Report::Cause& cause, const Teams::Team& team, const UnseenTime& unseen) {
  constexpr double kMostOfIt = 0.5;
  return lies_in(cause.call_path, team.call_path) ||
         (lies_in(team.call_path, cause.call_path) && cause.kind == "computation" &&
          unseen.of(team) >= kMostOfIt * cause.excess_s);
}

// Teams may begin and end late because their threads have no processor, the more so the more threads there are. The
// repair of what they do takes away what it makes them compute longer than others, or its part of their time.
void limit_to_work(const std::vector<Teams::Team>& teams, double runtime_s, Report::Cause& cause) {
  constexpr double kMuch = 0.25;  // of the time
  if (!cause.gain) return;
  const auto until_end = [](const Teams::Team& team) {
    return team.time_s - team.overhead_s / static_cast<double>(team.threads);
  };
  std::vector<double> worked;
  double time = 0, in_work = 0;
  const std::vector<std::int64_t> late = leading_ranks(cause.ranks);
  for (const Teams::Team& team : teams) {
    if (team.call_path != cause.call_path) continue;
    worked.push_back(until_end(team));
    if (!std::ranges::binary_search(late, team.rank)) continue;
    time += team.time_s;
    in_work += until_end(team);
  }
  if (in_work >= (1 - kMuch) * time) return;
  std::ranges::sort(worked);
  const double usual = worked[(worked.size() - 1) / 2];
  double longer = 0;
  for (const double one : worked) longer += std::max(0.0, one - usual);
  const double saves = runtime_s - cause.gain->runtime_s;
  cause.gain->runtime_s = runtime_s - std::min(saves, std::max(longer, saves * in_work / time));
  cause.gain->speedup = runtime_s / cause.gain->runtime_s;
}

// Threads of the run that take turns on processors: how long each of a team takes depends on how many others run, and
// fewer or shorter ones leave more to all. What is saved is no more than what it took.
bool take_turns(const Report& report, const Report::Cause& cause) {
  constexpr double kMuch = 0.25;  // of what is saved
  double lost = 0;
  for (const TakenProcessors& taken : report.taken_processors)
    lost += taken.taken_s - taken.by_others_s.value_or(0);
  return lost >= kMuch * (report.run.runtime_s - cause.gain->runtime_s);
}

bool opens_team(const Report& report, const Report::Cause& cause) {
  return std::ranges::find(report.teams->by_call_path, cause.call_path, &Teams::Team::call_path) !=
         report.teams->by_call_path.end();
}

}  // namespace

void name_late_threads(const Trace& trace, const Diagnosis& found, Report& report) {
  constexpr double kWorthSaying = 0.1, kMostOfIt = 0.5;  // of the excess
  if (!report.teams) return;
  WorkInTeams work(trace);
  const UnseenTime unseen(trace, found, report.teams->by_call_path);
  for (Report::Cause& cause : report.causes) {
    limit_to_work(report.teams->by_call_path, report.run.runtime_s, cause);
    if (cause.gain && opens_team(report, cause) && take_turns(report, cause)) cause.gain->at_most = true;
    if (cause.why.text.empty() || !may_lie_in_team(cause)) continue;
    for (const std::int64_t rank : leading_ranks(cause.ranks)) {
      const auto team = std::ranges::find_if(report.teams->by_call_path, [&](const Teams::Team& row) {
        return row.rank == rank && is_about(cause, row, unseen);
      });
      if (team == report.teams->by_call_path.end()) continue;
      const double gain = team->slowest_s - team->mean_s;
      if (gain < kWorthSaying * cause.excess_s) continue;
      LateThread late{.rank = rank,
                      .thread = late_one(*team),
                      .threads = team->threads,
                      .team = team->call_path,
                      .opened_by = team->function,
                      .function = "",
                      .gain_s = gain};
      if (late.thread) late.function = work.of_late_thread(*team);
      // Not the thread's own: it waited for a team that it opened in this one.
      if (late.function.empty()) late.function = work.of_late_rank(*team);
      cause.why.text += sentence_about(*team, late);
      // A thread that is late alone keeps all others waiting; even threads would share what it is late by.
      const double shared = 1 - 1 / static_cast<double>(team->threads);
      if (gain >= kMostOfIt * shared * cause.excess_s) cause.late_thread = std::move(late);
      break;
    }
  }
}

}  // namespace waitdiag
