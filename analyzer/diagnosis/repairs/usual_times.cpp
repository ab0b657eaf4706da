// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/usual_times.hpp"

#include <algorithm>
#include <span>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

constexpr double kRuns = 0.05;            // of the time of the one that runs a cause longest: less is noise
constexpr double kMost = 0.5;             // of what the others do
constexpr double kAlike = 0.8;            // of the calls, where they do nothing else, or differ
constexpr double kWorkOfItsOwn = 0.25;    // of what a late one computes in addition
constexpr double kKeptWaiting = 0.8;      // of what a peer ran less than usual
constexpr std::size_t kFewestInTurn = 3;  // who run a cause one at a time, of which one may take longer
constexpr double kLittleOfCause = 0.05;   // of the cause's time
constexpr std::size_t kMostCells = 2'000'000;  // of all locations, causes and windows
constexpr std::size_t kBeside = 2;             // windows besides those of steps: before them, and after

double lower_median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// How much a location does of what those that run a cause do otherwise, and how much else it does.
struct Likeness {
  double common = 0, common_calls = 0;  // time of computation; calls of MPI
  double else_done = 0, calls = 0;
};

struct Runners {
  std::vector<bool> runs;  // by location
  bool differ = false;     // by a factor: then they may tell themselves what is usual
  double count = 0;
  double cause = 0, otherwise = 0, calls = 0;  // of one of them on average
};

// The entries of one call path. Of another cause those who run this one may do more than anybody else: no peer needs
// to do as much.
void add_likeness(std::span<const ProfileEntry> entries, bool is_call, bool is_cause, Runners& runners,
                  std::vector<Likeness>& likeness) {
  const auto amount = [is_call](const ProfileEntry& entry) {
    return is_call ? static_cast<double>(entry.visits) : entry.nanoseconds;
  };
  double of_runner = 0;
  for (const ProfileEntry& entry : entries)
    if (runners.runs[index(entry.location)]) of_runner += amount(entry) / runners.count;
  double most_of_others = 0;
  for (const ProfileEntry& entry : entries)
    if (!runners.runs[index(entry.location)]) most_of_others = std::max(most_of_others, amount(entry));
  const double asked = is_cause ? std::min(of_runner, most_of_others) : of_runner;
  (is_call ? runners.calls : runners.otherwise) += asked;
  for (const ProfileEntry& entry : entries) {
    Likeness& like = likeness[index(entry.location)];
    (is_call ? like.common_calls : like.common) += std::min(amount(entry), asked);
    if (is_call)
      like.calls += amount(entry);
    else
      like.else_done += std::max(0.0, amount(entry) - of_runner);
  }
}

// Those who run a cause compute little else: only calls can tell who their peers are.
bool computes_nothing_else(const Runners& runners) {
  return runners.otherwise < kLittleOfCause * runners.cause;
}

// All ranks may have prepared the run alike, before they do different things: their calls tell.
bool is_peer(const Likeness& like, const Runners& runners) {
  if (like.else_done >= kMost * runners.cause) return false;
  const double calls = std::max(like.calls, runners.calls);
  const double alike = runners.differ || computes_nothing_else(runners) ? kAlike : kMost;
  if (like.common_calls < alike * calls) return false;
  return computes_nothing_else(runners) || like.common >= kMost * runners.otherwise;
}

}  // namespace

UsualTimes::UsualTimes(const Trace& trace, const WaitStates& states, const WaitForGraph& graph,
                       const Steps& steps, const Profile& profile, const CausePlaces& places)
    : trace_(trace), places_(places), begins_(trace.timelines().size()), runs_on_one_(places.causes()) {
  if (places.causes() == 0) return;
  divide_by_steps(steps);
  if (!meet_in_same_windows(graph) || joint_calls(graph) > windows_) divide_by_joint_calls(graph);
  const PeersOfCauses peers = find_peers(profile);
  in_own_step_.resize(places.causes());
  sums_.resize(begins_.size() * places.causes() * (windows_ + 1));
  for_each_index(begins_.size(), [&](std::size_t l) {
    std::size_t window = 0;
    places.for_each_occurrence(Location(l), [&](std::uint32_t cause, Place where, double nanoseconds) {
      while (window + 1 < windows_ && begins_[l][window + 1] <= where) ++window;
      sums_[at(Location(l), cause, window)].ran += nanoseconds;
    });
  });
  const std::vector<double> waits = waited(states);
  for_each_index(places.causes(), [&](std::size_t cause) { compare(cause, peers[cause], waits); });
}

std::size_t UsualTimes::most_windows() const {
  return std::max(kMostCells / (begins_.size() * places_.causes()), kBeside + 1);
}

void UsualTimes::divide_by_steps(const Steps& steps) {
  const Parts parts(steps, static_cast<std::uint32_t>(most_windows() - kBeside));
  windows_ = parts.rows().size() - Parts::kFirstGroup + kBeside;
  for_each_index(begins_.size(), [&](std::size_t l) {
    std::vector<Place>& begins = begins_[l];
    parts.for_each_part(trace_, Location(l), [&](const GapPart& part, std::size_t row) {
      std::size_t window = 0;
      if (row == Parts::row_of(Part::Kind::AfterSteps)) window = windows_ - 1;
      if (row >= Parts::kFirstGroup) window = row - Parts::kFirstGroup + 1;
      if (window >= begins.size())
        begins.resize(window + 1, place_of_gap(static_cast<std::uint32_t>(part.gap)));
    });
    begins.resize(windows_, place_of_gap(static_cast<std::uint32_t>(trace_.timelines()[l].gaps())));
  });
}

// Calls visit(the calls of all ranks) for every operation of all ranks, in the order in which they were made.
template <typename Visit>
void UsualTimes::for_each_joint_call(const WaitForGraph& graph, Visit visit) const {
  std::vector<OpRef> calls;
  for (const WaitForGraph::Run& run : graph.order()) {
    if (graph.is_call(run.first) || graph.prefix(run.first) > 0) continue;
    calls.clear();
    for (const WaitForGraph::Node member : graph.members(run.first))
      if (const OpRef call = graph.call(member);
          call.location == trace_.main_location(trace_.rank(call.location)))
        calls.push_back(call);
    if (calls.size() == trace_.ranks()) visit(calls);
  }
}

std::size_t UsualTimes::joint_calls(const WaitForGraph& graph) const {
  std::size_t count = 0;
  for_each_joint_call(graph, [&](const std::vector<OpRef>&) { ++count; });
  return count;
}

bool UsualTimes::meet_in_same_windows(const WaitForGraph& graph) const {
  bool same = true;
  for_each_joint_call(graph, [&](const std::vector<OpRef>& calls) {
    const auto window = [&](OpRef call) { return window_of(call.location, place_of_gap(call.op)); };
    same = same && std::ranges::all_of(calls, [&, first = window(calls.front())](OpRef call) {
             return window(call) == first;
           });
  });
  return same;
}

void UsualTimes::divide_by_joint_calls(const WaitForGraph& graph) {
  const std::size_t calls_of_all = joint_calls(graph), every = calls_of_all / most_windows() + 1;
  for (std::vector<Place>& begins : begins_) begins.assign(1, place_of_gap(0));
  std::size_t number = 0;
  for_each_joint_call(graph, [&](const std::vector<OpRef>& calls) {
    if (++number % every != 0) return;
    for (const OpRef call : calls) begins_[index(call.location)].push_back(place_of_gap(call.op + 1));
  });
  windows_ = calls_of_all / every + 1;
  for (std::uint32_t l = 0; l < begins_.size(); ++l) {
    const auto gaps = static_cast<std::uint32_t>(trace_.timelines()[l].gaps());
    std::ranges::sort(begins_[l]);  // operations under way at the same time
    begins_[l].resize(windows_, place_of_gap(gaps));
  }
}

// Between the parts of a call, for the most part.
std::vector<bool> UsualTimes::run_by_mpi() const {
  std::vector<PartsOfCalls> parts(begins_.size());
  for_each_index(parts.size(), [&](std::size_t l) { parts[l] = PartsOfCalls(trace_, Location(l)); });
  if (std::ranges::all_of(parts, &PartsOfCalls::none)) return {};
  std::vector<double> inside(places_.causes());
  for (std::uint32_t l = 0; l < begins_.size(); ++l) {
    places_.for_each_occurrence(Location(l), [&](std::uint32_t cause, Place where, double nanoseconds) {
      inside[cause] += where % 2 == 0 && parts[l].goes_on(where / 2) ? nanoseconds : -nanoseconds;
    });
  }
  std::vector<bool> by_mpi;
  for (const double more : inside) by_mpi.push_back(more > 0);
  return by_mpi;
}

UsualTimes::PeersOfCauses UsualTimes::find_peers(const Profile& profile) {
  PeersOfCauses peers(places_.causes());
  roles_.assign(begins_.size() * places_.causes(), Role::Other);
  const std::vector<bool> by_mpi = run_by_mpi();
  for_each_index(places_.causes(), [&](std::size_t cause) {
    std::vector<Location> locations;
    for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank)
      locations.push_back(trace_.main_location(Rank(rank)));
    double most = 0;
    for (const Location l : locations) most = std::max(most, places_.total(l, cause));
    Runners runners{.runs = std::vector<bool>(begins_.size())};
    double least = most;
    for (const Location l : locations) {
      runners.runs[index(l)] = places_.total(l, cause) > kRuns * most;
      if (!runners.runs[index(l)]) continue;
      ++runners.count;
      least = std::min(least, places_.total(l, cause));
      runners.cause += places_.total(l, cause);
    }
    if (runners.count == 0) return;
    runners.cause /= runners.count;
    runners.differ = least < kMost * most;
    std::vector<Likeness> likeness(begins_.size());
    const std::span entries(profile.entries);
    for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
      const CallPathId path = entries[first].call_path;
      while (last < entries.size() && entries[last].call_path == path) ++last;
      if (path == kNoCallPath || places_.number(path) == cause) continue;
      const CallKind kind = trace_.region(path).kind;
      if (is_poll(kind)) continue;  // the longer one waits, the more of them there are
      const bool is_call = kind != CallKind::Computation;
      add_likeness(entries.subspan(first, last - first), is_call, places_.number(path) != kNoOp, runners,
                   likeness);
    }
    const bool mpi_decides = !by_mpi.empty() && by_mpi[cause];
    for (const Location l : locations) {
      const bool runs = runners.runs[index(l)];
      if (!runs && (mpi_decides || !is_peer(likeness[index(l)], runners))) continue;
      peers[cause].push_back(l);
      roles_[index(l) * places_.causes() + cause] = runs ? Role::Runs : Role::DoesWithout;
    }
    runs_on_one_[cause] = peers[cause].size() == 1 || (runners.count == 1 && computes_nothing_else(runners));
  });
  return peers;
}

bool UsualTimes::is_all_taken(std::size_t cause, const std::vector<std::vector<Saving>>& savings) const {
  constexpr double kNearlyAll = 0.95;
  double ran = 0, taken = 0;
  for (std::uint32_t l = 0; l < savings.size(); ++l) {
    if (role(Location(l), cause) == Role::DoesWithout) return false;
    ran += places_.total(Location(l), cause);
    for (const Saving& saving : savings[l]) taken += static_cast<double>(saving.time.count());
  }
  return ran > 0 && taken >= kNearlyAll * ran;
}

std::vector<double> UsualTimes::waited(const WaitStates& states) const {
  std::vector<double> waited(begins_.size() * windows_);
  for (const WaitState& wait : states.waits) {
    const auto [location, op] = wait.victim;
    waited[index(location) * windows_ + window_of(location, place_of_gap(op))] +=
        static_cast<double>(wait.wait.count());
  }
  return waited;
}

double UsualTimes::usual(std::size_t cause, const std::vector<Location>& peers, std::size_t window,
                         const std::vector<double>& waited) const {
  std::vector<double> times;
  for (const Location l : peers) times.push_back(sums_[at(l, cause, window)].ran);
  const double median = lower_median(times);
  double usual = median;
  for (const Location l : peers) {
    const double ran = sums_[at(l, cause, window)].ran;
    if (waited[index(l) * windows_ + window] >= kKeptWaiting * (median - ran)) usual = std::min(usual, ran);
  }
  return usual;
}

double UsualTimes::in_own_step(std::size_t cause, const std::vector<Location>& peers) const {
  std::vector<Location> runners;
  for (const Location l : peers)
    if (role(l, cause) == Role::Runs) runners.push_back(l);
  if (runners.size() < kFewestInTurn) return 0;
  std::size_t steps = 0, of_one = 0;
  for (std::size_t window = 0; window < windows_; ++window) {
    double most = 0, all = 0;
    for (const Location l : runners) {
      const double ran = sums_[at(l, cause, window)].ran;
      most = std::max(most, ran);
      all += ran;
    }
    if (most <= 0) continue;
    ++steps;
    if (all - most <= kRuns * most) ++of_one;
  }
  if (static_cast<double>(of_one) < kAlike * static_cast<double>(steps)) return 0;
  std::vector<double> times;
  for (const Location l : runners)
    times.push_back(places_.total(l, cause) / static_cast<double>(places_.places(l, cause).count()));
  const double longest = std::ranges::max(times), usual = lower_median(times);
  return usual < kMost * longest ? usual : 0;
}

void UsualTimes::compare(std::size_t cause, const std::vector<Location>& peers,
                         const std::vector<double>& waited) {
  in_own_step_[cause] = in_own_step(cause, peers);
  std::vector<double> usual_time(windows_);
  for (std::size_t window = 0; window < windows_ && peers.size() > 1; ++window)
    usual_time[window] = usual(cause, peers, window, waited);
  for (std::uint32_t l = 0; l < begins_.size(); ++l) {
    const bool is_main = trace_.main_location(trace_.rank(Location(l))) == Location(l);
    Sums before;
    for (std::size_t window = 0; window <= windows_; ++window) {
      Sums& sums = sums_[at(Location(l), cause, window)];
      const double ran = sums.ran;
      sums = before;
      if (window == windows_) break;
      before.ran += ran;
      before.excess += is_main ? std::max(0.0, ran - usual_time[window]) : ran;
    }
  }
}

// The call that opens an interval may end the step before.
std::pair<std::size_t, std::size_t> UsualTimes::windows_of(const Stretch& stretch) const {
  const auto [location, first, last] = stretch;
  const std::size_t last_window = window_of(location, last);
  return {std::min(window_of(location, first + first % 2), last_window), last_window};
}

// What a victim that does other work did instead says nothing: what is usual counts. Others may still have
// to run a part of it.
double UsualTimes::excess(const Stretch& late, const Stretch& victim, std::size_t cause,
                          const ExcessTime& compared, bool in_turn) const {
  if (role(late.location, cause) == Role::DoesWithout) return 0;  // no more than noise
  switch (role(victim.location, cause)) {
    case Role::Runs:
      return compared.nanoseconds - at_another_time(victim, late, cause, in_turn) -
             in_step_of_its_own(late, victim, cause);
    case Role::Other:
      if (compared.one_sided <= 0) break;
      return std::max(compared.one_sided * excess_share(late, cause),
                      compared.instead >= kWorkOfItsOwn ? compared.one_sided * (1 - compared.instead) : 0);
    case Role::DoesWithout:
      break;
  }
  return compared.nanoseconds;
}

double UsualTimes::count(Location location, std::size_t cause, std::size_t first, std::size_t last) const {
  const std::vector<Place>& begins = begins_[index(location)];
  const Place end = last + 1 < windows_
                        ? begins[last + 1]
                        : place_of_gap(static_cast<std::uint32_t>(trace_.timeline(location).gaps()));
  if (begins[first] == end) return 0;
  return static_cast<double>(places_.count({location, begins[first], end - 1}, cause));
}

double UsualTimes::at_another_time(const Stretch& victim, const Stretch& late, std::size_t cause,
                                   bool only_before) const {
  const auto times = static_cast<double>(places_.count(late, cause)),
             so_far = static_cast<double>(places_.count(victim, cause));
  if (times <= so_far) return 0;
  const auto [first_window, last_window] = windows_of(late);
  const double of_victim = count(victim.location, cause, first_window, last_window);
  if (of_victim == 0) return 0;
  const double fair = times * of_victim / count(late.location, cause, first_window, last_window);
  double others = std::max(0.0, fair - so_far);
  if (const Place begin = begins_[index(victim.location)][first_window]; only_before) {
    const std::size_t before =
        begin < victim.first ? places_.count({victim.location, begin, victim.first - 1}, cause) : 0;
    others = std::min(others, static_cast<double>(before));
  }
  return others * ran(victim.location, cause, first_window, last_window) / of_victim;
}

double UsualTimes::in_step_of_its_own(const Stretch& late, const Stretch& victim, std::size_t cause) const {
  if (in_own_step_[cause] == 0) return 0;
  const auto [first_window, last_window] = windows_of(late);
  if (count(victim.location, cause, first_window, last_window) > 0) return 0;
  return in_own_step_[cause] * static_cast<double>(places_.count(late, cause));
}

bool UsualTimes::all_of_steps(const Stretch& late, std::size_t cause) const {
  const auto [first_window, last_window] = windows_of(late);
  return static_cast<double>(places_.count(late, cause)) >
         kMost * count(late.location, cause, first_window, last_window);
}

double UsualTimes::excess_share(const Stretch& late, std::size_t cause) const {
  const auto [first_window, last_window] = windows_of(late);
  const double all = ran(late.location, cause, first_window, last_window);
  const double excess = sums_[at(late.location, cause, last_window + 1)].excess -
                        sums_[at(late.location, cause, first_window)].excess;
  return all > 0 ? excess / all : 1;
}

}  // namespace waitdiag
