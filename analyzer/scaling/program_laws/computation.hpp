// The time of each stretch of computation, and of each call without a model, for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/scaling/program_laws/call_groups.hpp"
#include "analyzer/scaling/program_laws/slots.hpp"
#include "analyzer/scaling/quantity_laws/time_law.hpp"
#include "analyzer/scaling/quantity_laws/turn_growth.hpp"

namespace waitdiag {

// Names of call paths are numbered, the same in all runs; 0 is what was not instrumented.
class PathNames {
 public:
  PathNames() : names_{""} {}
  std::uint32_t number(const Trace& trace, CallPathId path);
  const std::string& name(std::uint32_t number) const { return names_[number]; }
  // A run and a call path there that have this name.
  std::pair<const Trace*, CallPathId> place(std::uint32_t number) const { return places_.at(number); }

 private:
  std::map<std::pair<const Trace*, CallPathId>, std::uint32_t> by_path_;
  std::map<std::string, std::uint32_t> by_name_;
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::pair<const Trace*, CallPathId>> places_;
};

struct PieceLaw {
  std::uint32_t path = 0;
  TimeLaw time, visits;
};

class Computation {
 public:
  Computation(const Study& study, const Roles& roles, const Slots& slots,
              FirstPass first = FirstPass::OfLoop);

  struct Piece {
    std::uint32_t path = 0;
    Duration time{};
    std::uint32_t visits = 0;
  };
  // The gap before a call (calls: the last one) of a rank of the target.
  std::vector<Piece> gap(std::uint32_t call, int rank);
  Duration length(std::uint32_t call, int rank) const;  // of the call, where it is not modelled

  const PathNames& paths() const { return paths_; }
  // The largest relative difference, over the ranks of the largest run, between the mean computation of the
  // loops' first iterations and that of all iterations.
  double difference(std::uint32_t iterations) const;
  // How well the largest run is predicted from the others, by call path, weighted by time: for notes.
  struct ModelOf {
    std::string call_path{}, text{};
    double share = 0;  // of all computation of the largest run
    double left_out = 0;
  };
  std::vector<ModelOf> models() const;
  double left_out() const;                                             // of all computation
  bool entered_later() const { return call_groups_.entered_later(); }  // a loop, by some rank

 private:
  struct Group {
    std::map<std::uint32_t, RankFigures> times{}, visits{};  // means over its calls, by path
    std::map<std::uint32_t, TurnGrowth> growth{};            // of times, by path: calls of later turns only
    RankFigures length{};
    RankFigures calls{};
    RankLabels is_root{};    // 1: of one of its calls; empty: they have no root
    RankLabels came_from{};  // the group of the call before the last one of this group; kNowhere
    std::vector<PieceLaw> laws{};
    std::vector<TimeLaw> length_law{};  // one
  };
  // Of the law of a path, for this turn of its loop.
  static double growth(const Group& group, std::uint32_t path, const Turn& turn);
  void add_run(std::size_t run, int rank);
  void find_roots(const Roles& roles, const std::vector<CollectiveSlot>& slots);
  void follow_calls(const std::vector<Presence>& presence);
  static constexpr int kNowhere = -1;
  std::vector<std::map<std::string, double>> sampled() const;
  int nearest_caller(std::uint32_t call, int rank) const;
  double ratio(std::uint32_t call, int rank, std::uint32_t path);

  const Study& study_;
  CallGroups call_groups_;
  PathNames paths_;
  std::vector<Group> groups_;
};

}  // namespace waitdiag
