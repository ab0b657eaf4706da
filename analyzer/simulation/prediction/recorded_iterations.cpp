// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/recorded_iterations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analyzer/trace/derived/shortened.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

// What each call of a location did, as a 64-bit hash: it differs if calls did different things (except with a
// chance of one in 10^19 for any two calls).
class CallHashes {
 public:
  CallHashes(const Trace& trace, const Timeline& timeline) : of_(timeline.size(), 0) {
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      add(op, 1, index(trace.without_sites(timeline.call_path(op))));
    for (const MessageEnd& end : timeline.sends()) add_end(2, end);
    for (const MessageEnd& end : timeline.receives()) add_end(3, end);
    for (const CollectivePart& part : timeline.collectives())
      add(part.op, 4, part.kind == CollectiveKind::FileCall ? kAnyFile : index(part.comm),
          static_cast<std::uint64_t>(part.root), part.sent, part.received,
          static_cast<std::uint64_t>(part.kind), index(part.peers), span(part.op, part.completed));
    for (const RmaRecord& record : timeline.rma())
      add(record.op, 5, static_cast<std::uint64_t>(record.what), record.bytes, record.returned,
          index(record.window), static_cast<std::uint64_t>(record.target), index(record.group),
          record.exclusive ? 1 : 0);
    for (const FileAccess& access : timeline.file_accesses()) add(access.op, 6, access.bytes);
  }
  const std::vector<std::uint64_t>& all() const { return of_; }
  bool odd() const { return odd_; }  // a record belongs to no call

 private:
  static std::uint64_t mixed(std::uint64_t value) {  // splitmix64 (Steele et al. 2014)
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }
  template <typename... Values>
  void add(std::uint32_t op, Values... values) {
    if (op >= of_.size()) {
      odd_ = true;
      return;
    }
    ((of_[op] = mixed(of_[op] ^ static_cast<std::uint64_t>(values))), ...);
  }
  void add_end(int side, const MessageEnd& end) {
    add(end.posted, side, static_cast<std::uint64_t>(end.peer), end.tag, index(end.comm), end.bytes,
        span(end.posted, end.completed), end.cancelled ? 1 : 0);
  }
  static constexpr std::uint32_t kAnyFile = 0;  // a file gets another communicator each time it is opened
  // The number of calls from the one that starts to the one that completes.
  static std::uint64_t span(std::uint32_t started, std::uint32_t completed) {
    return completed == kNoOp ? kNoOp : completed - started;
  }

  std::vector<std::uint64_t> of_;
  bool odd_ = false;
};

// By call: does it involve other processes, so that its time is simulated? Other calls take as long as
// recorded.
std::vector<bool> calls_with_others(const Timeline& timeline) {
  std::vector<bool> with_others(timeline.size(), false);
  const auto mark = [&](std::uint32_t op) {
    if (op != kNoOp) with_others[op] = true;
  };
  for (const auto* ends : {&timeline.sends(), &timeline.receives()})
    for (const MessageEnd& end : *ends) {
      mark(end.posted);
      mark(end.completed);
    }
  for (const CollectivePart& part : timeline.collectives()) {
    mark(part.op);
    mark(part.completed);
  }
  for (const RmaRecord& record : timeline.rma()) mark(record.op);
  return with_others;
}

std::vector<std::uint32_t> numbered(const std::vector<std::uint64_t>& hashes) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  keys.reserve(hashes.size());
  for (const std::uint64_t one : hashes)
    keys.push_back(numbers.try_emplace(one, static_cast<std::uint32_t>(numbers.size())).first->second);
  return keys;
}

// Every call still has the partners that it had.
bool complete(const Trace& trace) {
  static constexpr std::array<std::string_view, 5> kTorn{"unmatched_sends", "unmatched_receives",
                                                         "collective_mismatch", "incomplete_collectives",
                                                         "rma_epochs_unmatched"};
  const SyncPoints sync = match(trace);
  for (const Anomaly& anomaly : sync.anomalies.all())
    if (anomaly.count > 0 && std::ranges::find(kTorn, anomaly.id) != kTorn.end()) return false;
  return true;
}

}  // namespace

RecordedIterations::RecordedIterations(const Trace& trace) : trace_(trace), loops_(trace.timelines().size()) {
  std::vector<LoopsByCount> found(loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const CallHashes hashes(trace, trace.timelines()[l]);
    if (hashes.odd()) return;
    CallLoops groups;
    found[l] = find_loops(numbered(hashes.all()), groups, SingleCalls::AreALoop);
  }
  choose_loops(found);
  if (iterations_ == 1) return;
  add_times();
  if (!complete(shortened(1))) iterations_ = 1;
}

// Chooses the number of iterations that saves most calls from being replayed.
void RecordedIterations::choose_loops(const std::vector<LoopsByCount>& found) {
  std::map<std::uint32_t, double> saved;
  for (const LoopsByCount& of_location : found)
    for (const auto& [count, loops] : of_location) saved[count] += calls_saved(loops);
  double best = 0;
  for (const auto& [count, calls] : saved) {
    if (calls <= best) continue;
    best = calls;
    iterations_ = count;
  }
  for (std::size_t l = 0; l < found.size(); ++l)
    if (const auto with = found[l].find(iterations_); iterations_ > 1 && with != found[l].end())
      loops_[l] = with->second;
}

void RecordedIterations::add_times() {
  std::size_t most = 0;
  for (const auto& loops : loops_) most = std::max(most, loops.size());
  times_.resize(most);
  for (Loop& loop : times_) loop.until.resize(loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    if (loops_[l].empty()) continue;
    const Timeline& timeline = trace_.timelines()[l];
    const std::vector<bool> with_others = calls_with_others(timeline);
    for (std::size_t i = 0; i < loops_[l].size(); ++i) {
      const CallLoop& loop = loops_[l][i];
      double sum = 0;
      for (std::uint32_t call = 0; call < loop.length * loop.count; ++call) {
        const std::uint32_t op = loop.first + call;
        sum += static_cast<double>((timeline.gap_end(op) - timeline.gap_begin(op)).count());
        if (!with_others[op]) sum += static_cast<double>(timeline.length(op).count());
        if ((call + 1) % loop.length == 0) times_[i].until[l].push_back(sum);
      }
    }
  }
}

Trace RecordedIterations::shortened(std::uint32_t iterations) {
  std::vector<std::vector<CallRange>> left_out(loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l)
    for (const CallLoop& loop : loops_[l])
      left_out[l].push_back({loop.first + iterations * loop.length, loop.first + loop.count * loop.length});
  return without_calls(trace_, left_out);
}

LoopCalls RecordedIterations::last_calls(std::uint32_t iterations) const {
  LoopCalls last;
  for (const std::vector<CallLoop>& loops : loops_) last.push_back(last_loop_calls(loops, iterations));
  return last;
}

double RecordedIterations::difference(std::uint32_t iterations, std::uint32_t period) const {
  double most = 0, all = 0;
  for (const Loop& loop : times_) {
    for (std::uint32_t from = iterations; from < iterations_; from += period) {
      const std::uint32_t to = std::min(from + period, iterations_);
      double largest = 0, longest = 0;
      for (const std::vector<double>& until : loop.until) {
        if (until.empty()) continue;
        const std::uint32_t like = kMeasuredPeriods * period;  // those whose increments are extrapolated
        const double before = iterations > like ? until[iterations - like - 1] : 0;
        const double expected = (until[iterations - 1] - before) / like * (to - from);
        const double real = until[to - 1] - until[from - 1];
        largest = std::max(largest, std::abs(real - expected));
        longest = std::max(longest, real);
      }
      most += largest;
      all += longest;
    }
  }
  return all > 0 ? most / all : 0;
}

}  // namespace waitdiag
