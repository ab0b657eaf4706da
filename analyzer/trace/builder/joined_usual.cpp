// What takes threads as long as in other ranks, and what takes them longer.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyzer/trace/builder/joined_work.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// Samples of one thread, or of those of about its length, to be looked at by themselves.
constexpr double kEnoughOfOneThread = 20, kEnoughOfLength = 100;
constexpr double kSameLength = 1.2;  // the longest is at most so many times the shortest

// Of two, the smaller one: where half of the ranks take longer, that is not usual.
double usual_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void JoinedThreads::Kind::add(const ThreadLife& life) {
  ++lives;
  time += nanoseconds(life.end - life.begin);
  for (const ComputationPiece& piece : life.pieces) exact[{piece.call_path, true}] += nanoseconds(piece.time);
  for (const ComputationSample& sample : life.samples) sampled[{sample.call_path}] += sample.weight;
}

void JoinedThreads::Kind::add_one(const ThreadLife& life) {
  add(life);
  by_length.push_back(&life);
}

// One of them takes longer because of what the others do not do: samples of all would give each a part of that.
void JoinedThreads::Kind::divide_by_length() {
  const auto length = [](const ThreadLife* life) { return life->end - life->begin; };
  std::ranges::stable_sort(by_length, {}, length);
  double samples = 0;
  Duration shortest{};
  for (const ThreadLife* life : by_length) {
    if (sampled_up_to.empty() ||
        (samples >= kEnoughOfLength && nanoseconds(length(life)) > kSameLength * nanoseconds(shortest))) {
      sampled_up_to.emplace_back();
      shortest = length(life);
      samples = 0;
    }
    auto& [longest, of_these] = sampled_up_to.back();
    longest = length(life);
    for (const ComputationSample& sample : life->samples) {
      of_these[{sample.call_path}] += sample.weight;
      samples += sample.weight;
    }
  }
  if (samples >= kEnoughOfLength || sampled_up_to.size() < 2) return;
  const auto [longest, few] = std::move(sampled_up_to.back());  // too few of the longest ones
  sampled_up_to.pop_back();
  sampled_up_to.back().first = longest;
  for (const auto& [part, weight] : few) sampled_up_to.back().second[part] += weight;
}

const JoinedThreads::Work& JoinedThreads::Kind::sampled_in_about(Duration length) const {
  if (sampled_up_to.empty()) return sampled;
  const auto found = std::ranges::lower_bound(sampled_up_to, length, {}, &std::pair<Duration, Work>::first);
  return found != sampled_up_to.end() ? found->second : sampled_up_to.back().second;
}

void JoinedThreads::find_kinds() {
  Kinds all;
  for (const auto& [number, thread] : threads_) {
    if (thread.life->ended) all[thread.kind].add_one(*thread.life);
    if (thread.waited_for) kinds_[thread.kind].add_one(*thread.life);
  }
  // The length of a stretch up to a wake tells when it was needed, not what was done in it.
  for (const auto& [number, wake] : wakes_)
    if (wake.waited_for) kinds_[wake.kind].add(*wake.life);
  kinds_.merge(all);
  for (auto& [key, kind] : kinds_) kind.divide_by_length();
  for (const auto& [key, kind] : kinds_)
    if (!usual_.contains(key.second)) usual_[key.second] = usual_work(key.second);
}

// Samples divide the time of which nothing is known exactly.
JoinedThreads::Work JoinedThreads::with_samples(Work exact, const Work& samples, double time) {
  const double rest = std::max(0.0, time - sum_of(exact)), all = sum_of(samples);
  for (const auto& [part, weight] : samples) exact[part] += rest * weight / all;
  return exact;
}

// Of a thread from before the recording began.
ThreadLife JoinedThreads::whole_life(const Timeline& timeline) {
  ThreadLife life{.begin = timeline.begin(), .end = timeline.end()};
  for (const ComputationPiece& piece : timeline.pieces(0))
    if (piece.call_path != kNoCallPath) life.pieces.push_back(piece);
  life.samples.assign(timeline.samples(0).begin(), timeline.samples(0).end());
  return life;
}

void JoinedThreads::find_totals() {
  Kinds all;
  for (const auto& [number, thread] : threads_)
    if (thread.timeline == nullptr) all[{thread.rank, thread.started_by}].add(*thread.life);
  for (const auto& [info, timeline] : trace_.workers_)
    if (timeline.lives_.empty()) all[{info.rank, kNoCallPath}].add(whole_life(timeline));
  std::map<CallPathId, std::vector<Work>> of_ranks;
  for (const auto& [key, kind] : all) {
    totals_[key] = with_samples(kind.exact, kind.sampled, kind.time);
    of_ranks[key.second].push_back(totals_[key]);
  }
  for (const auto& [started_by, works] : of_ranks) usual_totals_[started_by] = usual_of_ranks(works);
}

// The median over the ranks.
JoinedThreads::Work JoinedThreads::usual_of_ranks(const std::vector<Work>& of_ranks) {
  std::map<Part, std::vector<double>> times;
  for (const Work& work : of_ranks)
    for (const auto& [part, time] : work) times[part].push_back(time);
  Work usual;
  for (auto& [part, each] : times) {
    each.resize(of_ranks.size());  // others did nothing of it
    usual[part] = usual_of(each);
  }
  return usual;
}

// Of one thread.
JoinedThreads::Work JoinedThreads::usual_work(CallPathId started_by) const {
  std::vector<Work> of_ranks;
  for (const auto& [key, kind] : kinds_) {
    if (key.second != started_by) continue;
    Work work = with_samples(kind.exact, kind.sampled, kind.time);
    for (auto& [part, time] : work) time /= kind.lives;
    of_ranks.push_back(std::move(work));
  }
  return usual_of_ranks(of_ranks);
}

// Of std::thread, whose constructor may be several frames of the C++ library.
CallPathId JoinedThreads::starter_of(const Thread& thread) const {
  constexpr std::string_view kHeaders = "/include/c++/";
  CallPathId path = thread.started_by;
  while (path != kNoCallPath && trace_.region(path).file.find(kHeaders) != std::string::npos)
    path = trace_.call_paths_[index(path)].parent;
  return path == kNoCallPath ? thread.started_by : path;
}

// Less than its time, if that is not known. Of a run without samples, all that it computed is its first function's; where
// that is the one of std::thread, whose name tells nothing, of the function that started the thread.
JoinedThreads::Work JoinedThreads::work_of(const Thread& thread) const {
  Kind own;
  own.add(*thread.life);
  const Duration length = thread.life->end - thread.life->begin;
  const bool few = sum_of(own.sampled) < kEnoughOfOneThread;
  Work work = with_samples(std::move(own.exact),
                           few ? kinds_.at(thread.kind).sampled_in_about(length) : own.sampled, own.time);
  const CallPathId first = thread.life->function;
  const bool nameless = first == kNoCallPath || trace_.region(first).name.ends_with("_M_run");
  const CallPathId function = nameless ? starter_of(thread) : first;
  const auto sampling = trace_.facts_.properties.find(waitprof::schema::kSampling);
  const bool unsampled = sampling != trace_.facts_.properties.end() && sampling->second == "off";
  const double rest = own.time - sum_of(work);
  if (unsampled && rest > 0 && function != kNoCallPath) work[{function, true}] += rest;
  return work;
}

// Stretches up to a wake are not alike: where others are not waited for, theirs are longer. So all of them are compared
// with all of them.
JoinedThreads::Work JoinedThreads::longer_than_usual(const Thread& thread, const Work& work) const {
  const auto total = totals_.find({thread.rank, thread.started_by});
  const bool in_total = thread.wakes && thread.timeline == nullptr && total != totals_.end();
  const Work& usual = in_total ? usual_totals_.at(thread.started_by) : usual_.at(thread.kind.second);
  const auto of = [](const Work& times, const Part& part) {
    const auto known = times.find(part);
    return known != times.end() ? known->second : 0;
  };
  Work longer;
  for (const auto& [part, time] : work) {
    const double all = in_total ? of(total->second, part) : time;
    longer[part] = all > 0 ? time * std::max(0.0, 1 - of(usual, part) / all) : 0;
  }
  return longer;
}

// What took the thread longer than is usual comes first, then the rest in proportion. As far as other ranks do not wait
// for the rest, not even for a part of it, what is as long as usual comes before it: else the waits would make a
// difference in what makes none.
JoinedThreads::Work JoinedThreads::share_of_wait(const Thread& thread, Duration wait,
                                                 double as_others) const {
  Work work = work_of(thread), longer = longer_than_usual(thread, work);
  const double time = nanoseconds(wait), all = sum_of(work), more = sum_of(longer);
  const double of_longer = more > 0 ? std::min(1.0, time / more) : 0;
  const double rest = std::clamp(time - more, 0.0, std::max(0.0, all - more));
  double as_usual = 0;
  const auto usual_part = [&](const Part& part, double share) {
    return share > 0 ? (share - longer[part]) * (share - longer[part]) / share : 0;
  };
  for (const auto& [part, share] : work) as_usual += usual_part(part, share);
  for (auto& [part, share] : work) {
    const double alike = all > more ? (share - longer[part]) / (all - more) : 0;
    const double usual = as_usual > 0 ? usual_part(part, share) / as_usual : 0;
    share = of_longer * longer[part] + rest * (as_others * alike + (1 - as_others) * usual);
  }
  return work;
}

std::pair<Rank, CallPathId> JoinedThreads::kind_of(Rank rank, const ThreadJoin& join) const {
  return {rank, trace_.without_sites(join.blocked)};
}

// All waits for one thread between two calls are one.
JoinedThreads::TimeByGap JoinedThreads::by_gap(const std::vector<Wait>& waits) {
  TimeByGap times;
  for (const Wait& wait : waits) times[{wait.join->gap, wait.thread}] += wait.time;
  return times;
}

// Of what a rank waits for that did not take longer than is usual, as much as other ranks wait altogether.
void JoinedThreads::compare_waits(const std::vector<std::vector<Wait>>& waits) {
  std::map<CallPathId, std::vector<double>> waited;  // by rank
  std::map<std::pair<Rank, CallPathId>, double> rest;
  for (std::size_t l = 0; l < waits.size(); ++l) {
    const Rank rank = trace_.locations_[l].rank;
    TimeByGap times = by_gap(waits[l]);
    for (const Wait& wait : waits[l]) {
      if (wait.join->op != kNoOp) continue;
      const auto kind = kind_of(rank, *wait.join);
      auto& of_ranks = waited[kind.second];
      of_ranks.resize(trace_.ranks());
      of_ranks[index(rank)] += nanoseconds(wait.time);
      const double all = nanoseconds(times[{wait.join->gap, wait.thread}]);
      const double more = sum_of(longer_than_usual(*wait.thread, work_of(*wait.thread)));
      rest[kind] += nanoseconds(wait.time) * std::max(0.0, 1 - more / all);
    }
  }
  for (const auto& [kind, time] : rest) {
    std::vector<double> of_ranks = waited[kind.second];
    as_others_[kind] = time > 0 ? std::min(1.0, usual_of(of_ranks) / time) : 1;
  }
}

}  // namespace waitdiag
