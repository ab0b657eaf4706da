// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/differing_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analyzer/scaling/sequences/call_pattern.hpp"
#include "analyzer/scaling/sequences/merged_calls.hpp"
#include "analyzer/scaling/sequences/optional_calls.hpp"
#include "analyzer/scaling/sequences/turn_counts.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// A pattern, and where the calls of every kind of rank are in it.
struct Followed {
  CallPattern pattern{};
  std::vector<DescribedCall> calls{};               // that it was found in
  std::vector<std::vector<PatternPlace>> places{};  // by kind
};

CallKinds describe(const std::vector<SourceRun>& runs, const CalledNames& called, const GridLaw* grid,
                   SameCall same) {
  CallDescriptions descriptions;
  CallKinds kinds;
  std::map<std::vector<decltype(DescribedCall().key())>, std::size_t> known;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    auto& of_run = kinds.kind.emplace_back();
    for (std::size_t rank = 0; rank < called[run].size(); ++rank) {
      std::vector<DescribedCall> calls = descriptions.of(*runs[run].trace, run, rank, called[run][rank]);
      if (grid != nullptr) look_at(grid->of_run[run], calls);
      if (same == SameCall::AnyPartner)
        for (DescribedCall& call : calls) call.forget_partners();
      std::vector<decltype(DescribedCall().key())> keys;
      keys.emplace_back(0, 0, 0, 0, run, 0, 0, false,
                        0);  // what counts as far depends on the number of ranks
      for (const DescribedCall& call : calls) keys.push_back(call.key());
      const auto [found, is_new] = known.try_emplace(std::move(keys), kinds.calls.size());
      if (is_new) kinds.calls.push_back(std::move(calls));
      of_run.push_back(found->second);
    }
  }
  return kinds;
}

// The largest run has all calls, and its busiest rank most of them.
std::vector<std::size_t> busiest_first(const CallKinds& kinds, std::size_t first_run) {
  std::vector<std::size_t> order;
  for (std::size_t run = kinds.kind.size(); run-- > first_run;) {
    std::vector<std::size_t> of_run = kinds.kind[run];
    std::ranges::stable_sort(of_run, std::ranges::greater(),
                             [&](std::size_t kind) { return kinds.calls[kind].size(); });
    for (const std::size_t kind : of_run)
      if (std::ranges::find(order, kind) == order.end()) order.push_back(kind);
  }
  return order;
}

// By part and run: how often ranks go through it.
std::vector<std::vector<int>> turns_of(const Followed& followed, const CallKinds& kinds) {
  std::vector<std::vector<int>> turns(followed.pattern.size(), std::vector<int>(kinds.kind.size(), 0));
  for (std::size_t run = 0; run < kinds.kind.size(); ++run)
    for (const std::size_t kind : kinds.kind[run])
      for (const PatternPlace& place : followed.places[kind])
        turns[place.part][run] = std::max(turns[place.part][run], place.turn + 1);
  return turns;
}

// Every call is made by somebody in every run; but nobody has a neighbour along a dimension with one rank.
std::optional<Followed> without_loops(const CallKinds& kinds, const Alignment& alignment, std::size_t& work) {
  std::optional<MergedCalls> merged = merge_calls(kinds, busiest_first(kinds, 0), alignment.same, work);
  if (!merged) return std::nullopt;
  Followed followed{.calls = std::move(merged->all)};
  for (std::uint32_t i = 0; i < followed.calls.size(); ++i) followed.pattern.push_back({.first = i});
  for (const std::vector<std::uint32_t>& places : merged->places)
    for (auto& of_kind = followed.places.emplace_back(); const std::uint32_t place : places)
      of_kind.push_back({.part = place});
  if (alignment.grid != Alignment::kNoGrid && alignment.same == SameCall::Partner) return followed;
  for (const std::vector<int>& turns : turns_of(followed, kinds))
    if (std::ranges::find(turns, 0) != turns.end()) return std::nullopt;
  return followed;
}

using PartOfKind = std::pair<std::size_t, PatternPart>;

// Of those that were taken for the same, the one with most turns.
std::vector<std::uint32_t> longest_parts(const MergedCalls& merged, const CallKinds& folded,
                                         const std::vector<PartOfKind>& parts) {
  std::vector<std::uint32_t> longest;
  for (const DescribedCall& call : merged.all) longest.push_back(call.which);
  for (std::size_t kind = 0; kind < folded.calls.size(); ++kind)
    for (std::size_t i = 0; i < merged.places[kind].size(); ++i) {
      std::uint32_t& best = longest[merged.places[kind][i]];
      const std::uint32_t which = folded.calls[kind][i].which;
      if (parts[which].second.turns > parts[best].second.turns) best = which;
    }
  return longest;
}

// Of kinds of the largest run: each has its loops, which are merged as if they were calls.
std::optional<Followed> pattern_of(const CallKinds& kinds, const std::vector<std::size_t>& order, int ranks,
                                   const Alignment& alignment, std::size_t& work) {
  CallKinds folded{.calls = std::vector<std::vector<DescribedCall>>(kinds.calls.size())};
  std::map<std::vector<std::uint32_t>, std::uint32_t> names;  // turns and names of a body
  std::vector<PartOfKind> parts;                              // by `which` of a folded call
  for (const std::size_t kind : order)
    for (PatternPart& part : find_pattern(kinds.calls[kind], ranks, alignment)) {
      std::vector<std::uint32_t> body = {alignment.loops >= LoopsOf::PartialTurns ? 0 : part.turns};
      for (std::uint32_t i = 0; i < part.length; ++i) body.push_back(kinds.calls[kind][part.first + i].name);
      DescribedCall call = kinds.calls[kind][part.first];
      call.name = names.try_emplace(std::move(body), static_cast<std::uint32_t>(names.size())).first->second;
      call.which = static_cast<std::uint32_t>(parts.size());
      folded.calls[kind].push_back(call);
      parts.emplace_back(kind, std::move(part));
    }
  const std::optional<MergedCalls> merged = merge_calls(folded, order, alignment.same, work);
  if (!merged) return std::nullopt;
  Followed followed;
  for (const std::uint32_t which : longest_parts(*merged, folded, parts)) {
    auto& [kind, part] = parts[which];
    const auto first = kinds.calls[kind].begin() + part.first;
    part.first = static_cast<std::uint32_t>(followed.calls.size());
    followed.calls.insert(followed.calls.end(), first, first + part.calls());
    followed.pattern.push_back(std::move(part));
  }
  return followed;
}

// How far partners are in a turn of a part: 0 where there are none.
std::vector<int> distances(const std::vector<DescribedCall>& calls, const std::vector<PatternPlace>& places,
                           std::uint32_t part) {
  std::vector<int> all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].part != part) continue;
    const DescribedCall& call = calls[i];
    const int peer = call.to != DescribedCall::kNoRank ? call.to : call.from;
    all.resize(static_cast<std::size_t>(places[i].turn) + 1);
    if (all.back() == 0 && peer != DescribedCall::kNoRank) all.back() = std::abs(peer - call.rank);
  }
  return all;
}

// Who goes through less of a loop than others enters it later where partners are as far as others' then.
void enter_later(Followed& followed, const CallKinds& kinds) {
  for (const std::vector<std::size_t>& run : kinds.kind)
    for (std::uint32_t part = 0; part < followed.pattern.size(); ++part) {
      if (!followed.pattern[part].loop()) continue;
      std::vector<int> longest;
      for (const std::size_t kind : run)
        if (auto own = distances(kinds.calls[kind], followed.places[kind], part); own.size() > longest.size())
          longest = std::move(own);
      for (const std::size_t kind : std::set(run.begin(), run.end())) {
        const std::vector<int> own = distances(kinds.calls[kind], followed.places[kind], part);
        if (own.empty() || own.front() == longest.front()) continue;
        const auto later = static_cast<int>(longest.size() - own.size());
        if (own.back() != longest.back()) continue;
        for (PatternPlace& place : followed.places[kind])
          if (place.part == part) place.turn += later;
      }
    }
}

// Where all kinds of rank are in it; false: it is not the pattern of all of them, or it takes too long to tell.
bool follow_all(Followed& followed, const CallKinds& kinds, const std::vector<int>& ranks,
                const Alignment& alignment, std::size_t& work) {
  followed.places.clear();
  for (std::size_t kind = 0; kind < kinds.calls.size(); ++kind) {
    auto places = follow(followed.pattern, followed.calls, kinds.calls[kind], ranks[kind], alignment, work);
    if (!places || work > kMostWork) return false;
    followed.places.push_back(std::move(*places));
  }
  return true;
}

// Who leaves a loop after its first turn seems to make calls of its own, beside the loop.
CallPattern without_first_turns(const Followed& followed) {
  const CallPattern& pattern = followed.pattern;
  const auto repeats = [&](const PatternPart& loop, const PatternPart& call) {
    for (std::uint32_t i = 0; i < loop.length; ++i)
      if (followed.calls[loop.first + i].name == followed.calls[call.first].name) return true;
    return false;
  };
  CallPattern left;
  const PatternPart* last = nullptr;  // of the loops so far
  std::size_t next = 0;               // the first loop from here on
  for (std::size_t part = 0; part < pattern.size(); ++part) {
    while (next < pattern.size() && (next < part || !pattern[next].loop())) ++next;
    if (pattern[part].loop()) last = &pattern[part];
    const bool repeated = (last != nullptr && repeats(*last, pattern[part])) ||
                          (next < pattern.size() && repeats(pattern[next], pattern[part]));
    if (pattern[part].loop() || !repeated) left.push_back(pattern[part]);
  }
  return left;
}

// Which calls a turn may have is seen where a rank has them all.
std::optional<Followed> with_optional_calls(const CallKinds& kinds, const std::vector<std::size_t>& order,
                                            const std::vector<int>& ranks, const Alignment& alignment,
                                            std::size_t& work) {
  constexpr std::size_t kMostTried = 3;
  for (std::size_t i = 0; i < std::min(order.size(), kMostTried); ++i) {
    std::optional<Followed> followed = pattern_of(kinds, {order[i]}, ranks[order[i]], alignment, work);
    if (!followed || !make_calls_optional(followed->pattern, followed->calls)) continue;
    if (!follow_all(*followed, kinds, ranks, alignment, work)) continue;
    number_turns(followed->pattern, kinds, followed->places);
    return followed;
  }
  return std::nullopt;
}

std::optional<Followed> with_loops(const CallKinds& kinds, const Sizes& sizes, const Alignment& alignment,
                                   std::size_t& work) {
  work = 0;
  const std::vector<std::size_t> order = busiest_first(kinds, kinds.kind.size() - 1);
  std::vector<int> ranks(kinds.calls.size(), 0);
  for (std::size_t run = 0; run < kinds.kind.size(); ++run)
    for (const std::size_t kind : kinds.kind[run]) ranks[kind] = sizes.runs[run].ranks;
  if (alignment.loops == LoopsOf::OptionalCalls)
    return with_optional_calls(kinds, order, ranks, alignment, work);
  std::optional<Followed> found = pattern_of(kinds, order, sizes.runs.back().ranks, alignment, work);
  if (!found) return std::nullopt;
  Followed& followed = *found;
  if (alignment.loops == LoopsOf::PartialTurns) {
    Followed fewer{.pattern = without_first_turns(followed), .calls = followed.calls};
    std::size_t own_work = 0;
    if (follow_all(fewer, kinds, ranks, alignment, own_work)) {
      enter_later(fewer, kinds);
      return fewer;
    }
  }
  if (!follow_all(followed, kinds, ranks, alignment, work)) return std::nullopt;
  if (alignment.loops == LoopsOf::PartialTurns) enter_later(followed, kinds);
  return found;
}

class Assembly {
 public:
  Assembly(const Followed& followed, const CallKinds& kinds, const Sizes& sizes, const Alignment& alignment,
           CallSequence& sequence)
      : followed_(followed), kinds_(kinds), sizes_(sizes), alignment_(alignment), sequence_(sequence) {}

  // `name_of`: for people.
  std::vector<std::uint32_t> run(const std::function<std::string(std::uint32_t)>& name_of) {
    const std::vector<std::vector<int>> turns = turns_of(followed_, kinds_);
    sequence_.first_op.resize(sizes_.runs.size());
    slots_.assign(sizes_.runs.size(), 0);
    for (std::uint32_t part = 0; part < followed_.pattern.size(); ++part) {
      first_.push_back(static_cast<std::uint32_t>(names_.size()));
      // Some runs may have no rank that makes these calls, such as one inside of a grid.
      const int most = std::ranges::max(turns[part]);
      const bool same = std::ranges::all_of(turns[part], [&](int one) { return one == most || one == 0; });
      same ? add_calls(part, most) : add_loop(part, turns[part], name_of);
    }
    for (std::size_t run = 0; run < sizes_.runs.size(); ++run) {
      sequence_.first_op[run].push_back(slots_[run]);
      add_ranks(run);
    }
    return std::move(names_);
  }

 private:
  void add_body(std::uint32_t part, std::uint32_t loop) {
    for (std::uint32_t i = 0; i < followed_.pattern[part].length; ++i) {
      names_.push_back(followed_.calls[followed_.pattern[part].first + i].name);
      sequence_.loop_of.push_back(loop);
    }
  }
  void add_slots(std::size_t run, std::uint32_t calls, std::uint32_t stride) {
    for (std::uint32_t i = 0; i < calls; ++i) sequence_.first_op[run].push_back(slots_[run] + i % stride);
  }
  void add_calls(std::uint32_t part, int turns) {
    const auto calls = followed_.pattern[part].length * static_cast<std::uint32_t>(turns);
    for (int turn = 0; turn < turns; ++turn) add_body(part, CallSequence::kNone);
    for (std::size_t run = 0; run < sizes_.runs.size(); ++run) {
      add_slots(run, calls, std::max(1u, calls));
      slots_[run] += calls;
    }
  }
  void add_loop(std::uint32_t part, const std::vector<int>& turns,
                const std::function<std::string(std::uint32_t)>& name_of) {
    const PatternPart& loop = followed_.pattern[part];
    check_loop(part, turns);
    const std::optional<TurnCount> count = find_turn_count(turns, sizes_, loop.tree());
    if (!count || count->in_target == 0)
      throw TraceError(fmt::format(
          "cannot tell how often {} is called with {} ranks: a loop there has {} turns in the runs; no rule "
          "gives them (multiples of the ranks, of an extent of a grid, of their logarithms, and a few more); "
          "runs "
          "of more sizes, or of powers of two, may tell",
          name_of(followed_.calls[loop.first].name), sizes_.target.ranks, fmt::join(turns, ", ")));
    const bool apart = alignment_.times_apart &&
                       std::ranges::all_of(turns, [&](int one) { return one % count->times == 0; });
    GrowingLoop growing{.length = loop.length,
                        .turns = turns,
                        .in_target = count->in_target,
                        .text = count->text,
                        .times = apart ? 1 : count->times};
    const int loops = apart ? count->times : 1;
    growing.in_target /= loops;
    for (int& one : growing.turns) one /= loops;
    for (int i = 0; i < loops; ++i) add_one_loop(part, growing);
  }
  void add_one_loop(std::uint32_t part, GrowingLoop growing) {
    const auto which = static_cast<std::uint32_t>(sequence_.growing.size());
    growing.first = static_cast<std::uint32_t>(names_.size());
    for (int turn = 0; turn < growing.in_target; ++turn) add_body(part, which);
    for (std::size_t run = 0; run < sizes_.runs.size(); ++run) {
      add_slots(run, growing.length * static_cast<std::uint32_t>(growing.in_target), growing.length);
      slots_[run] += growing.length * static_cast<std::uint32_t>(growing.turns[run]);
    }
    sequence_.growing.push_back(std::move(growing));
  }
  // Ranks that go through it do so equally often, unless they may enter later or leave earlier.
  void check_loop(std::uint32_t part, const std::vector<int>& turns) const {
    if (!followed_.pattern[part].loop()) throw TraceError(sequence_.difference);
    if (alignment_.loops >= LoopsOf::PartialTurns) return;
    for (std::size_t run = 0; run < turns.size(); ++run)
      for (const std::size_t kind : kinds_.kind[run]) {
        int own = 0;
        for (const PatternPlace& place : followed_.places[kind])
          if (place.part == part) own = place.turn + 1;
        if (own != 0 && own != turns[run]) throw TraceError(sequence_.difference);
      }
  }
  void add_ranks(std::size_t run) {
    auto& ops = sequence_.ops.emplace_back();
    auto& calls = sequence_.calls.emplace_back();
    const auto end = static_cast<std::uint32_t>(names_.size());
    for (const std::size_t kind : kinds_.kind[run]) {
      auto& op_at = ops.emplace_back(slots_[run] + 1, kNoOp);
      auto& made = calls.emplace_back();
      for (const PatternPlace& place : followed_.places[kind]) {
        std::uint32_t first = first_[place.part];
        const std::uint32_t which = sequence_.loop_of[first];
        int turn = place.turn;
        if (which != CallSequence::kNone) {
          const GrowingLoop& loop = sequence_.growing[which];  // the first of those that the part is
          first += static_cast<std::uint32_t>(turn / loop.turns[run] * loop.in_target) * loop.length;
          turn %= loop.turns[run];
        }
        const std::uint32_t in_body =
            place.call + static_cast<std::uint32_t>(turn) * followed_.pattern[place.part].length;
        op_at[sequence_.first_op[run][first] + in_body] = static_cast<std::uint32_t>(made.size());
        if (which != CallSequence::kNone) {
          made.push_back({first + place.call, turn});
        } else {
          made.push_back({first + in_body, 0});
        }
      }
      op_at.back() = static_cast<std::uint32_t>(made.size());
      made.push_back({end, 0});
    }
  }

  const Followed& followed_;
  const CallKinds& kinds_;
  const Sizes& sizes_;
  const Alignment& alignment_;
  CallSequence& sequence_;
  std::vector<std::uint32_t> names_, first_, slots_;  // by call; by part; by run: calls so far
};

}  // namespace

std::vector<std::uint32_t> put_side_by_side(const std::vector<SourceRun>& runs, const Sizes& sizes,
                                            const CalledNames& called,
                                            const std::function<std::string(std::uint32_t)>& name_of,
                                            const Alignment& alignment, std::size_t& work,
                                            CallSequence& sequence) {
  const CallKinds kinds =
      describe(runs, called, alignment.grid == Alignment::kNoGrid ? nullptr : &sizes.grids[alignment.grid],
               alignment.same);
  std::optional<Followed> followed;
  if (alignment.loops == LoopsOf::EqualTurns) followed = without_loops(kinds, alignment, work);
  if (!followed) followed = with_loops(kinds, sizes, alignment, work);
  if (!followed) throw TraceError(sequence.difference);
  return Assembly(*followed, kinds, sizes, alignment, sequence).run(name_of);
}

}  // namespace waitdiag
