// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/optional_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <set>

namespace waitdiag {
namespace {

// A distance as an odd number of ranks, doubled so often.
struct Doubled {
  std::uint32_t odd = 0;
  int times = 0;
};

std::optional<Doubled> doubled(int distance) {
  if (distance <= 0) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(distance);
  const int times = std::countr_zero(number);
  return Doubled{number >> times, times};
}

// How far the partner is: among all ranks, or those of the communicator; 0: there is none.
int distance(const DescribedCall& call) {
  const auto between = [](int rank, int to, int from) {
    const int peer = to != DescribedCall::kNoRank ? to : from;
    return peer == DescribedCall::kNoRank ? 0 : std::abs(peer - rank);
  };
  const DescribedCall::InCommunicator& in = call.inside;
  return in.ranks > 0 ? between(in.rank, in.to, in.from) : between(call.rank, call.to, call.from);
}

int ranks_around(const DescribedCall& call, int ranks) {
  return call.inside.ranks > 0 ? call.inside.ranks : ranks;
}

// Reads one turn after the other.
class Turns {
 public:
  Turns(const PatternPart& loop, const std::vector<DescribedCall>& pattern_calls,
        const std::vector<DescribedCall>& calls, int ranks)
      : loop_(loop),
        pattern_calls_(pattern_calls),
        calls_(calls),
        ranks_(ranks),
        way_(doublings(loop, pattern_calls)) {}

  // Nothing: there is none from here on.
  std::optional<OptionalTurn> at(std::size_t from) {
    OptionalTurn turn;
    std::optional<int> number;
    for (std::uint32_t body = 0; from < calls_.size() && body < loop_.length; ++body) {
      const DescribedCall &call = calls_[from], &like = pattern_calls_[loop_.first + body];
      if (call.name != like.name || (like.has_peer() && !call.has_peer())) continue;
      if (call.has_peer()) {
        const std::optional<int> own = number_of(call, number);
        if (!own) break;
        number = own;
      }
      turn.calls.push_back(body);
      ++from;
    }
    if (turn.calls.empty()) return std::nullopt;
    if (number) {
      last_ = *number;
    } else if (last_ != kUnknown) {
      ++last_;  // a turn without partners
    }
    turn.number = last_;
    return turn;
  }
  static constexpr int kUnknown = INT32_MIN;

 private:
  // All partners of a turn are as far away, and farther, or nearer, than before.
  std::optional<int> number_of(const DescribedCall& call, const std::optional<int>& of_turn) {
    const int near = distance(call);
    for (const int by : {near, ranks_around(call, ranks_) - near}) {
      const std::optional<Doubled> doubled_by = doubled(by);
      if (!doubled_by || (odd_ != 0 && doubled_by->odd != odd_)) continue;
      const int number = way_ * doubled_by->times;
      if (of_turn ? number != *of_turn : number <= last_) continue;
      odd_ = doubled_by->odd;
      return number;
    }
    return std::nullopt;
  }

  const PatternPart& loop_;
  const std::vector<DescribedCall>&pattern_calls_, &calls_;
  int ranks_, way_;
  int last_ = kUnknown;
  std::uint32_t odd_ = 0;  // not known yet
};

std::set<std::uint32_t> names_of(const PatternPart& part, const std::vector<DescribedCall>& calls) {
  std::set<std::uint32_t> names;
  for (std::uint32_t i = 0; i < part.length; ++i) names.insert(calls[part.first + i].name);
  return names;
}

}  // namespace

bool is_whole_turn(std::span<const DescribedCall> turn) {
  return turn.front().has_peer() && std::ranges::all_of(turn, [&](const DescribedCall& call) {
           return !call.has_peer() || distance(call) == distance(turn.front());
         });
}

int doublings(const PatternPart& loop, const std::vector<DescribedCall>& pattern_calls) {
  if (!loop.loop()) return 0;
  for (std::uint32_t i = 0; i < loop.length; ++i) {
    const int first = distance(pattern_calls[loop.first + i]),
              second = distance(pattern_calls[loop.first + loop.length + i]);
    if (first > 0 && second == 2 * first) return 1;
    if (second > 0 && first == 2 * second) return -1;
  }
  return 0;
}

std::vector<OptionalTurn> optional_turns(const PatternPart& loop,
                                         const std::vector<DescribedCall>& pattern_calls,
                                         const std::vector<DescribedCall>& calls, std::size_t from,
                                         int ranks) {
  Turns next(loop, pattern_calls, calls, ranks);
  std::vector<OptionalTurn> turns;
  while (std::optional<OptionalTurn> turn = next.at(from)) {
    from += turn->calls.size();
    turns.push_back(std::move(*turn));
  }
  // Turns before the first partner.
  for (std::size_t i = turns.size(); i-- > 1;)
    if (turns[i - 1].number == Turns::kUnknown && turns[i].number != Turns::kUnknown)
      turns[i - 1].number = turns[i].number - 1;
  if (!turns.empty() && turns.front().number == Turns::kUnknown) turns.clear();
  return turns;
}

bool make_calls_optional(CallPattern& pattern, const std::vector<DescribedCall>& pattern_calls) {
  bool any = false;
  std::vector<bool> taken(pattern.size(), false);
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at].length < 2 || doublings(pattern[at], pattern_calls) == 0) continue;
    any = pattern[at].optional = true;
    const std::set<std::uint32_t> names = names_of(pattern[at], pattern_calls);
    const auto take = [&](std::size_t other) {
      const std::set<std::uint32_t> some = names_of(pattern[other], pattern_calls);
      if (pattern[other].length >= pattern[at].length || !std::ranges::includes(names, some)) return false;
      return bool(taken[other] = true);
    };
    for (std::size_t before = at; before > 0 && take(before - 1);) --before;
    for (std::size_t behind = at + 1; behind < pattern.size() && take(behind);) ++behind;
  }
  std::size_t which = 0;
  std::erase_if(pattern, [&](const PatternPart&) { return taken[which++]; });
  return any;
}

void number_turns(const CallPattern& pattern, const CallKinds& kinds,
                  std::vector<std::vector<PatternPlace>>& places) {
  for (const std::vector<std::size_t>& run : kinds.kind) {
    const std::set<std::size_t> of_run(run.begin(), run.end());
    std::map<std::uint32_t, int> first;  // by part
    for (const std::size_t kind : of_run)
      for (const PatternPlace& place : places[kind])
        if (pattern[place.part].optional) {
          int& least = first.try_emplace(place.part, place.turn).first->second;
          least = std::min(least, place.turn);
        }
    for (const std::size_t kind : of_run)
      for (PatternPlace& place : places[kind])
        if (const auto found = first.find(place.part); found != first.end()) place.turn -= found->second;
  }
}

}  // namespace waitdiag
