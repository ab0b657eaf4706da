// The run of another size: from runs of one program with several numbers of ranks, or problem sizes, to the
// trace that it would leave with others.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/scaling/program_laws/computation.hpp"
#include "analyzer/scaling/program_laws/dealt_tasks.hpp"
#include "analyzer/scaling/program_laws/slots.hpp"
#include "analyzer/scaling/rescaling/other_grids.hpp"
#include "analyzer/simulation/prediction/steady_state.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

struct SizedRun {
  SourceRun source{};
  RunSize size{};
};

std::string problem_text(const RunSize& size);  // "n=256,steps=10"; "": not known
// What problem_text() writes; nothing for any other text.
std::optional<std::map<std::string, double>> parse_problem(std::string_view text);
// By ranks, then by problem.
void sort_by_size(std::vector<SizedRun>& runs);

// As what calls are put side by side; a later one only where an earlier one has no laws.
enum class CallsAs : std::uint8_t { Recorded, Untagged, Joined, Drawn };

struct RescaleFacts {
  CallsAs calls_as = CallsAs::Recorded;

  std::vector<std::string> grids{};      // of the target that are in use, "4x4x4, as even as ..."
  std::vector<OtherGrid> other_grids{};  // none where the user gave the grid
  // Dimensions along which the target has more ranks than all runs: of grids of so many dimensions, which one.
  std::set<std::pair<std::size_t, std::size_t>> beyond{};
  std::vector<Computation::ModelOf> models{};
  std::uint64_t inexact_sizes = 0;  // messages and collective operations
  double larger_groups = 0;         // shared_ports.hpp
  std::uint32_t calls = 0;          // of each rank
  std::uint32_t iterations = 1;     // of the longest loop; 1: there is none
  int dealt_tasks = 0;              // to whoever is free first: master and worker
  double dealt_spread = 0;          // how much longer or shorter they make the run by chance, relative
  bool from_any_source = false;     // some receives; in the order of ranks
  std::uint64_t drawn = 0;          // messages of all ranks whose partners are drawn
};

// Throws TraceError for a target with fewer ranks than the runs.
void check_is_larger(const std::vector<SizedRun>& runs, const RunSize& target);

// Finds the laws once; makes traces from them, with all iterations or fewer.
class Rescaler : public IterationSource {
 public:
  // `runs` in any order; `grid`: of the target as the user gave it, or empty. The traces must outlive it.
  // Throws TraceError for runs that do not align, anything without a law, and runs of one size where that is
  // not enough. `first`: what more runs of the program had to be taken as; others are tried where that has no laws.
  Rescaler(std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid,
           CallsAs first = CallsAs::Recorded);

  const RescaleFacts& facts() const { return facts_; }
  // Other partners for messages that have drawn ones (RescaleFacts::drawn). The first draw is 1.
  void redraw(int draw);
  // Its times are not a prediction yet: computation has its predicted length, calls the length of their
  // models where nothing else is known; waiting comes from a replay. `iterations`: only this many of the
  // first of the loop that makes most calls; 0: all.
  Trace trace(std::uint32_t iterations = 0);
  std::uint32_t iterations() const override { return facts_.iterations; }
  Trace shortened(std::uint32_t iterations) override { return trace(iterations); }
  LoopCalls last_calls(std::uint32_t iterations) const override;
  // In the largest run, the difference of a rank's first iterations from an average one; noise there is that
  // of one run, and the model averages it.
  double difference(std::uint32_t iterations, std::uint32_t period) const override;

 private:
  // False: there are no laws, and `reason` says why unless it did before.
  bool align_as(CallsAs as, std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid,
                std::optional<TraceError>& reason);
  std::optional<TraceError> align_runs(const std::vector<SizedRun>& runs, const RunSize& target,
                                       const std::vector<int>& grid);
  void tell_times_apart(const std::vector<SizedRun>& runs, const RunSize& target,
                        const std::vector<int>& grid, Alignment alignment);
  bool align_with_draws(const std::vector<SizedRun>& runs, const RunSize& target,
                        const std::vector<int>& grid);
  bool find_dealt(std::vector<SizedRun> runs, const RunSize& target, const std::vector<int>& grid);
  void find_laws();
  void find_times();

  std::deque<Trace> own_runs_;  // without dealt tasks, without tags, or with joined requests
  std::vector<DealtRun> dealt_;
  Study study_;
  std::unique_ptr<Roles> roles_;
  Slots slots_;
  std::unique_ptr<Computation> computation_;
  RescaleFacts facts_;
};

}  // namespace waitdiag
