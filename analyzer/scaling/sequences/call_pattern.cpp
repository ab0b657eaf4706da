// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/call_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <set>
#include <span>

#include "analyzer/scaling/sequences/optional_calls.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kAnything = Ways::kAnything, kUnchanged = 1;

// Partners so many ranks on in each turn, as many as there are ranks that share the others.
constexpr std::array kStrides = {2, 3, 4, 8};
constexpr std::uint32_t kAnyStride = 0b11111u << 18;  // the next rank, or so many ranks on
constexpr std::uint32_t kFirstTree = 1u << 23;        // of one bit for each of kTrees
constexpr std::uint32_t kAnyTree = 0b111u << 23;

// How far the next partner of a tree's root is, level by level; 0: there is none so far away.
int next_in_tree(int of, int distance) {
  int level = 1;
  while (distance >= of * level) level *= of;
  return distance == 0 || distance % level != 0 ? 0 : distance + level;
}

// How one partner may follow another, in bits: each way of counting the distance, each way of continuing.
std::uint32_t ways_on(int rank, int peer, int next_rank, int next, int ranks) {
  if (peer == DescribedCall::kNoRank && next == DescribedCall::kNoRank) return kAnything;
  if (peer == DescribedCall::kNoRank || next == DescribedCall::kNoRank) return 0;
  std::uint32_t ways = peer == next ? 1 : 0;
  std::uint32_t bit = 2;
  const auto add = [&](bool holds) {
    if (holds) ways |= bit;
    bit *= 2;
  };
  const auto add_all = [&](int from, int to) {
    add(to == from);
    add(to == 2 * from);
    add(from == 2 * to);
    add(to == from + 1);
    add(from == to + 1);
  };
  const auto around = [ranks](int distance) { return (distance % ranks + ranks) % ranks; };
  add_all(rank ^ peer, next_rank ^ next);
  add_all(around(peer - rank), around(next - next_rank));
  add_all(around(rank - peer), around(next_rank - next));
  // Whichever way: at an end of the ranks there is a partner on one side only.
  const int near = std::abs(peer - rank), far = std::abs(next - next_rank);
  add(far == 2 * near);
  add(near == 2 * far);
  add(next == peer + 1 || (peer + 1 == rank && next == peer + 2));
  for (const int stride : kStrides) add(next == peer + stride);
  for (const TreeOf& tree : kTrees) add(far == next_in_tree(tree.ranks, near));
  return ways;
}

// Blocks are about equally large in each turn, or twice, or half as large.
std::uint32_t bytes_on(std::uint64_t bytes, std::uint64_t next) {
  constexpr double kAbout = 1.25;
  const auto about = [](double a, double b) { return a <= kAbout * b && b <= kAbout * a; };
  const auto from = static_cast<double>(bytes), to = static_cast<double>(next);
  return (about(from, to) ? 1u : 0) | (about(2 * from, to) ? 2u : 0) | (about(from, 2 * to) ? 4u : 0);
}

std::uint32_t members_on(std::uint32_t members, std::uint32_t next) {
  if (members == 0 && next == 0) return kAnything;
  return (members == next ? kUnchanged : 0) | (next == 2 * members ? 2u : 0) | (members == 2 * next ? 4u : 0);
}

Ways ways_on(const DescribedCall& call, const DescribedCall& next, int ranks, SameCall same) {
  if (call.name != next.name || (call.has_peer() && next.has_peer() && call.tag != next.tag) ||
      (same == SameCall::Direction && other_way(call, next)))
    return {0, 0, 0, 0};
  Ways ways{ways_on(call.rank, call.to, next.rank, next.to, ranks),
            ways_on(call.rank, call.from, next.rank, next.from, ranks), bytes_on(call.bytes, next.bytes),
            members_on(call.members, next.members)};
  const DescribedCall::InCommunicator &in = call.inside, &next_in = next.inside;
  if (in.ranks > 0 && in.ranks == next_in.ranks && in.rank == next_in.rank) {
    ways.to |= ways_on(in.rank, in.to, next_in.rank, next_in.to, in.ranks);
    ways.from |= ways_on(in.rank, in.from, next_in.rank, next_in.from, in.ranks);
  }
  return ways;
}

// Loops with ever longer bodies, where no shorter one was found; first those whose partners change from turn to
// turn, last those without any, and many turns before two.
class PatternSearch {
 public:
  PatternSearch(const std::vector<DescribedCall>& calls, int ranks, const Alignment& alignment)
      : calls_(calls), ranks_(ranks), alignment_(alignment) {
    for (std::uint32_t i = 0; i < calls.size(); ++i) parts_.push_back({.first = i});
  }
  // Ranks that go through a part of a loop only make the same calls as others once, with other turns: where they
  // may, loops of equal partners would take several loops for one.
  CallPattern run() {
    constexpr std::uint32_t kLongestBody = 16, kSure = 3, kFewest = 2;
    const std::size_t kinds = alignment_.loops >= LoopsOf::PartialTurns ? 1 : kAllPartners.size();
    for (const Partners partners : std::span(kAllPartners).first(kinds))
      for (const std::uint32_t least : {kSure, kFewest})
        for (std::uint32_t length = 1; length <= kLongestBody; ++length) fold(length, least, partners);
    return std::move(parts_);
  }

 private:
  enum class Partners : std::uint8_t { Change, Stay, None };
  static constexpr std::array kAllPartners = {Partners::Change, Partners::Stay, Partners::None};
  static Partners partners_of(const PatternPart& loop) {
    Partners partners = Partners::None;
    for (const Ways& ways : loop.ways) {
      if ((ways.to & ways.from & ways.members & kUnchanged) == 0) return Partners::Change;
      if (ways.to != kAnything || ways.from != kAnything) partners = Partners::Stay;
    }
    return partners;
  }
  void fold(std::uint32_t length, std::uint32_t least, Partners partners) {
    CallPattern folded;
    for (std::size_t i = 0; i < parts_.size();) {
      const std::optional<PatternPart> loop = loop_at(i, length);
      if (loop && loop->turns >= least && likely(*loop) && partners_of(*loop) == partners &&
          of_whole_turns(*loop)) {
        folded.push_back(*loop);
        i += loop->calls();
      } else {
        folded.push_back(std::move(parts_[i++]));
      }
    }
    parts_ = std::move(folded);
  }
  // Where turns may lack calls, the end of one and the begin of the next look like a turn.
  bool of_whole_turns(const PatternPart& loop) const {
    if (alignment_.loops != LoopsOf::OptionalCalls) return true;
    for (std::uint32_t turn = 0; turn < loop.turns; ++turn)
      if (!is_whole_turn(std::span(calls_).subspan(loop.first + turn * loop.length, loop.length)))
        return false;
    return true;
  }
  std::optional<PatternPart> loop_at(std::size_t at, std::uint32_t length) const {
    std::size_t plain = 0;
    while (at + plain < parts_.size() && !parts_[at + plain].loop()) ++plain;
    if (plain < 2 * length) return std::nullopt;
    if (alignment_.first_apart && calls_[parts_[at].first].computed == 0 &&
        calls_[parts_[at].first + length].computed != 0)
      return std::nullopt;
    PatternPart loop{.first = parts_[at].first, .length = length};
    loop.ways.assign(length, Ways{});
    for (; (loop.turns + 1) * length <= plain; ++loop.turns) {
      const std::uint32_t turn = loop.first + loop.turns * length;
      PatternPart longer = loop;
      for (std::uint32_t i = 0; i < length; ++i) {
        Ways& ways = longer.ways[i];
        ways = ways & ways_on(calls_[turn + i - length], calls_[turn + i], ranks_, alignment_.same);
        // What is computed before the loop does not belong to the turns.
        const std::uint32_t like = i == 0 ? loop.first + length : loop.first + i;
        if (!ways.any() || calls_[turn + i].computed != calls_[like].computed) return loop;
      }
      loop = std::move(longer);
    }
    return loop;
  }
  // Two turns with partners some ranks apart are any two neighbours.
  bool likely(const PatternPart& loop) const {
    return in_likely_communicators(loop) &&
           (loop.turns > 2 || std::ranges::all_of(loop.ways, [](const Ways& ways) {
              return (ways.to & ~kAnyStride & ~kAnyTree) != 0 && (ways.from & ~kAnyStride & ~kAnyTree) != 0;
            }));
  }
  // Operations of one communicator, or of another one in each turn; two of these are any two, such as those of a row and of a
  // column of ranks.
  bool in_likely_communicators(const PatternPart& loop) const {
    for (std::uint32_t i = 0; i < loop.length; ++i) {
      std::set<CommId> comms;
      for (std::uint32_t turn = 0; turn < loop.turns; ++turn)
        comms.insert(calls_[loop.first + turn * loop.length + i].comm);
      if (comms.size() > 1 && (loop.turns == 2 || comms.size() < loop.turns)) return false;
    }
    return true;
  }

  const std::vector<DescribedCall>& calls_;
  int ranks_;
  const Alignment& alignment_;
  CallPattern parts_;
};

// The longest way through a table of parts and calls, from the last ones on.
class Following {
 public:
  Following(const CallPattern& pattern, const std::vector<DescribedCall>& pattern_calls,
            const std::vector<DescribedCall>& calls, int ranks, const Alignment& alignment)
      : pattern_(pattern),
        pattern_calls_(pattern_calls),
        calls_(calls),
        ranks_(ranks),
        alignment_(alignment) {}

  std::optional<std::vector<PatternPlace>> run(std::size_t& work) {
    const std::size_t rows = calls_.size();
    std::vector<std::vector<std::uint32_t>> turns(pattern_.size());
    std::vector<int> behind(rows + 1, kImpossible), here(rows + 1);
    behind[rows] = 0;
    for (std::size_t part = pattern_.size(); part-- > 0; behind.swap(here)) {
      work += rows;
      turns[part].assign(rows + 1, 0);
      here = behind;  // the part is left out
      for (std::size_t i = 0; i < rows; ++i)
        try_turns(pattern_[part], i, behind, here[i], turns[part][i], work);
    }
    if (behind.front() < 0) return std::nullopt;
    std::vector<PatternPlace> places;
    for (std::uint32_t part = 0; part < pattern_.size(); ++part) {
      const std::uint32_t count = turns[part][places.size()];
      if (pattern_[part].optional) {
        add_optional(part, count, places);
        continue;
      }
      for (std::uint32_t turn = 0; turn < count; ++turn)
        for (std::uint32_t i = 0; i < pattern_[part].length; ++i)
          places.push_back({part, i, static_cast<int>(turn)});
    }
    return places;
  }

 private:
  static constexpr int kImpossible = std::numeric_limits<int>::min() / 2;

  void try_turns(const PatternPart& part, std::size_t from, const std::vector<int>& behind, int& best,
                 std::uint32_t& turns, std::size_t& work) const {
    if (part.optional) return try_optional(part, from, behind, best, turns, work);
    int likeness_so_far = 0;
    Ways so_far[kMostBody];
    for (std::uint32_t turn = 0; from + part.length <= calls_.size(); ++turn, from += part.length) {
      if (turn > 0 && !part.loop()) return;
      work += turn == 0 ? part.turns : 1;
      const int alike = turn == 0 ? alike_first(part, from, so_far) : alike_next(part, from, so_far);
      if (alike == 0) return;
      likeness_so_far += alike;
      const int total = likeness_so_far + behind[from + part.length];
      if (total < best) continue;
      best = total;
      turns = turn + 1;
    }
  }
  void try_optional(const PatternPart& part, std::size_t from, const std::vector<int>& behind, int& best,
                    std::uint32_t& turns, std::size_t& work) const {
    int likeness_so_far = 0;
    std::uint32_t count = 0;
    for (const OptionalTurn& turn : optional_turns(part, pattern_calls_, calls_, from, ranks_)) {
      from += turn.calls.size();
      work += turn.calls.size();
      ++count;
      likeness_so_far += kSureTurn * static_cast<int>(turn.calls.size());
      const int total = likeness_so_far + behind[from];
      if (total < best) continue;
      best = total;
      turns = count;
    }
  }
  void add_optional(std::uint32_t part, std::uint32_t count, std::vector<PatternPlace>& places) const {
    if (count == 0) return;
    const std::vector<OptionalTurn> turns =
        optional_turns(pattern_[part], pattern_calls_, calls_, places.size(), ranks_);
    for (std::uint32_t i = 0; i < count; ++i)
      for (const std::uint32_t call : turns[i].calls) places.push_back({part, call, turns[i].number});
  }
  int alike_first(const PatternPart& part, std::size_t from, Ways* so_far) const {
    const bool computes = pattern_calls_[part.first].computed != 0;
    if (alignment_.first_apart && part.loop() && computes && calls_[from].computed == 0) return 0;
    int sum = 0;
    for (std::uint32_t i = 0; i < part.length; ++i) {
      // A smaller run may have any of the turns of a loop.
      int alike = 0;
      for (std::uint32_t turn = 0; turn < part.turns; ++turn)
        alike = std::max(
            alike,
            likeness(calls_[from + i], pattern_calls_[part.first + turn * part.length + i], alignment_.same));
      if (alike == 0) return 0;
      sum += alike;
      if (part.loop()) so_far[i] = part.ways[i];
    }
    return sum;
  }
  // Another turn of a loop, whose partners have to continue as in the pattern.
  int alike_next(const PatternPart& part, std::size_t from, Ways* so_far) const {
    for (std::uint32_t i = 0; i < part.length; ++i) {
      so_far[i] =
          so_far[i] & ways_on(calls_[from + i - part.length], calls_[from + i], ranks_, alignment_.same);
      const DescribedCall& like = pattern_calls_[part.first + part.length + i];
      if (!so_far[i].any() || calls_[from + i].name != like.name ||
          calls_[from + i].computed != like.computed)
        return 0;
    }
    return kSureTurn * static_cast<int>(part.length);
  }

  static constexpr std::size_t kMostBody = 16;
  static constexpr int kSureTurn = 24;  // more than any likeness
  const CallPattern& pattern_;
  const std::vector<DescribedCall>&pattern_calls_, &calls_;
  int ranks_;
  const Alignment& alignment_;
};

}  // namespace

int PatternPart::tree() const {
  constexpr std::uint32_t kTwice = 0b11'00110'00110'00110'0, kTwiceAsMany = 0b110;
  const auto changes = [](std::uint32_t way, std::uint32_t twice) {
    return way != kAnything && (way & kUnchanged) == 0 && (way & twice) != 0;
  };
  if (std::ranges::any_of(ways, [&](const Ways& one) {
        return changes(one.to, kTwice) || changes(one.from, kTwice) || changes(one.members, kTwiceAsMany);
      }))
    return 2;
  // Few turns may as well be counted.
  const auto is_tree = [](std::uint32_t way, std::uint32_t bit) {
    return way != kAnything && (way & ~kAnyTree) == 0 && (way & bit) != 0;
  };
  for (std::size_t i = 0; i < kTrees.size(); ++i)
    if (std::ranges::any_of(ways, [&](const Ways& one) {
          return is_tree(one.to, kFirstTree << i) || is_tree(one.from, kFirstTree << i);
        }))
      return kTrees[i].ranks;
  return 0;
}

CallPattern find_pattern(const std::vector<DescribedCall>& calls, int ranks, const Alignment& alignment) {
  return PatternSearch(calls, ranks, alignment).run();
}

std::optional<std::vector<PatternPlace>> follow(const CallPattern& pattern,
                                                const std::vector<DescribedCall>& pattern_calls,
                                                const std::vector<DescribedCall>& calls, int ranks,
                                                const Alignment& alignment, std::size_t& work) {
  return Following(pattern, pattern_calls, calls, ranks, alignment).run(work);
}

}  // namespace waitdiag
