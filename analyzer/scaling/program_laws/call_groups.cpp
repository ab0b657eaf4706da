// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/call_groups.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

constexpr int kNever = -1;

}  // namespace

CallGroups::CallGroups(const Study& study, const std::vector<Presence>& presence, FirstPass first)
    : study_(study) {
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
    return;
  }
  for (std::uint32_t call = 0; call < sequence.size(); ++call) {
    if (sequence.loop(call) == nullptr) continue;
    for (std::size_t rank = 0; rank < in_target_.size(); ++rank)
      if (!presence[call] || (*presence[call])[rank])
        note(in_target_, rank, sequence.place(call), sequence.turn(call).number);
  }
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
  return group(study_.sequence.made(run, rank, op).place, later_turn(run, rank, op));
}

std::uint32_t CallGroups::in_target(std::uint32_t call, int rank) const {
  const GrowingLoop* const loop = study_.sequence.loop(call);
  if (loop == nullptr) return group(call, false);
  const int first = in_target_[static_cast<std::size_t>(rank)][study_.sequence.loop_of[call]];
  return group(study_.sequence.place(call), study_.sequence.turn(call).number > first);
}

}  // namespace waitdiag
