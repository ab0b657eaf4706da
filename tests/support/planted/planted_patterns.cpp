// Patterns of communication that programs write by themselves.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

int some_rank(Run& run) {
  return run.chance.between(0, run.ranks() - 1);
}

}  // namespace

// Sweeps round a ring of ranks, each from the next rank on, of which some end early; in the end all ranks have
// worked as often.
void wavefront(Run& run) {
  const int rounds = std::max(2, run.chance.between(60, 150) / run.ranks());
  const double work = run.milliseconds(5, 15);
  const double extra = work * run.chance.between(5, 15) / 10;
  run.plant("relax", {some_rank(run)});
  run.truth.alone = false;
  for (int round = 0; round < rounds; ++round) {
    const int length = run.chance.between(run.ranks() / 2 + 1, run.ranks());
    for (int first = 0; first < run.ranks(); ++first) {
      for (int i = 0; i < length; ++i) {
        const int rank = (first + i) % run.ranks();
        if (i > 0) run.mpi.receive(rank, (rank + run.ranks() - 1) % run.ranks());
        run.mpi.compute(rank, "relax", work + (run.planted && run.guilty(rank) ? extra : 0));
        if (i + 1 < length) run.mpi.send(rank, (rank + 1) % run.ranks());
      }
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Blocks go round a ring, so that each rank works on each block; all ranks work at the same time.
void ring(Run& run) {
  const int rounds = run.chance.between(60, 120);
  const double work = run.milliseconds(8, 25);
  const Extra extra = plant_extra(run, "interact", work, {some_rank(run)});
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "interact", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      run.mpi.send(rank, (rank + 1) % run.ranks());
    }
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.receive(rank, (rank + run.ranks() - 1) % run.ranks());
    if (round % run.ranks() == 0) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// Neighbours change from step to step.
void dynamic_halo(Run& run) {
  late_before(
      run, 6, [late = run.some(run.a_few(), 0, run.ranks() - 1)] { return late; },
      [&](int step) {
        const int apart = 1 + step % std::max(1, run.ranks() / 2);
        const auto partners = [&](int rank) {
          const int left = (rank + run.ranks() - apart % run.ranks()) % run.ranks(),
                    right = (rank + apart) % run.ranks();
          return left == right ? std::vector{left} : std::vector{left, right};
        };
        for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_exchange(rank, partners(rank));
        for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.complete_exchange(rank, partners(rank));
      });
}

// A reduction by messages along a binary tree, and the result back along it.
void hand_made_tree(Run& run) {
  late_before(
      run, 6, [late = some_rank(run)] { return std::vector{late}; },
      [&](int) {
        const auto for_each_child = [&](int rank, auto visit) {
          for (int child = 2 * rank + 1; child <= std::min(2 * rank + 2, run.ranks() - 1); ++child)
            visit(child);
        };
        for (int rank = run.ranks() - 1; rank >= 0; --rank) {
          for_each_child(rank, [&](int child) { run.mpi.receive(rank, child, "main/reduce"); });
          if (rank > 0) run.mpi.send(rank, (rank - 1) / 2, "main/reduce");
        }
        for (int rank = 0; rank < run.ranks(); ++rank) {
          if (rank > 0) run.mpi.receive(rank, (rank - 1) / 2, "main/share");
          for_each_child(rank, [&](int child) { run.mpi.send(rank, child, "main/share"); });
        }
      });
}

// Now and then some ranks read from disk, asleep for the most part; then the first of them tells all.
void readers(Run& run) {
  const int steps = run.chance.between(40, 100), every = run.chance.between(2, 6);
  const double work = run.milliseconds(10, 40), usual = work / 40;
  const double extra = work * run.chance.between(8, 20) / 10;
  const std::vector<int> reading = run.some(std::max(1, run.ranks() / 3), 0, run.ranks() - 1);
  const Tree tree = run.tree();
  run.plant("read_block", {reading.front()});
  run.truth.alone = false;  // the others wait for its usual time, too
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "solve", work);
    if (step % every != 0) {
      run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
      continue;
    }
    for (const int rank : reading)
      run.mpi.compute(rank, "read_block", usual + (run.planted && run.guilty(rank) ? extra : 0));
    run.mpi.spread("MPI_Bcast", run.mpi.everybody(), reading.front(), tree);
  }
}

// All put data into the memory of the next one between fences, behind which one has more to do with what came.
void late_origin(Run& run) {
  const Group window = run.mpi.group("W", run.mpi.everybody().ranks);
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(8, 25), inside = work / 2;
  const bool late_inside = run.chance.one_in(2);
  const Extra extra = plant_extra(run, late_inside ? "pack" : "apply", work, {some_rank(run)});
  for (int step = 0; step < steps; ++step) {
    run.mpi.meet("MPI_Win_fence", window);
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "pack", inside);
      if (late_inside && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    run.mpi.meet("MPI_Win_fence", window);
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "apply", work);
      if (!late_inside && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
  }
}

// A pipeline of three stages, the second of which several ranks share: the first hands items to them in turn,
// and the last takes them in the same order. One of these two works for longer than the others together.
void replicated_stage(Run& run) {
  const int last = run.ranks() - 1, workers = run.ranks() - 2;
  const int items = std::max(1, workers) * run.chance.between(10, 25);
  const double filter = run.milliseconds(20, 60);
  const double longer = filter / std::max(1, workers) * run.chance.between(12, 20) / 10;
  const bool first_late = run.chance.one_in(2);
  run.plant(first_late ? "load" : "store", {first_late ? 0 : last});
  run.truth.alone = false;
  for (int item = 0; item < items; ++item) {
    const int worker = workers > 0 ? 1 + item % workers : 0;
    if (run.planted && first_late) run.mpi.compute(0, "load", longer);
    if (worker > 0) {
      run.mpi.send(0, worker);
      run.mpi.receive(worker, 0);
      run.mpi.compute(worker, "filter", filter);
    }
    run.mpi.send(worker, last);
    run.mpi.receive(last, worker);
    if (run.planted && !first_late) run.mpi.compute(last, "store", longer);
  }
}

// Some steps do not converge, and are done again by all.
void restarts(Run& run) {
  const int steps = run.chance.between(40, 90), talk = run.chance.between(0, 3);
  const double work = run.milliseconds(10, 30);
  const Extra extra = plant_extra(run, "newton", work, run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    const int tries = run.chance.one_in(4) ? run.chance.between(2, 3) : 1;
    for (int attempt = 0; attempt < tries; ++attempt) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        if (attempt > 0) run.mpi.compute(rank, "restore", work / 4);
        run.mpi.compute(rank, "newton", work);
        if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      }
      run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/converged");
    }
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "advance", work / 2);
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// Ranks fetch the number of the next task from a counter of rank 0 under a lock. Until the tasks are used up
// nobody waits; one of the tasks, that somebody happens to get, is a long one.
void stealing(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const int rounds = run.chance.between(8, 20), tasks = run.ranks() * run.chance.between(4, 8);
  const double work = run.milliseconds(5, 12);
  const double extra = work * run.chance.between(6, 20) / 2;
  run.plant("long_task", {});
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> order(static_cast<std::size_t>(run.ranks()));
    std::iota(order.begin(), order.end(), 0);
    double released = 0;
    for (int task = 0; task < tasks; ++task) {
      const int rank = *std::ranges::min_element(order, {}, [&](int who) { return run.mpi.now(who); });
      run.mpi.fetch_locked("W", 0, rank, released);
      run.mpi.compute(rank, "task", work);
      if (task + 1 == tasks && run.planted) run.mpi.compute(rank, "long_task", extra);
    }
    run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// A recursive function whose leaves differ: one of them takes longer on some ranks, the others are innocent.
void recursion(Run& run) {
  constexpr const char* kLeaves[] = {"build/leaf", "build/build/leaf", "build/build/build/leaf"};
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int guilty = run.chance.between(0, 2);
  const double work = run.milliseconds(6, 15), extra = work * run.chance.between(5, 15) / 5;
  run.plant(kLeaves[guilty], run.some(run.a_few(), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      for (int leaf = 0; leaf < 3; ++leaf)
        run.mpi.compute(rank, kLeaves[leaf],
                        work + (run.planted && leaf == guilty && run.guilty(rank) ? extra : 0));
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

// Rows and columns of a grid of ranks, which meet in different phases.
void staggered(Run& run) {
  int columns = 2;
  while (columns * columns < run.ranks()) ++columns;
  std::vector<Group> rows, crossing;
  for (int first = 0; first < run.ranks(); first += columns) {
    std::vector<int> row(static_cast<std::size_t>(std::min(columns, run.ranks() - first)));
    std::iota(row.begin(), row.end(), first);
    if (row.size() > 1) rows.push_back(run.mpi.group("row" + std::to_string(first), row));
  }
  for (int first = 0; first < std::min(columns, run.ranks()); ++first) {
    std::vector<int> column;
    for (int rank = first; rank < run.ranks(); rank += columns) column.push_back(rank);
    if (column.size() > 1) crossing.push_back(run.mpi.group("column" + std::to_string(first), column));
  }
  const int steps = run.chance.between(40, 90);
  const double work = run.milliseconds(8, 25);
  const bool in_rows = run.chance.one_in(2);
  const Extra extra = plant_extra(run, in_rows ? "along_rows" : "along_columns", work, {some_rank(run)});
  for (int step = 0; step < steps; ++step) {
    for (int part = 0; part < 2; ++part) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, part == 0 ? "along_rows" : "along_columns", work);
        if (run.planted && run.guilty(rank) && in_rows == (part == 0))
          run.mpi.compute(rank, extra.function, extra.time);
      }
      for (const Group& group : part == 0 ? rows : crossing) run.mpi.meet("MPI_Allreduce", group);
    }
    if (step % 5 == 4) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// All have blocks of different sizes, and so different times, for each other; all the same for the whole run.
void uneven_blocks(Run& run) {
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(10, 30);
  std::vector<double> blocks;
  for (int rank = 0; rank < run.ranks(); ++rank) blocks.push_back(work * run.chance.between(95, 100) / 100);
  const int late = some_rank(run);
  const double extra = work * run.chance.between(6, 12) / 10;
  run.plant("transpose", {late});
  run.waits_planted = [] { return 0.0; };
  run.truth.alone = false;
  std::vector<std::vector<int>> everybody(static_cast<std::size_t>(run.ranks()));
  for (int rank = 0; rank < run.ranks(); ++rank)
    for (int other = 0; other < run.ranks(); ++other)
      if (other != rank) everybody[static_cast<std::size_t>(rank)].push_back(other);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const double more = run.planted && run.guilty(rank) ? extra : 0;
      run.mpi.compute(rank, "transpose", blocks[static_cast<std::size_t>(rank)] + more);
      run.mpi.compute(rank, "filter", work / 2);
    }
    run.mpi.meet_neighbours(everybody);
  }
}

}  // namespace waitdiag::test
