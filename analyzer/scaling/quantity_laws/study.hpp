// The basis of all laws of a rescaled run: the runs, their sizes, what they have in common.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/scaling/sequences/grids.hpp"
#include "analyzer/scaling/sequences/sequence.hpp"

namespace waitdiag {

struct Study {
  std::vector<SourceRun> runs{};  // by size, the largest last
  std::vector<RunSize> sizes{};   // of the runs
  RunSize target{};
  CallSequence sequence{};
  std::vector<GridLaw> grids{};
  int draw = 0;           // partners that no rule gives: 0: are refused; otherwise the number of a draw
  bool in_turns = false;  // ranks differ as even and odd ones do, not by where they lie

  const Trace& largest() const { return *runs.back().trace; }
  const Timeline& timeline(std::size_t run, int rank) const {
    const Trace& trace = *runs[run].trace;
    return trace.timeline(trace.main_location(Rank(rank)));
  }
  // The call path in the largest run that has the call, on the first rank that has it there.
  std::pair<const Trace*, CallPathId> path_of(std::uint32_t call) const;
};

// One figure of every rank of every run, or of every instance of a call; kAbsent where a rank has none.
using RankFigures = std::vector<std::vector<double>>;
inline constexpr double kAbsent = -1;
using Instances = std::vector<Instance>;

template <typename Value>
std::vector<std::vector<Value>> by_rank(const Study& study, const Instances& instances, Value value) {
  std::vector<std::vector<Value>> all;
  for (const Instance& one : instances)
    all.emplace_back(static_cast<std::size_t>(study.sizes[one.run].ranks), value);
  return all;
}
// All runs, each once.
Instances each_run(const Study& study);
// Means over the turns of loops that grow.
RankFigures by_run(const Study& study, const Instances& instances, const RankFigures& figures);

// What a figure may be proportional to, for every rank of every run and of the target.
struct Factor {
  std::string text{};  // "1/p"
  double complexity = 1;
  bool uniform = true;      // the same for all ranks of a run: then one value for each run
  bool integral = false;    // occurs in message sizes, not only in times
  bool of_calls = false;    // the time of a call without a model may follow it
  bool only_exact = false;  // of times: where all runs follow it, but for rounding, and no other factor does
  RankFigures of_run{};
  std::vector<double> target{};

  double at(std::size_t run, std::size_t rank) const { return of_run[run][uniform ? 0 : rank]; }
  double at_target(std::size_t rank) const { return target[uniform ? 0 : rank]; }
};

// Made from the number of ranks, the extents of the grids `used` (indices into study.grids) and the problem.
std::vector<Factor> make_factors(const Study& study, const std::vector<std::size_t>& used);

// Only for sizes, and times that follow them exactly: extents of grids that no message revealed, and their ratios.
std::vector<Factor> make_extent_factors(const Study& study);

// The face of a block of cells through which a message with this offset in grid `law` goes (the product of
// all extents except those along which it goes), multiplied by powers of the problem's size where that
// differs.
std::vector<Factor> make_face_factors(const Study& study, std::size_t law, const std::vector<int>& offset);

// What a collective operation's bytes may be proportional to because of the size of its communicator: the
// number of members in each run and in the target, multiplied by powers of the number of ranks.
std::vector<Factor> make_member_factors(const Study& study, const std::vector<double>& members,
                                        double in_target);

// One place among any number of ranks: counted from the first one, around where there are fewer; from the end if negative; or
// the first of the `number`-th of equal parts.
struct FixedPlace {
  int number = 0;
  int parts = 0;  // 0: it is not the first one of a part

  std::optional<int> among(int ranks) const;
  friend bool operator==(const FixedPlace&, const FixedPlace&) = default;
};

// What this place may be, simple readings first. `place` may be `ranks`, which is the end.
std::vector<FixedPlace> readings_of_place(int place, int ranks);

// The rank of the largest run that is as `rank` in the target: as far from the first and the last, or as many ranks
// behind the first, again and again.
int counterpart(const Study& study, int rank);

// Which of the two it is: whatever makes the computation of the two largest runs more alike.
bool ranks_take_turns(const Study& study);

}  // namespace waitdiag
