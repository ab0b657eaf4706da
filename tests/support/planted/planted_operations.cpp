// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

// All compute alike, but for a few; then `talk` brings them together.
template <typename Talk>
void loop(Run& run, int late_ranks, Talk talk) {
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(2, 6);
  const double work = run.milliseconds(10, 40);
  const Extra extra = plant_extra(run, "solve", work, run.some(late_ranks, 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    talk();
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

std::vector<std::vector<int>> all_neighbours(const Run& run) {
  std::vector<std::vector<int>> neighbours;
  for (int rank = 0; rank < run.ranks(); ++rank) neighbours.push_back(run.neighbours(rank));
  return neighbours;
}

}  // namespace

void scans(Run& run) {
  const bool exclusive = run.chance.one_in(2);
  loop(run, 1, [&] { run.mpi.scan(exclusive ? "MPI_Exscan" : "MPI_Scan"); });
}

void irregular(Run& run) {
  const bool to_neighbours = run.chance.one_in(2);
  loop(run, run.a_few(), [&] {
    if (to_neighbours)
      run.mpi.meet_neighbours(all_neighbours(run));
    else
      run.mpi.meet("MPI_Reduce_scatter", run.mpi.everybody());
  });
}

void persistent(Run& run) {
  loop(run, run.a_few(), [&] {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_all(rank, run.neighbours(rank));
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.complete_exchange(rank, run.neighbours(rank));
  });
}

void protocols(Run& run) {
  loop(run, 1, [&] {
    for (int rank = 0; rank + 1 < run.ranks(); rank += 2) run.mpi.hand_over(rank, rank + 1);
    for (int rank = 1; rank + 1 < run.ranks(); rank += 2) run.mpi.hand_over(rank + 1, rank);
    run.halo();
  });
}

void fences(Run& run) {
  const Group window = run.mpi.group("W", run.mpi.everybody().ranks);
  loop(run, run.a_few(), [&] { run.mpi.meet("MPI_Win_fence", window); });
}

void epochs(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  loop(run, 1, [&] { run.mpi.put_to_next("W"); });
}

// All put into the memory of one rank, one after the other; one of them computes while it holds the lock.
void locks(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(10, 40);
  const double usual = work / run.ranks() / 4, extra = work * run.chance.between(5, 15) / 10;
  run.plant("update", {run.chance.between(1, run.ranks() - 1)});
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> times(static_cast<std::size_t>(run.ranks()), usual);
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) times[static_cast<std::size_t>(rank)] += extra;
    }
    run.mpi.put_locked("W", 0, "update", times);
    run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// Two collective operations under way at the same time, with work behind the start of each.
void two_at_once(Run& run) {
  loop(run, run.a_few(), [&] {
    run.mpi.start_collective("MPI_Iallreduce", 9);
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "inner", 3 * kMillisecond);
    run.mpi.start_collective("MPI_Iallgather", 10);
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "more", 2 * kMillisecond);
    run.mpi.complete_collective(false, 9);
    run.mpi.complete_collective(false, 10);
  });
}

// Rank 0 probes for results of the others, with pauses.
void probing(Run& run) {
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(15, 40), pause = run.chance.between(300, 2000);
  const bool sleeps = run.chance.one_in(2);
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(1, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      if (rank > 0) run.mpi.send(rank, 0);
    }
    run.mpi.serve_probing(0, "poll_pause", pause, sleeps);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.send(0, rank);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(rank, 0);
  }
}

}  // namespace waitdiag::test
