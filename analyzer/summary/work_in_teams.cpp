// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/work_in_teams.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/trace/model/number_property.hpp"
#include "analyzer/wording/cause_names.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/short_names.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// The functions in which threads that call no MPI begin.
std::set<RegionId> begun_by_workers(const Trace& trace) {
  std::set<RegionId> begun;
  const auto add = [&](CallPathId path) {
    if (path == kNoCallPath) return;
    while (trace.call_paths()[index(path)].parent != kNoCallPath)
      path = trace.call_paths()[index(path)].parent;
    begun.insert(trace.call_paths()[index(path)].region);
  };
  for (const WorkerThread& worker : trace.workers())
    for (std::size_t gap = 0; gap < worker.timeline.gaps(); ++gap) {
      for (const ComputationSample& sample : worker.timeline.samples(gap)) add(sample.call_path);
      for (const ComputationPiece& piece : worker.timeline.pieces(gap)) add(piece.call_path);
    }
  return begun;
}

// What teams opened there execute: GCC and Clang make a function of it.
std::set<RegionId> executed_by(const Trace& trace, const std::string& team, const std::set<RegionId>& begun) {
  std::set<CallPathId> openers;
  for (const Timeline& timeline : trace.timelines())
    for (const ParallelTotal& total : timeline.parallel())
      if (label_of(trace, total.call_path).call_path == team)
        openers.insert(trace.without_sites(total.call_path));
  std::set<RegionId> executed;
  // So do the threads of teams that these open in turn, somewhere below.
  for (bool more = true; more;) {
    const std::size_t before = executed.size();
    std::vector<bool> inside;  // by call path; callers come before what they call
    for (const CallPathNode& node : trace.call_paths()) {
      const bool has_caller = node.parent != kNoCallPath,
                 caller_inside = has_caller && inside[index(node.parent)];
      const bool opened = caller_inside || (has_caller && openers.contains(trace.without_sites(node.parent)));
      if (opened && begun.contains(node.region)) executed.insert(node.region);
      inside.push_back(caller_inside || executed.contains(node.region));
    }
    more = executed.size() > before;
  }
  return executed;
}

// In a trace that does not say how long a sampling period is, samples alone count.
double periods_in_a_second(const Trace& trace) {
  const auto hz = number_property(trace, waitprof::schema::kSamplingHz);
  return hz && *hz > 0 ? static_cast<double>(*hz) : 0;
}

class WorkOfThread {
 public:
  using Functions = std::vector<RegionId>;
  WorkOfThread(const Trace& trace, const std::set<RegionId>& executed)
      : trace_(trace), executed_(executed), in_a_second_(periods_in_a_second(trace)) {}

  std::map<Functions, double> of(const Timeline& timeline) const {
    std::map<Functions, double> work;
    const auto add = [&](CallPathId path, double periods) {
      if (Functions functions = functions_on(path); !functions.empty() && periods > 0)
        work[std::move(functions)] += periods;
    };
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      for (const ComputationSample& sample : timeline.samples(gap)) add(sample.call_path, sample.weight);
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (!waits_for_team(piece.call_path)) add(piece.call_path, in_a_second_ * seconds(piece.time));
    }
    return work;
  }

 private:
  // Where a library's call waits for other threads, these are late.
  bool waits_for_team(CallPathId path) const {
    if (path == kNoCallPath) return false;
    const CallPathId call = trace_.region(path).off() ? trace_.call_paths()[index(path)].parent : path;
    return call != kNoCallPath && trace_.region(call).library &&
           trace_.region(call).waits_for() == WaitedFor::Threads;
  }

  // Nothing: outside of the team.
  Functions functions_on(CallPathId path) const {
    Functions functions;
    std::size_t inside = 0;  // as many of them are
    for (; path != kNoCallPath; path = trace_.call_paths()[index(path)].parent) {
      const Region& region = trace_.region(path);
      if (region.operation()) return {};
      if (!region.library && !region.off()) functions.push_back(trace_.call_paths()[index(path)].region);
      if (executed_.contains(trace_.call_paths()[index(path)].region)) inside = functions.size();
    }
    functions.resize(inside);
    std::ranges::reverse(functions);
    return functions;
  }

  const Trace& trace_;
  const std::set<RegionId>& executed_;
  double in_a_second_;
};

double sum_of(const std::map<std::vector<RegionId>, double>& work) {
  double sum = 0;
  for (const auto& [functions, periods] : work) sum += periods;
  return sum;
}

// Does the caller of the last of these functions nearly nothing but call it?
bool is_all_of_its_caller(std::span<const RegionId> called,
                          const std::vector<const std::map<std::vector<RegionId>, double>*>& all) {
  constexpr double kNearlyNothing = 0.05;
  const std::span<const RegionId> caller = called.first(called.size() - 1);
  double in_called = 0, elsewhere = 0;
  for (const auto* const work : all)
    for (const auto& one : *work) {
      const std::span<const RegionId> functions = one.first;
      const auto lies_in = [&](std::span<const RegionId> top) {
        return functions.size() >= top.size() && std::ranges::equal(functions.first(top.size()), top);
      };
      if (lies_in(caller)) (lies_in(called) ? in_called : elsewhere) += one.second;
    }
  return elsewhere <= kNearlyNothing * in_called;
}

}  // namespace

WorkInTeams::WorkInTeams(const Trace& trace) : trace_(trace), begun_(begun_by_workers(trace)) {}

const WorkInTeams::OfRank& WorkInTeams::work_by_rank(const Teams::Team& team) {
  const auto known = known_.try_emplace(team.call_path);
  OfRank& by_rank = known.first->second;
  if (!known.second) return by_rank;
  const std::set<RegionId> executed = executed_by(trace_, team.call_path, begun_);
  const WorkOfThread work(trace_, executed);
  const auto add = [&](const LocationInfo& info, const Timeline& timeline) {
    Work own = work.of(timeline);
    if (!own.empty()) by_rank[info.rank].push_back(std::move(own));
  };
  for (std::size_t i = 0; i < trace_.timelines().size(); ++i)
    add(trace_.locations()[i], trace_.timelines()[i]);
  for (const WorkerThread& worker : trace_.workers()) add(worker.info, worker.timeline);
  return by_rank;
}

std::string WorkInTeams::of_late_thread(const Teams::Team& team) {
  const OfRank& by_rank = work_by_rank(team);
  const auto threads = by_rank.find(Rank{static_cast<std::int32_t>(team.rank)});
  if (threads == by_rank.end()) return "";
  const auto late = std::ranges::max_element(threads->second, {}, sum_of);
  std::vector<const Work*> others;
  for (const Work& thread : threads->second)
    if (&thread != &*late) others.push_back(&thread);
  return longest_in(*late, others);
}

std::string WorkInTeams::of_late_rank(const Teams::Team& team) {
  Work late;
  std::map<Rank, Work> of_others;
  for (const auto& [rank, threads] : work_by_rank(team)) {
    Work& all = static_cast<std::int64_t>(rank) == team.rank ? late : of_others[rank];
    for (const Work& thread : threads)
      for (const auto& [functions, periods] : thread) all[functions] += periods;
  }
  std::vector<const Work*> others;
  for (const auto& [rank, work] : of_others) others.push_back(&work);
  return others.empty() ? "" : longest_in(late, others);
}

// Most of what it has more than the others have on average is in this function and what that calls.
std::string WorkInTeams::longest_in(const Work& late, const std::vector<const Work*>& others) const {
  constexpr double kFewestPeriods = 5, kMostOfIt = 0.75;
  Work more;  // callees included
  for (const auto& [functions, periods] : late) {
    double usual = 0;
    for (const Work* const other : others)
      if (const auto same = other->find(functions); same != other->end()) usual += same->second;
    usual /= std::max<double>(1, static_cast<double>(others.size()));
    for (Functions at = functions; periods > usual && !at.empty(); at.pop_back()) more[at] += periods - usual;
  }
  double all = 0;
  for (const auto& [functions, periods] : more) all += functions.size() == 1 ? periods : 0;
  Functions innermost;
  for (const auto& [functions, periods] : more)
    if (periods >= kMostOfIt * all && functions.size() > innermost.size()) innermost = functions;
  if (all < kFewestPeriods || innermost.size() < 2) return "";
  std::vector<const Work*> everybody = others;
  everybody.push_back(&late);
  return name_of(innermost, everybody);
}

// With its callers where it is called in other places, too, or that do nothing but call it (cause_names.hpp). What the
// team executes itself is no name that people know.
std::string WorkInTeams::name_of(const Functions& functions, const std::vector<const Work*>& all) const {
  const auto path_of = [this](const Functions& of) {
    std::string path;
    for (std::size_t i = of.size() > 1 ? 1 : 0; i < of.size(); ++i) {
      const Region& function = trace_.region(of[i]);
      if (i + 1 < of.size() && is_outlined(function)) continue;
      path += (path.empty() ? "" : "/") + function.name;
    }
    return path;
  };
  std::set<std::string> others;
  for (const Work* const work : all)
    for (const auto& [other, periods] : *work)
      for (Functions at = other; !at.empty(); at.pop_back())
        if (at != functions && at.back() == functions.back()) others.insert(path_of(at));
  others.erase(path_of(functions));
  const std::string& function = trace_.region(functions.back()).name;
  std::string name = distinct_name(path_of(functions), function, {others.begin(), others.end()});
  if (name != function_label(function) || functions.size() <= 2) return name;
  const Region& caller = trace_.region(functions[functions.size() - 2]);
  const std::string caller_name = short_name(caller.name);
  const bool says_more = !is_outlined(caller) && is_code(caller_name) && caller_name != short_name(function);
  return says_more && is_all_of_its_caller(functions, all) ? caller_name + '/' + name : name;
}

}  // namespace waitdiag
