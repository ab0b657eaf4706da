// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rescaling/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Numbers for names, the same in all runs.
class CallNames {
 public:
  std::vector<std::uint32_t> of(const Trace& trace, Location location) {
    const Timeline& timeline = trace.timeline(location);
    std::vector<std::uint32_t> numbers;
    numbers.reserve(timeline.size());
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      numbers.push_back(number(trace, timeline.call_path(op)));
    return numbers;
  }
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::uint32_t number(const Trace& trace, CallPathId path) {
    const auto [known, is_new] = by_path_.try_emplace({&trace, path}, 0);
    if (is_new) {
      const auto [named, is_new_name] =
          by_name_.try_emplace(trace.call_path_name(path), static_cast<std::uint32_t>(names_.size()));
      if (is_new_name) names_.push_back(named->first);
      known->second = named->second;
    }
    return known->second;
  }
  std::map<std::pair<const Trace*, CallPathId>, std::uint32_t> by_path_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<std::string> names_;
};

[[noreturn]] void refuse_difference(const std::vector<SourceRun>& runs, const CallNames& names,
                                    const std::vector<std::uint32_t>& first,
                                    const std::vector<std::uint32_t>& other, std::size_t run,
                                    std::size_t rank) {
  const auto [a, b] = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto what = [&](const std::vector<std::uint32_t>& calls, auto at) {
    return at == calls.end() ? "is at its end" : "calls " + names.name(*at);
  };
  throw TraceError(fmt::format(
      "the runs do not align: at call {} rank {} of {} {}, but rank 0 of {} {} (only programs in which every "
      "rank makes the "
      "same calls, as many in every run, can be rescaled)",
      a - first.begin() + 1, rank, runs[run].name, what(other, b), runs.front().name, what(first, a)));
}

void check_rescalable(const Trace& trace, const std::string& name) {
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    if (trace.locations()[l].thread != 0 && timeline.size() > 0)
      throw TraceError(name + ": threads besides the main one make MPI calls: such a run cannot be rescaled");
    if (!timeline.rma().empty()) throw TraceError(name + ": one-sided communication cannot be rescaled");
  }
  if (!trace.facts().communication_complete)
    throw TraceError(name + " is incomplete (filtered, paused or cut off): record it again without limits");
}

// A run of calls: one call, or a body that is repeated.
struct Stretch {
  std::uint32_t first = 0, length = 0;  // calls of one iteration
  std::uint32_t count = 1;
  std::uint32_t kind = 0;  // stretches of one kind make the same calls
  std::vector<Stretch> body{};
  std::uint32_t calls() const { return length * count; }
};

// Folds repetitions from the inside out: whenever the last stretches equal those before them, they are one
// loop (as ScalaTrace's regular section descriptors, Noeth et al. 2009).
class Folding {
 public:
  std::vector<Stretch> run(const std::vector<std::uint32_t>& calls) {
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      stretches_.push_back({.first = i, .length = 1, .kind = kind_of({calls[i], 0, 1})});
      while (fold_last()) {
      }
    }
    return std::move(stretches_);
  }

 private:
  static constexpr std::size_t kLongestBody = 256;  // stretches

  bool fold_last() {
    const std::size_t size = stretches_.size();
    for (std::size_t width = 1; width <= std::min(kLongestBody, size - 1); ++width) {
      Stretch& before = stretches_[size - width - 1];
      if (before.count > 1 && same(before.body, size - width, width)) {
        stretches_.resize(size - width);
        grow(stretches_.back());
        return true;
      }
      if (2 * width <= size && same_kinds(size - 2 * width, size - width, width)) {
        fold_two(width);
        return true;
      }
    }
    return false;
  }
  bool same(const std::vector<Stretch>& body, std::size_t from, std::size_t width) const {
    if (body.size() != width) return false;
    for (std::size_t i = 0; i < width; ++i)
      if (body[i].kind != stretches_[from + i].kind) return false;
    return true;
  }
  bool same_kinds(std::size_t a, std::size_t b, std::size_t width) const {
    for (std::size_t i = 0; i < width; ++i)
      if (stretches_[a + i].kind != stretches_[b + i].kind) return false;
    return true;
  }
  void fold_two(std::size_t width) {
    const std::size_t start = stretches_.size() - 2 * width;
    Stretch loop{.first = stretches_[start].first, .count = 1};
    loop.body.assign(stretches_.begin() + static_cast<std::ptrdiff_t>(start),
                     stretches_.begin() + static_cast<std::ptrdiff_t>(start + width));
    for (const Stretch& part : loop.body) loop.length += part.calls();
    stretches_.resize(start);
    grow(loop);
    stretches_.push_back(std::move(loop));
  }
  // Its kind depends on the count and the kinds of its body.
  void grow(Stretch& loop) {
    ++loop.count;
    std::vector<std::uint32_t> key = {0, 1, loop.count};
    for (const Stretch& part : loop.body) key.push_back(part.kind);
    loop.kind = kind_of(key);
  }
  std::uint32_t kind_of(const std::vector<std::uint32_t>& key) {
    return kinds_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size())).first->second;
  }

  std::vector<Stretch> stretches_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> kinds_;
};

// Calls at the same place of every iteration get one group. A loop over one kind of call stays as it is: its
// iterations are neighbours or requests, not steps.
class Grouping {
 public:
  explicit Grouping(CallSequence& sequence) : sequence_(sequence) {
    sequence_.groups.assign(sequence_.names.size(), 0);
  }
  void run(const std::vector<Stretch>& stretches) {
    for (const Stretch& one : stretches) walk(one, one.first);
    std::map<std::uint32_t, std::vector<CallSequence::Loop>> by_count;
    for (const CallSequence::Loop& loop : loops_) by_count[loop.count].push_back(loop);
    double best = 0;
    for (auto& [count, loops] : by_count) {
      leave_out_inner(loops);
      if (saved(loops) <= best) continue;
      best = saved(loops);
      sequence_.loops = loops;
    }
  }

 private:
  static void leave_out_inner(std::vector<CallSequence::Loop>& loops) {
    std::sort(loops.begin(), loops.end(), [](const CallSequence::Loop& a, const CallSequence::Loop& b) {
      return std::pair(a.first, b.length) < std::pair(b.first, a.length);  // outer ones first
    });
    std::uint32_t end = 0;
    std::erase_if(loops, [&end](const CallSequence::Loop& loop) {
      if (loop.first < end) return true;
      end = loop.first + loop.length * loop.count;
      return false;
    });
  }
  // Calls that need not be simulated if a few iterations are enough.
  static double saved(const std::vector<CallSequence::Loop>& loops) {
    constexpr double kEnough = 8;
    double calls = 0;
    for (const CallSequence::Loop& loop : loops)
      calls += loop.length * std::max(0.0, static_cast<double>(loop.count) - kEnough);
    return calls;
  }

  // `at`: where it begins; it may be another iteration than the one it was found in.
  void walk(const Stretch& stretch, std::uint32_t at) {
    if (stretch.body.empty()) {
      sequence_.groups[at] = sequence_.group_count++;
      return;
    }
    const bool one_kind = stretch.body.size() == 1 && stretch.body.front().body.empty();
    if (one_kind) {
      for (std::uint32_t i = 0; i < stretch.count; ++i) walk(stretch.body.front(), at + i);
      return;
    }
    const std::size_t first_inner = loops_.size();
    std::uint32_t place = at;
    for (const Stretch& part : stretch.body) {
      walk(part, place);
      place += part.calls();
    }
    const std::size_t last_inner = loops_.size();
    for (std::uint32_t i = 1; i < stretch.count; ++i) {
      const std::uint32_t shift = i * stretch.length;
      for (std::uint32_t k = 0; k < stretch.length; ++k)
        sequence_.groups[at + shift + k] = sequence_.groups[at + k];
      for (std::size_t inner = first_inner; inner < last_inner; ++inner) {
        loops_.push_back(loops_[inner]);
        loops_.back().first += shift;
      }
    }
    loops_.push_back({at, stretch.length, stretch.count});
  }

  CallSequence& sequence_;
  std::vector<CallSequence::Loop> loops_;
};

}  // namespace

CallSequence align(const std::vector<SourceRun>& runs) {
  CallNames names;
  for (const SourceRun& run : runs) check_rescalable(*run.trace, run.name);
  const std::vector<std::uint32_t> first =
      names.of(*runs.front().trace, runs.front().trace->main_location(Rank(0)));
  if (first.empty())
    throw TraceError(runs.front().name + ": rank 0 makes no MPI call: there is nothing to rescale");
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (std::size_t rank = 0; rank < runs[run].trace->ranks(); ++rank) {
      const std::vector<std::uint32_t> other =
          names.of(*runs[run].trace, runs[run].trace->main_location(Rank(rank)));
      if (other != first) refuse_difference(runs, names, first, other, run, rank);
    }
  CallSequence sequence;
  for (const std::uint32_t call : first) sequence.names.push_back(names.name(call));
  return sequence;
}

void find_loops(const std::vector<std::uint32_t>& keys, CallSequence& sequence) {
  Grouping(sequence).run(Folding().run(keys));
}

}  // namespace waitdiag
