// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/grid/grid_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "analyzer/scaling/grid/grid_shape.hpp"
#include "analyzer/simulation/replay/replay.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using Do = Step::Do;
constexpr std::uint64_t kReplayed = 4;  // iterations, at most

Machine without_contention(Machine machine) {
  for (MachineLevel& level : machine.levels) {
    level.sharing = Sharing::None;
    level.topology.link_ns_per_byte = 0;
  }
  return machine;
}

// What all ranks of a grid do, iteration by iteration.
class GridRun {
 public:
  GridRun(const GridProgram& program, const ProcessGrid& grid)
      : program_(program), shape_(program, grid), ranks_(grid.ranks()) {
    run_.ranks = ranks_;
    run_.steps.resize(ranks_);
    run_.begin.assign(ranks_, at(0));
    run_.main.assign(ranks_, true);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) run_.rank.push_back(rank);
    for (const std::uint64_t bytes : program.reductions) {
      run_.shapes.push_back({.kind = CollectiveKind::Allreduce, .comm = CommId(0), .blocks = {bytes}});
    }
  }

  Program make(std::uint64_t iterations, bool halo_and_work) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (halo_and_work) exchange();
      reduce(halo_and_work);
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      add(rank, Do::End, program_.reductions.empty() && halo_and_work ? work(rank) : 0);
    run_.operations = ranks_ * iterations;
    return std::move(run_);
  }

 private:
  void add(std::uint32_t rank, Do what, std::uint64_t value) { run_.steps[rank].emplace_back(what, value); }
  std::uint64_t work(std::uint32_t rank) const {
    return static_cast<std::uint64_t>(
        std::llround(shape_.elements(shape_.place_of(rank)) * program_.element_ns));
  }

  void exchange() {
    const bool first = run_.steps.front().empty();
    std::vector<std::vector<std::uint32_t>> incoming(ranks_), outgoing(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      shape_.for_each_neighbour(shape_.place_of(rank), [&](std::uint32_t neighbour, std::uint64_t bytes) {
        const auto number = static_cast<std::uint32_t>(run_.messages.size());
        outgoing[rank].push_back(number);
        incoming[neighbour].push_back(number);
        run_.messages.push_back({rank, neighbour, bytes});
      });
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      // Without reductions, only the next exchange ends the computation of an iteration.
      add(rank, Do::Call, first || !program_.reductions.empty() ? 0 : work(rank));
      for (const std::uint32_t number : incoming[rank]) add(rank, Do::Post, number);
      for (const std::uint32_t number : outgoing[rank]) add(rank, Do::Isend, number);
      for (const std::uint32_t number : incoming[rank]) add(rank, Do::FinishReceive, number);
      for (const std::uint32_t number : outgoing[rank]) add(rank, Do::FinishSend, number);
    }
  }

  void reduce(bool with_work) {
    for (std::uint32_t shape = 0; shape < run_.shapes.size(); ++shape) {
      const auto collective = static_cast<std::uint32_t>(run_.collectives.size());
      const auto first = static_cast<std::uint32_t>(run_.members.size());
      run_.collectives.push_back({.shape = shape, .first_member = first, .members = ranks_});
      for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        run_.members.push_back({rank, collective});
        add(rank, Do::Call, shape == 0 && with_work ? work(rank) : 0);
        add(rank, Do::StartCollective, first + rank);
        add(rank, Do::FinishCollective, first + rank);
      }
    }
  }

  const GridProgram& program_;
  GridShape shape_;
  std::uint32_t ranks_;
  Program run_{};
};

}  // namespace

GridEvaluator::GridEvaluator(GridProgram program, const Machine& machine)
    : program_(std::move(program)),
      machine_(machine),
      quiet_machine_(without_contention(machine)),
      collectives_(find_collectives(machine.collectives)) {
  program_.element_ns *= machine.compute_scale;
  constexpr double kLongest = 1e15;  // 11 days
  if (serial_time() * 1e9 / static_cast<double>(program_.iterations) > kLongest)
    throw TraceError(
        program_.name +
        ": one iteration would take more than 10^15 ns on one rank; check the array and the time of "
        "an element");
}

const Placement& GridEvaluator::placement(std::uint32_t ranks) {
  std::shared_ptr<const Placement>& known = placements_[ranks];
  if (!known) known = std::make_shared<const Placement>(machine_, ranks);
  return *known;
}

double GridEvaluator::serial_time() const {
  double elements = 1;
  for (const std::uint64_t size : program_.size) elements *= static_cast<double>(size);
  return elements * program_.element_ns * static_cast<double>(program_.iterations) * 1e-9;
}

void GridEvaluator::forget() {
  times_.clear();
  evaluations_ = 0;
}

double GridEvaluator::replayed_time(const ProcessGrid& grid) {
  const auto run = [&](std::uint64_t iterations) {
    const Replayed replayed = replay(GridRun(program_, grid).make(iterations, true),
                                     {machine_, placement(grid.ranks()), collectives_}, false);
    if (!replayed.cycle.empty()) throw TraceError("the halo exchange of " + program_.name + " cannot end");
    return seconds(replayed.end - replayed.begin);
  };
  if (program_.iterations <= kReplayed) return run(program_.iterations);
  const double half = run(kReplayed / 2), whole = run(kReplayed);
  return whole + (whole - half) / (kReplayed / 2.0) * static_cast<double>(program_.iterations - kReplayed);
}

double GridEvaluator::time(const ProcessGrid& grid) {
  const auto known = times_.find(grid);
  if (known != times_.end()) return known->second;
  ++evaluations_;
  return times_[grid] = std::max(replayed_time(grid), lower_bound(grid));
}

double GridEvaluator::reductions_ns(std::uint32_t ranks) {
  const auto known = reductions_.find(ranks);
  if (known != reductions_.end()) return known->second;
  double least = 0;
  if (!program_.reductions.empty() && ranks > 1) {
    const ProcessGrid line{{ranks, 1, 1}};
    const Replayed replayed = replay(GridRun(program_, line).make(1, false),
                                     {quiet_machine_, placement(ranks), collectives_}, false);
    const auto first = std::min_element(replayed.locations.begin(), replayed.locations.end(),
                                        [](const auto& a, const auto& b) { return a.end < b.end; });
    least = static_cast<double>((first->end - replayed.begin).count());
  }
  return reductions_[ranks] = least;
}

}  // namespace waitdiag
