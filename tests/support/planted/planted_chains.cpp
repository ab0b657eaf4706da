// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {

void token(Run& run) {
  const int steps = run.chance.between(15, 40);
  const double solve = run.milliseconds(10, 40), write = run.milliseconds(2, 6);
  const double extra = write * run.chance.between(10, 30) / 2;
  run.plant("write", {run.chance.between(0, run.ranks() - 1)});
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "solve", solve);
    for (int rank = 0; rank < run.ranks(); ++rank) {
      if (rank > 0) run.mpi.receive(rank, rank - 1);
      run.mpi.compute(rank, "write", write + (run.planted && run.guilty(rank) ? extra : 0));
      if (rank + 1 < run.ranks()) run.mpi.send(rank, rank + 1);
    }
    run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

void pipeline(Run& run) {
  const int sweeps = run.chance.between(4, 12), blocks = run.chance.between(10, 20);
  const double work = run.milliseconds(5, 15);
  const double extra = run.chance.one_in(4) ? 0 : work * run.chance.between(5, 15) / 10;
  const int late = run.chance.between(0, run.ranks() - 1);
  run.plant("sweep_block", extra > 0 ? std::vector{late} : std::vector<int>{});
  run.truth.alone = false;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int block = 0; block < blocks; ++block) {
      for (int i = 0; i < run.ranks(); ++i) {
        const int forward = sweep % 2 == 0 ? 1 : -1;
        const int rank = forward > 0 ? i : run.ranks() - 1 - i;
        if (i > 0) run.mpi.receive(rank, rank - forward);
        run.mpi.compute(rank, "sweep_block", work + (run.planted && run.guilty(rank) ? extra : 0));
        if (i + 1 < run.ranks()) run.mpi.send(rank, rank + forward);
      }
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Sweeps through a grid of ranks from its corners; one rank takes longer, or none.
void sweep(Run& run) {
  int columns = 1;
  while (columns * columns < run.ranks()) ++columns;
  while (run.ranks() % columns != 0) ++columns;
  const int rows = run.ranks() / columns;
  const int sweeps = run.chance.between(4, 10), blocks = run.chance.between(6, 16);
  const double work = run.milliseconds(4, 12);
  const double extra = run.chance.one_in(3) ? 0 : work * run.chance.between(5, 15) / 10;
  run.plant("sweep_block",
            extra > 0 ? std::vector{run.chance.between(0, run.ranks() - 1)} : std::vector<int>{});
  run.truth.alone = false;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool down = sweep % 2 == 0, right = sweep / 2 % 2 == 0;
    for (int block = 0; block < blocks; ++block) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          const int row = down ? i : rows - 1 - i, column = right ? j : columns - 1 - j;
          const int rank = row * columns + column;
          const int above = rank - (down ? columns : -columns), beside = rank - (right ? 1 : -1);
          if (i > 0) run.mpi.receive(rank, above);
          if (j > 0) run.mpi.receive(rank, beside);
          run.mpi.compute(rank, "sweep_block", work + (run.planted && run.guilty(rank) ? extra : 0));
          if (i + 1 < rows) run.mpi.send(rank, 2 * rank - above);
          if (j + 1 < columns) run.mpi.send(rank, 2 * rank - beside);
        }
      }
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
