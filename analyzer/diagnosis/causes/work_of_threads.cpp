// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/work_of_threads.hpp"

#include <algorithm>
#include <tuple>

namespace waitdiag {
namespace {

constexpr std::uint32_t kMostCallsMeanwhile = 256;  // that are looked at, the last ones
constexpr std::ptrdiff_t kMostThreadWaits = 64;     // of an interval, the last ones

bool waits_for_thread(const Trace& trace, CallPathId call) {
  const Region& region = trace.region(call);
  return region.kind == CallKind::ThreadSync && region.library;
}

double overlap(Time begin, Time end, Time from, Time to) {
  return static_cast<double>((std::min(end, to) - std::max(begin, from)).count());
}

}  // namespace

WorkOfThreads::Times WorkOfThreads::longer_than(const WorkOfThreads& other) const {
  std::map<std::size_t, double> others;  // by slot
  for (const auto& [where, time] : other.ran) others[where.first] += time;
  Times longer = ran;
  for (const Location thread : threads)
    for (auto& [slot, left] : others)
      if (const auto own = longer.find({slot, thread}); own != longer.end()) {
        const double alike = std::min(own->second, left);
        own->second -= alike;
        left -= alike;
      }
  return longer;
}

ThreadStretches::ThreadStretches(const Trace& trace, const WaitStates& states, const Activities& activities,
                                 std::span<const ThreadNeed> needs)
    : trace_(trace), states_(states), activities_(activities) {
  for (const ThreadNeed& need : needs)
    if (waits_for_thread(trace, trace.call_path(need.call))) needs_.push_back(need);
  // Of several that one call joined, because the others had ended before, it waited for the last one.
  std::ranges::sort(needs_, [&](const ThreadNeed& a, const ThreadNeed& b) {
    return std::tuple(a.call, trace.enter(b.on), b.on) < std::tuple(b.call, trace.enter(a.on), a.on);
  });
  const auto same_call = [](const ThreadNeed& a, const ThreadNeed& b) { return a.call == b.call; };
  needs_.erase(std::unique(needs_.begin(), needs_.end(), same_call), needs_.end());
}

bool ThreadStretches::is_one(CallPathId call) const {
  return !needs_.empty() && call != kNoCallPath && waits_for_thread(trace_, call);
}

WorkOfThreads ThreadStretches::behind(CallPathId call, Location location, std::uint32_t first,
                                      std::uint32_t last) const {
  WorkOfThreads work;
  const auto begin = std::ranges::lower_bound(needs_, OpRef{location, first}, {}, &ThreadNeed::call);
  const auto end = std::ranges::lower_bound(needs_, OpRef{location, last}, {}, &ThreadNeed::call);
  for (auto need = end - std::min(kMostThreadWaits, end - begin); need < end; ++need)
    if (activities_.slot(trace_.call_path(need->call)) == activities_.slot(call)) {
      add(need->call, need->on, work);
      std::erase(work.threads, need->on.location);
      work.threads.push_back(need->on.location);
    }
  return work;
}

void ThreadStretches::add(OpRef call, OpRef on, WorkOfThreads& work) const {
  const Time begin = trace_.enter(call), end = std::min(trace_.leave(call), trace_.enter(on));
  const Timeline& timeline = trace_.timeline(on.location);
  for (std::uint32_t op = on.op; end > begin && on.op - op < kMostCallsMeanwhile; --op) {
    if (op != on.op) add_call({on.location, op}, begin, end, work);
    if (timeline.gap_end(op) <= begin) break;
    add_gap(on.location, op, begin, end, work);
    if (op == 0) break;
  }
}

void ThreadStretches::add_gap(Location location, std::uint32_t gap, Time begin, Time end,
                              WorkOfThreads& work) const {
  const Timeline& timeline = trace_.timeline(location);
  const Time from = timeline.gap_begin(gap), to = timeline.gap_end(gap);
  const double inside = overlap(from, to, begin, end);
  if (inside <= 0) return;
  const double part = inside / static_cast<double>((to - from).count());
  activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
    const double nanoseconds = part * static_cast<double>(time.count());
    if (activities_.is_exact(activity)) {
      work.ran[{index(activity), location}] += nanoseconds;
      return;
    }
    for (const Share& share : activities_.shares(activity))
      work.ran[{activities_.slot(share.call_path), location}] += nanoseconds * share.share();
  });
}

// What of a call is no wait is its own time.
void ThreadStretches::add_call(OpRef call, Time begin, Time end, WorkOfThreads& work) const {
  const Time enter = trace_.enter(call), leave = trace_.leave(call);
  double inside = overlap(enter, leave, begin, end);
  if (inside <= 0) return;
  const auto waits = states_.waits_of(call.location);
  auto wait =
      std::ranges::lower_bound(waits, call.op, {}, [](const WaitState& one) { return one.victim.op; });
  for (; wait != waits.end() && wait->victim.op == call.op; ++wait) {
    const double meanwhile = std::min(inside, overlap(enter, enter + wait->wait, begin, end));
    if (meanwhile <= 0) continue;
    work.waits.push_back(
        {static_cast<std::uint32_t>(&*wait - states_.waits.data()), call.location, meanwhile});
    work.waited += meanwhile;
    inside -= meanwhile;
  }
  if (inside > 0 && trace_.region(trace_.call_path(call)).mpi())
    work.ran[{activities_.slot(trace_.call_path(call)), call.location}] += inside;
}

}  // namespace waitdiag
