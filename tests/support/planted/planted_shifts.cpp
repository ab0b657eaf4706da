// Exchanges that come in parts, go round, or run along a chain; groups that do not meet.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <memory>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

constexpr int kMostlyApart = 12;  // steps between meetings of all, at most

auto one_rank(Run& run) {
  return [&run] { return run.some(1, 0, run.ranks() - 1); };
}

std::vector<int> ranks_between(int first, int last) {
  std::vector<int> ranks;
  for (int rank = first; rank < last; ++rank) ranks.push_back(rank);
  return ranks;
}

}  // namespace

// Neighbours in a grid, and nobody else, exchange by a neighbourhood collective.
void stencil(Run& run) {
  const int width = run.chance.between(2, std::max(2, run.ranks() / 2));
  run.mpi.group("grid", run.mpi.everybody().ranks);
  std::vector<std::vector<int>> to;
  for (int rank = 0; rank < run.ranks(); ++rank) {
    std::vector<int>& mine = to.emplace_back();
    const int column = rank % width;
    if (rank >= width) mine.push_back(rank - width);
    if (column > 0) mine.push_back(rank - 1);
    if (column + 1 < width && rank + 1 < run.ranks()) mine.push_back(rank + 1);
    if (rank + width < run.ranks()) mine.push_back(rank + width);
  }
  late_before(run, kMostlyApart, one_rank(run), [&](int) { run.mpi.meet_in_graph("grid", to); });
}

// Each rank opens its memory to the one before it, which fills it when it is done itself.
void epoch_chain(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const double relax = run.milliseconds(4, 12) / run.ranks();
  run.truth.alone = false;  // each waits for what those before it relax
  late_before(run, kMostlyApart, one_rank(run), [&](int) { run.mpi.put_along("W", "relax", relax); });
}

// Blocks move on in one call that sends and receives.
void shift(Run& run) {
  const int by = run.chance.between(1, run.ranks() - 1);
  late_before(run, kMostlyApart, one_rank(run), [&](int) { run.mpi.shift(by); });
}

// Persistent requests: receives are started first, sends one by one as their data is there.
void partial_starts(Run& run) {
  const double border = run.milliseconds(2, 6);
  late_before(run, kMostlyApart, one_rank(run), [&](int) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_receives(rank, run.neighbours(rank));
    for (int rank = 0; rank < run.ranks(); ++rank)
      for (std::size_t i = 0; i < run.neighbours(rank).size(); ++i) {
        run.mpi.compute(rank, "border", border);
        run.mpi.start_send(rank, run.neighbours(rank)[i], static_cast<int>(i));
      }
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.complete_posted(rank, run.neighbours(rank));
  });
}

// Nodes reduce to a leader, leaders among themselves; in each step another rank of each node is the leader.
void rotating_leaders(Run& run) {
  constexpr int kTurns = 4;
  const int size = run.chance.between(2, 5);
  std::vector<Group> nodes, leaders;
  for (int first = 0; first < run.ranks(); first += size)
    nodes.push_back(run.mpi.group("node" + std::to_string(nodes.size()),
                                  ranks_between(first, std::min(first + size, run.ranks()))));
  const auto leader_of = [](const Group& node, int turn) {
    return turn % static_cast<int>(node.ranks.size());
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<int> ranks;
    for (const Group& node : nodes)
      ranks.push_back(node.ranks[static_cast<std::size_t>(leader_of(node, turn))]);
    leaders.push_back(run.mpi.group("leaders" + std::to_string(turn), ranks));
  }
  const Tree tree = run.tree();
  late_before(run, kMostlyApart, one_rank(run), [&](int step) {
    const int turn = step % kTurns;
    for (const Group& node : nodes) run.mpi.collect("MPI_Reduce", node, leader_of(node, turn), tree);
    run.mpi.meet("MPI_Allreduce", leaders[static_cast<std::size_t>(turn)]);
    for (const Group& node : nodes) run.mpi.spread("MPI_Bcast", node, leader_of(node, turn), tree);
  });
}

// Data moves: in every step another rank has most of it, and what it does with that takes longer than in proportion.
void moving_sizes(Run& run) {
  const int steps = run.chance.between(60, 120), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 20), extra = work * run.chance.between(5, 12) / 10;
  run.plant("sort_particles", {});
  for (int step = 0; step < steps; ++step) {
    const int most = run.chance.between(0, run.ranks() - 1);
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, "sort_particles", work / 4 + (run.planted && rank == most ? extra : 0));
    }
    run.halo();
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A nonblocking barrier is tested for in a loop with pauses; the steps exchange halos besides.
void barrier_loop(Run& run) {
  const double pause = run.chance.between(100, 900);
  late_before(run, kMostlyApart, one_rank(run), [&](int) {
    run.mpi.start_collective("MPI_Ibarrier");
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.test_collective(rank, 0, "solve", 0, "poll_pause", pause);
    run.halo();
  });
}

// One rank broadcasts segments, all under way at once; each rank works on one after another.
void segments(Run& run) {
  const int count = run.chance.between(2, 5), steps = run.chance.between(30, 60);
  const int root = run.chance.between(0, run.ranks() - 1), meet_every = run.chance.between(1, 4);
  const double work = run.milliseconds(3, 10), produce = work * run.chance.between(3, 10) / 100;
  const Extra extra = plant_extra(run, "consume", work, run.some(1, 0, run.ranks() - 1));
  run.truth.alone = false;  // all wait for what the root produces
  for (int step = 0; step < steps; ++step) {
    for (int segment = 0; segment < count; ++segment) {
      run.mpi.compute(root, "produce", produce);
      run.mpi.start_broadcast(root, 20 + segment);
    }
    for (int rank = 0; rank < run.ranks(); ++rank)
      for (int segment = 0; segment < count; ++segment) {
        run.mpi.complete_broadcast(rank, 20 + segment);
        run.mpi.compute(rank, "consume", work);
        if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      }
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Two groups that meet only at the end, each with a late rank of its own, one of them hardly less late.
void two_teams(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int half = (run.ranks() + 1) / 2;  // the first group: most wait for its cause
  const int border = run.chance.between(half, std::min(std::max(half, 3 * run.ranks() / 4), run.ranks() - 2));
  const double work = run.milliseconds(10, 30), first = work * run.chance.between(6, 12) / 10,
               second = first * run.chance.between(5, 8) / 10;
  const Group fluid = run.mpi.group("fluid", ranks_between(0, border)),
              solid = run.mpi.group("solid", ranks_between(border, run.ranks()));
  const int late = run.chance.between(0, border - 1), other = run.chance.between(border, run.ranks() - 1);
  run.plant("advect", {late});
  run.truth.second = "main/deform";
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    for (const int rank : fluid.ranks)
      run.mpi.compute(rank, "advect", work + (run.planted && rank == late ? first : 0));
    for (const int rank : solid.ranks)
      run.mpi.compute(rank, "deform", work + (run.second_planted && rank == other ? second : 0));
    run.mpi.meet(kMeetings[talk], fluid);
    run.mpi.meet(kMeetings[talk], solid);
  }
}

// MPI runs the program's reduction operator, which takes long on one rank.
void operators(Run& run) {
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(10, 30);
  const bool has_usual = !run.chance.one_in(2);
  const double extra = work * run.chance.between(3, 10) / 10;
  const bool all = run.chance.one_in(2);
  // Of a root, which no other rank is like, nobody knows what is usual.
  const double usual = all && has_usual ? work / 20 : 0;
  const int root = run.chance.between(0, run.ranks() - 1);
  const Tree tree = run.tree();
  const auto count = static_cast<unsigned>(run.ranks());
  const int pairs = static_cast<int>(2 * (count - std::bit_floor(count)));
  int late = run.chance.between(0, run.ranks() - 1);
  if (late < pairs) late |= 1;  // the other one of each pair runs none
  run.plant("combine", {all ? late : root});
  std::vector<double> times(static_cast<std::size_t>(run.ranks()), usual);
  if (run.planted) times[static_cast<std::size_t>(run.truth.ranks.front())] += extra;
  // Usual or not, all time of the operator makes others wait.
  const auto without = std::make_shared<SimulatedRanks>(run.mpi);
  run.waits_planted = [&mpi = run.mpi, without] { return mpi.waited_seconds() - without->waited_seconds(); };
  const auto step = [&](SimulatedRanks& mpi, const std::vector<double>& of_operator) {
    for (int rank = 0; rank < mpi.ranks(); ++rank) mpi.compute(rank, "solve", work);
    if (all) return mpi.reduce_to_all("combine", of_operator);
    mpi.reduce_to(root, "combine", of_operator);
    mpi.spread("MPI_Bcast", mpi.everybody(), root, tree);
  };
  for (int i = 0; i < steps; ++i) {
    step(run.mpi, times);
    step(*without, std::vector<double>(times.size(), 0));
  }
}

}  // namespace waitdiag::test
