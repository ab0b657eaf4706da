// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/call_loops.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

// A run of calls: one call, or a body that is repeated.
struct Stretch {
  std::uint32_t first = 0, length = 0;  // calls of one iteration
  std::uint32_t count = 1;
  std::uint32_t kind = 0;  // stretches of one kind make the same calls
  std::vector<Stretch> body{};
  std::uint32_t calls() const { return length * count; }
};

// Folds repetitions from the inside out: whenever the last stretches equal those before them, they form a
// loop (as ScalaTrace's regular section descriptors, Noeth et al. 2009).
class Folding {
 public:
  std::vector<Stretch> run(const std::vector<std::uint32_t>& calls) {
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      stretches_.push_back({.first = i, .length = 1, .kind = 2 * calls[i]});
      do {
        while (fold_last()) {
        }
      } while (skip_iterations(calls, i));
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
  // If the last stretch is a loop, adds the iterations that follow call `last` too, and moves `last` to their
  // end.
  bool skip_iterations(const std::vector<std::uint32_t>& calls, std::uint32_t& last) {
    Stretch& loop = stretches_.back();
    if (loop.count == 1) return false;
    const auto length = static_cast<std::ptrdiff_t>(loop.length);
    auto at = calls.begin() + last + 1;
    while (calls.end() - at >= length && std::equal(at, at + length, at - length)) at += length;
    const auto end = static_cast<std::uint32_t>(at - calls.begin()) - 1;
    if (end == last) return false;
    loop.count += (end - last) / loop.length;
    last = end;
    name(loop);
    return true;
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
  void grow(Stretch& loop) {
    ++loop.count;
    name(loop);
  }
  // Its kind depends on the count and the kinds of its body; the kinds of calls are even numbers.
  void name(Stretch& loop) {
    std::vector<std::uint32_t> key = {loop.count};
    for (const Stretch& part : loop.body) key.push_back(part.kind);
    loop.kind = 2 * kinds_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size())).first->second + 1;
  }

  std::vector<Stretch> stretches_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> kinds_;
};

// Calls at the same place of every iteration get one group.
class Grouping {
 public:
  Grouping(CallLoops& sequence, std::size_t calls, SingleCalls single)
      : sequence_(sequence), single_(single) {
    sequence_.groups.assign(calls, 0);
    sequence_.group_count = 0;
    sequence_.loops.clear();
  }
  LoopsByCount run(const std::vector<Stretch>& stretches) {
    for (const Stretch& one : stretches) walk(one, one.first);
    LoopsByCount by_count;
    for (const CallLoop& loop : loops_) by_count[loop.count].push_back(loop);
    double best = 0;
    for (auto& [count, loops] : by_count) {
      leave_out_inner(loops);
      if (calls_saved(loops) <= best) continue;
      best = calls_saved(loops);
      sequence_.loops = loops;
    }
    return by_count;
  }

 private:
  static void leave_out_inner(std::vector<CallLoop>& loops) {
    std::sort(loops.begin(), loops.end(), [](const CallLoop& a, const CallLoop& b) {
      return std::pair(a.first, b.length) < std::pair(b.first, a.length);  // outer ones first
    });
    std::uint32_t end = 0;
    std::erase_if(loops, [&end](const CallLoop& loop) {
      if (loop.first < end) return true;
      end = loop.first + loop.length * loop.count;
      return false;
    });
  }

  // `at`: where it begins; it may be in another iteration than the one it was found in.
  void walk(const Stretch& stretch, std::uint32_t at) {
    if (stretch.body.empty()) {
      sequence_.groups[at] = sequence_.group_count++;
      return;
    }
    const bool one_kind = stretch.body.size() == 1 && stretch.body.front().body.empty();
    if (one_kind && single_ == SingleCalls::AreNoLoop) {
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

  CallLoops& sequence_;
  SingleCalls single_;
  std::vector<CallLoop> loops_;
};

}  // namespace

LoopsByCount find_loops(const std::vector<std::uint32_t>& keys, CallLoops& found, SingleCalls single) {
  return Grouping(found, keys.size(), single).run(Folding().run(keys));
}

std::vector<std::uint32_t> last_loop_calls(const std::vector<CallLoop>& loops, std::uint32_t iterations) {
  std::vector<std::uint32_t> last;
  std::uint32_t left_out = 0;
  for (const CallLoop& loop : loops) {
    last.push_back(loop.first + iterations * loop.length - left_out - 1);
    left_out += (loop.count - iterations) * loop.length;
  }
  return last;
}

double calls_saved(const std::vector<CallLoop>& loops) {
  constexpr double kEnough = 8;
  double calls = 0;
  for (const CallLoop& loop : loops)
    calls += loop.length * std::max(0.0, static_cast<double>(loop.count) - kEnough);
  return calls;
}

}  // namespace waitdiag
