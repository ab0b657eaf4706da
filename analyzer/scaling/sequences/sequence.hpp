// What all ranks of all runs do, call by call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/scaling/sequences/grids.hpp"
#include "analyzer/scaling/sequences/turns.hpp"
#include "analyzer/simulation/prediction/call_loops.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct SourceRun {
  const Trace* trace = nullptr;
  std::string name{};  // as the user named it
};

// A loop whose number of turns depends on the size. Its calls in the target begin at `first`, those of one
// turn are `length`.
struct GrowingLoop {
  std::uint32_t first = 0, length = 0;
  std::vector<int> turns{};  // by run
  int in_target = 0;
  std::string text{};  // "p - 1"
  int times = 1;       // TurnCount::times
};

// Calls at the same place of a loop form one group. Calls are those of the target; the place of a call in a
// growing loop is, for the runs, that of the same call in the first turn.
struct CallSequence : CallLoops {
  std::vector<std::string> names{};  // of the call path of each call
  // Where ranks make different calls (an edge of a grid has no neighbour to send to), the sequence has all of
  // them. By run and rank: the operation that is each call, turn by turn, kNoOp if this rank does not make
  // it; and the place and the turn that each operation is. Empty: all ranks make all calls, in this order.
  struct Made {
    std::uint32_t place = 0;
    int turn = 0;
  };
  std::vector<std::vector<std::vector<std::uint32_t>>> ops{};
  std::vector<std::vector<std::vector<Made>>> calls{};
  std::vector<GrowingLoop> growing{};                  // by first call
  std::vector<std::vector<std::uint32_t>> first_op{};  // by run and place: in `ops`, of its first turn
  std::vector<std::uint32_t> loop_of{};                // by call: which growing loop; kNone
  std::string difference{};                            // the first one, in words
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t size() const { return static_cast<std::uint32_t>(names.size()); }
  const GrowingLoop* loop(std::uint32_t call) const {
    return call >= loop_of.size() || loop_of[call] == kNone ? nullptr : &growing[loop_of[call]];
  }
  std::uint32_t place(std::uint32_t call) const;
  // After find_loops(): the calls of all turns of a growing loop but its first are one group.
  void group_turns();
  Turn turn(std::uint32_t call) const;  // in the target
  // All runs, and all turns there.
  std::vector<Instance> instances(std::uint32_t place, std::size_t runs) const;
  std::size_t instance(std::uint32_t place, std::size_t run, int turn) const;

  // The operation in the same turn of the run; kNoOp if the run has fewer turns. `call` may be size(): what
  // follows the last one.
  std::uint32_t op(std::size_t run, std::size_t rank, std::uint32_t call) const {
    return ops.empty() ? call : op(run, rank, place(call), turn(call).number);
  }
  std::uint32_t op(std::size_t run, std::size_t rank, std::uint32_t place, int turn) const;
  // `op` may be the number of operations.
  Made made(std::size_t run, std::size_t rank, std::uint32_t op) const {
    return calls.empty() || op == kNoOp ? Made{op, 0} : calls[run][rank][op];
  }
  std::uint32_t call(std::size_t run, std::size_t rank, std::uint32_t op) const {
    return made(run, rank, op).place;
  }
  // How often it is made in a run, by a rank that makes it.
  int turns(std::size_t run, std::uint32_t place) const {
    return loop(place) == nullptr ? 1 : loop(place)->turns[run];
  }
};

// Which runs, of which sizes, for which target, with which grids.
struct Sizes {
  const std::vector<RunSize>& runs;
  const RunSize& target;
  const std::vector<GridLaw>& grids;
};

// EqualTurns: loops have as many turns in all runs, unless that is impossible. PartialTurns: some ranks leave
// loops whose partners change earlier than others, or enter them later, as in a tree. OptionalCalls: or leave out some calls of
// some turns.
enum class LoopsOf : std::uint8_t { EqualTurns, GrowingTurns, PartialTurns, OptionalCalls };
// What calls of two ranks have to have in common to be taken for the same one.
enum class SameCall : std::uint8_t { Name, Direction, Partner, AnyPartner };
struct Alignment {
  LoopsOf loops = LoopsOf::EqualTurns;
  // Direction: both partners are higher ranks, or both lower ones. Partner: they are as far away, or the same rank.
  // AnyPartner: nothing about partners.
  SameCall same = SameCall::Name;
  // Partners are alike where they lie in the same direction in this grid (place in Sizes::grids); kNoGrid: where their
  // ranks do.
  static constexpr std::size_t kNoGrid = SIZE_MAX;
  std::size_t grid = kNoGrid;
  // Calls before which nothing is computed are not the first turn of a loop whose turns begin with computing.
  bool first_apart = false;
  // What a program does several times with so many turns each are as many loops, not one with all turns.
  bool times_apart = false;
};

// Throws TraceError for what cannot be rescaled at all, and where ranks differ too much to be compared.
// `work`: pairs of calls looked at so far, limited (kMostWork).
CallSequence align(const std::vector<SourceRun>& runs, const Sizes& sizes, const Alignment& alignment,
                   std::size_t& work);

}  // namespace waitdiag
