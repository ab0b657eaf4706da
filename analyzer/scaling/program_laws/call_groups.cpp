// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/call_groups.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace waitdiag {
namespace {

constexpr int kNever = -1;

}  // namespace

CallGroups::CallGroups(const Study& study, const std::vector<Presence>& presence, FirstPass first)
    : study_(study), presence_(presence), like_(study.sequence.group_count + 1) {
  std::iota(like_.begin(), like_.end(), 0);
  const CallSequence& sequence = study.sequence;
  const auto none = [&](int ranks) {
    return FirstTurns(static_cast<std::size_t>(ranks), std::vector<int>(sequence.growing.size(), kNever));
  };
  in_target_ = none(study.target.ranks);
  if (sequence.growing.empty()) return;
  for (std::size_t run = 0; run < sequence.calls.size(); ++run) {
    FirstTurns& turns = of_run_.emplace_back(none(study.sizes[run].ranks));
    for (std::size_t rank = 0; rank < sequence.calls[run].size(); ++rank)
      for (const CallSequence::Made& made : sequence.calls[run][rank])
        note(turns, rank, made.place, made.turn);
    for (const std::vector<int>& of_rank : turns)
      entered_later_ = entered_later_ || std::ranges::any_of(of_rank, [](int turn) { return turn > 0; });
  }
  if (first == FirstPass::OfLoop) {
    for (std::vector<int>& of_rank : in_target_) std::ranges::fill(of_rank, 0);
    for (FirstTurns& turns : of_run_)
      for (std::vector<int>& of_rank : turns) std::ranges::fill(of_rank, 0);
    tell_apart();
    return;
  }
  for (std::uint32_t call = 0; call < sequence.size(); ++call) {
    if (sequence.loop(call) == nullptr) continue;
    for (std::size_t rank = 0; rank < in_target_.size(); ++rank)
      if (!presence[call] || (*presence[call])[rank])
        note(in_target_, rank, sequence.place(call), sequence.turn(call).number);
  }
  tell_apart();
}

void CallGroups::tell_apart() {
  const CallSequence& sequence = study_.sequence;
  std::map<std::uint32_t, std::set<std::uint32_t>> before;  // of groups with ranks that come from several
  std::map<std::uint32_t, bool> several;
  for (std::size_t run = 0; run < sequence.calls.size(); ++run)
    for (std::size_t rank = 0; rank < sequence.calls[run].size(); ++rank) {
      std::map<std::uint32_t, std::uint32_t> of_rank;
      for (std::uint32_t op = 0; op + 1 < sequence.calls[run][rank].size(); ++op) {
        if (!later_turn(run, rank, op)) continue;
        const std::uint32_t own = group(sequence.made(run, rank, op).place, true);
        const std::uint32_t from = before_in_run(run, rank, op);
        before[own].insert(from);
        if (of_rank.try_emplace(own, from).first->second != from) several[own] = true;
      }
    }
  for (const auto& [own, any] : several)
    for (const std::uint32_t from : before[own]) {
      const bool first = parts_[own].empty();
      parts_[own][from] = first ? own : static_cast<std::uint32_t>(like_.size());
      if (!first) like_.push_back(own);
    }
}

std::uint32_t CallGroups::part_of(std::uint32_t group, std::uint32_t before) const {
  const auto found = parts_.find(group);
  if (found == parts_.end()) return group;
  const auto part = found->second.find(before);
  return part == found->second.end() ? group : part->second;
}

std::uint32_t CallGroups::before_in_run(std::size_t run, std::size_t rank, std::uint32_t op) const {
  return op == 0 ? kNoOp : at(study_.sequence.made(run, rank, op - 1).place);
}

std::uint32_t CallGroups::before_in_target(std::uint32_t call, std::size_t rank) const {
  while (call-- > 0)
    if (!presence_[call] || (*presence_[call])[rank]) return at(study_.sequence.place(call));
  return kNoOp;
}

void CallGroups::note(FirstTurns& first, std::size_t rank, std::uint32_t place, int turn) const {
  const GrowingLoop* const loop = study_.sequence.loop(place);
  if (loop == nullptr) return;
  int& of_loop = first[rank][study_.sequence.loop_of[place]];
  if (of_loop == kNever) of_loop = turn;
}

std::uint32_t CallGroups::group(std::uint32_t place, bool later) const {
  const GrowingLoop* const loop = study_.sequence.loop(place);
  const std::uint32_t call = place + (later && loop->in_target > 1 ? loop->length : 0);
  const auto& groups = study_.sequence.groups;
  return call < groups.size() ? groups[call] : study_.sequence.group_count;
}

bool CallGroups::later_turn(std::size_t run, std::size_t rank, std::uint32_t op) const {
  const CallSequence::Made made = study_.sequence.made(run, rank, op);
  return made.turn > 0 && study_.sequence.loop(made.place) != nullptr &&
         made.turn > of_run_[run][rank][study_.sequence.loop_of[made.place]];
}

std::uint32_t CallGroups::of_run(std::size_t run, std::size_t rank, std::uint32_t op) const {
  const bool later = later_turn(run, rank, op);
  const std::uint32_t own = group(study_.sequence.made(run, rank, op).place, later);
  return later && parts_.contains(own) ? part_of(own, before_in_run(run, rank, op)) : own;
}

std::uint32_t CallGroups::in_target(std::uint32_t call, int rank) const {
  const GrowingLoop* const loop = study_.sequence.loop(call);
  if (loop == nullptr) return group(call, false);
  const int first = in_target_[static_cast<std::size_t>(rank)][study_.sequence.loop_of[call]];
  const bool later = study_.sequence.turn(call).number > first;
  const std::uint32_t own = group(study_.sequence.place(call), later);
  return later && parts_.contains(own) ? part_of(own, before_in_target(call, static_cast<std::size_t>(rank)))
                                       : own;
}

}  // namespace waitdiag
