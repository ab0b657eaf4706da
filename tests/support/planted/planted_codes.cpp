// What real codes combine: parts with time steps of their own, output through a few ranks, work that moves.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

int any_rank(Run& run) {
  return run.chance.between(0, run.ranks() - 1);
}

void work_on_all(Run& run, const std::string& function, double time, const Extra& extra, bool late) {
  for (int rank = 0; rank < run.ranks(); ++rank) {
    run.mpi.compute(rank, function, time);
    if (late && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
  }
}

// The ranks of each aggregator, which is the first of them.
std::vector<std::vector<int>> blocks_of(const Run& run, int blocks) {
  std::vector<std::vector<int>> found;
  for (int block = 0; block < blocks; ++block) {
    std::vector<int>& ranks = found.emplace_back();
    for (int rank = block * run.ranks() / blocks; rank < (block + 1) * run.ranks() / blocks; ++rank)
      ranks.push_back(rank);
  }
  return found;
}

}  // namespace

// A fine grid takes several short steps for one long step of a coarse grid, each on half of the ranks; then they meet.
void subcycling(Run& run) {
  const int steps = run.chance.between(20, 50), substeps = run.chance.between(2, 6), border = run.ranks() / 2;
  const double coarse = run.milliseconds(20, 60), fine = coarse / substeps;
  std::vector<std::vector<int>> halves = blocks_of(run, 2);
  const Group inner = run.mpi.group("fine", halves[0]), outer = run.mpi.group("coarse", halves[1]);
  const bool in_fine = run.chance.one_in(2);
  const Extra extra = plant_extra(
      run, in_fine ? "advance_fine" : "advance_coarse", in_fine ? fine : coarse,
      {in_fine ? run.chance.between(0, border - 1) : run.chance.between(border, run.ranks() - 1)});
  const auto advance = [&](const Group& group, const char* function, double time) {
    for (const int rank : group.ranks) {
      run.mpi.compute(rank, function, time);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    run.mpi.meet("MPI_Allreduce", group);
  };
  for (int step = 0; step < steps; ++step) {
    for (int substep = 0; substep < substeps; ++substep) advance(inner, "advance_fine", fine);
    advance(outer, "advance_coarse", coarse);
    run.mpi.meet("MPI_Alltoall", run.mpi.everybody(), "main/couple");
  }
}

// Output in two phases: ranks hand their data to aggregators, which write it, several times over; then all meet. One
// aggregator takes longer to write.
void aggregators(Run& run) {
  const int outputs = run.chance.between(8, 20), between = run.chance.between(1, 5),
            rounds = run.chance.between(1, 4);
  const double work = run.milliseconds(10, 40);
  const std::vector<std::vector<int>> blocks =
      blocks_of(run, std::max(2, run.ranks() / run.chance.between(2, 8)));
  const double extra = work * between / rounds * run.chance.between(5, 15) / 10;
  const auto slow = static_cast<std::size_t>(run.chance.between(0, static_cast<int>(blocks.size()) - 1));
  run.plant("write_all/pwrite/(blocked)", {blocks[slow].front()});
  run.truth.alone = false;         // the others wait for its usual time, too
  const double usual = extra / 8;  // for who writes nothing says nothing about what is usual
  for (int output = 0; output < outputs; ++output) {
    for (int step = 0; step < between; ++step) {
      for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "solve", work);
      run.halo();
    }
    for (int round = 0; round < rounds; ++round) {
      for (const std::vector<int>& block : blocks)
        for (const int rank : block)
          if (rank != block.front()) run.mpi.send(rank, block.front(), "main/write_all");
      for (const std::vector<int>& block : blocks) {
        const int to = block.front();
        for (const int rank : block)
          if (rank != to) run.mpi.receive(to, rank, "main/write_all");
        run.mpi.block(to, "write_all", "pwrite", usual + (run.planted && run.guilty(to) ? extra : 0));
      }
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/write_all");
  }
}

// Persistent requests, with work between their start and their end, and behind it.
void started_early(Run& run) {
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(3, 12);
  const double interior = run.milliseconds(10, 30), border = run.milliseconds(3, 10);
  const bool in_interior = run.chance.one_in(2);
  const Extra extra = plant_extra(run, in_interior ? "interior" : "border", interior + border,
                                  run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_all(rank, run.neighbours(rank));
    work_on_all(run, "interior", interior, extra, in_interior);
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.complete_exchange(rank, run.neighbours(rank));
    work_on_all(run, "border", border, extra, !in_interior);
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// All read memory of the next one, which answers only while it is in MPI itself. One is late for that.
void busy_target(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  run.mpi.group("W", run.mpi.everybody().ranks);
  const double work = run.milliseconds(10, 40);
  const Extra extra = plant_extra(run, "solve", work, {any_rank(run)});
  for (int step = 0; step < steps; ++step) {
    work_on_all(run, "solve", work, extra, true);
    run.mpi.get_from_next("W");
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// A hot spot makes work on one rank, which hands more and more of it to the others; then there is a new one.
void migration(Run& run) {
  const int phases = run.chance.between(2, 5), steps = run.chance.between(15, 40),
            every = run.chance.between(3, 8);
  const double work = run.milliseconds(10, 40), hot = work * run.chance.between(5, 15) / 10;
  run.plant("refine", {any_rank(run)});
  const int from = run.truth.ranks.front();
  for (int phase = 0; phase < phases; ++phase) {
    double moved = 0;  // the part of the work that each of the others has
    for (int step = 0; step < steps; ++step) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, "solve", work);
        const double left = rank == from && run.planted ? 1 - moved * (run.ranks() - 1) : moved;
        run.mpi.compute(rank, "refine", hot * left);
      }
      run.halo();
      run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
      if (step % every != every - 1) continue;
      run.mpi.meet("MPI_Allgather", run.mpi.everybody(), "main/balance");
      moved = 0.5 * (moved + 1.0 / run.ranks());
      for (int rank = 0; rank < run.ranks(); ++rank)
        if (rank != from) run.mpi.send(from, rank, "main/balance");
      for (int rank = 0; rank < run.ranks(); ++rank)
        if (rank != from) run.mpi.receive(rank, from, "main/balance");
    }
  }
}

// Rank 0 does its own work, waits in MPI_Probe for whatever comes, and answers; one of the others is late with its
// request.
void probe_server(Run& run) {
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(1, 6);
  const double work = run.milliseconds(15, 40), answer = work / run.ranks() / 20;
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(1, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    work_on_all(run, "solve", work, extra, true);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.send(rank, 0);
    run.mpi.answer_probed(0, "answer", answer);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(rank, 0);
    if (step % meet_every == 0) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// All agree on the length of a step, which is taken again if it was too long; now and then rank 0 writes for all.
void adaptive_steps(Run& run) {
  const int steps = run.chance.between(40, 100), write_every = run.chance.between(8, 20);
  const double work = run.milliseconds(10, 30), writing = work * run.chance.between(5, 30) / 10;
  const Tree tree = run.tree();
  const Extra extra = plant_extra(run, "flux", work, {any_rank(run)});
  for (int step = 0; step < steps; ++step) {
    double length = 1;  // shorter steps need fewer iterations
    for (bool again = true; again; length /= 2) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, "flux", work * length);
        if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time * length);
      }
      run.halo();
      run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/limit_dt");
      again = length > 0.5 && run.chance.one_in(5);
    }
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "update", work / 3);
    if (step % write_every != write_every - 1) continue;
    run.mpi.collect("MPI_Gather", run.mpi.everybody(), 0, tree);
    run.mpi.block(0, "write_plot", "write", writing);
  }
}

}  // namespace waitdiag::test
