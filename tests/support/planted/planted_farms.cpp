// Ranks that take tasks, write for others, or take turns at being late.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

void all_compute(Run& run, const std::string& function, double time, const Extra& extra) {
  for (int rank = 0; rank < run.ranks(); ++rank) {
    run.mpi.compute(rank, function, time);
    if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
  }
}

}  // namespace

// Memory of the next one, which opens it in every step; work lies inside the epoch and behind it.
void epoch_ring(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(2, 12);
  const double inside = run.milliseconds(5, 20), behind = run.milliseconds(5, 20);
  const bool late_inside = run.chance.one_in(2);
  const double extra = (inside + behind) * run.chance.between(3, 10) / 10;
  run.plant(late_inside ? "pack" : "solve", {run.chance.between(0, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    std::vector<double> first(static_cast<std::size_t>(run.ranks()), inside), second(first.size(), behind);
    for (std::size_t rank = 0; rank < first.size(); ++rank)
      if (run.planted && run.guilty(static_cast<int>(rank))) (late_inside ? first : second)[rank] += extra;
    run.mpi.put_around("W", first, second, "pack", "solve");
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Each changes memory of some other rank under its lock. One works for longer while it holds it, or before.
void lock_farm(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(1, 4);
  const double work = run.milliseconds(10, 40), usual = run.milliseconds(1, 3);
  const bool holding = run.chance.one_in(2);
  const double extra = work * run.chance.between(5, 15) / 10;
  run.plant(holding ? "update" : "solve", {run.chance.between(0, run.ranks() - 1)});
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    std::vector<int> order(static_cast<std::size_t>(run.ranks()));
    std::iota(order.begin(), order.end(), 0);
    for (const int rank : order)
      run.mpi.compute(rank, "solve", work + (run.planted && !holding && run.guilty(rank) ? extra : 0));
    std::vector<int> targets;
    for (int rank = 0; rank < run.ranks(); ++rank) targets.push_back(run.chance.between(0, run.ranks() - 1));
    std::vector<double> released(order.size());
    std::ranges::stable_sort(order, {}, [&](int rank) { return run.mpi.now(rank); });
    for (const int rank : order) {
      const int to = targets[static_cast<std::size_t>(rank)];
      run.mpi.lock_one("W", to, rank, "update",
                       usual + (run.planted && holding && run.guilty(rank) ? extra : 0),
                       released[static_cast<std::size_t>(to)]);
    }
    if (step % meet_every == 0) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// All prepare the same, and are told by rank 0; then rank 0 hands out tasks. Preparing takes longer on one.
void task_farm(Run& run) {
  const int rounds = run.chance.between(5, 12), workers = run.ranks() - 1, each = run.chance.between(2, 5);
  const double work = run.milliseconds(5, 15), setup = run.milliseconds(10, 40);
  const Tree tree = run.tree();
  const bool spread = run.chance.one_in(2);
  // Handing out tasks makes ranks wait as well, but for less.
  const Extra extra = plant_extra(run, "setup", 3 * (setup + work * each),
                                  {spread ? 0 : run.chance.between(0, run.ranks() - 1)});
  for (int round = 0; round < rounds; ++round) {
    all_compute(run, "setup", setup, extra);
    if (spread)
      run.mpi.spread("MPI_Bcast", run.mpi.everybody(), 0, tree);
    else
      run.mpi.meet("MPI_Barrier", run.mpi.everybody());
    int left = workers * each;
    std::vector<int> busy;
    const auto hand_out = [&](int to) {
      run.mpi.send(0, to);
      run.mpi.receive(to, 0);
      run.mpi.compute(to, "task", work);
      run.mpi.send(to, 0);
      --left;
    };
    for (int rank = 1; rank <= workers; ++rank) hand_out(busy.emplace_back(rank));
    while (!busy.empty()) {
      const auto first =
          std::ranges::min_element(busy, {}, [&](int rank) { return run.mpi.arrival(0, rank); });
      const int worker = *first;
      run.mpi.receive(0, worker, "main", true);
      if (left > 0)
        hand_out(worker);
      else
        busy.erase(first);
    }
    run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// Ranks take the numbers of tasks from a counter. What they do before takes longer on one, or one task does.
void counter_farm(Run& run) {
  run.mpi.group("W", run.mpi.everybody().ranks);
  const int rounds = run.chance.between(8, 20), tasks = run.ranks() * run.chance.between(3, 6);
  const double work = run.milliseconds(5, 15), setup = run.milliseconds(10, 30);
  const bool long_task = run.chance.one_in(2);
  const double more = setup * run.chance.between(8, 20) / 10;
  if (long_task)
    run.plant("long_task", {});
  else
    run.plant("setup", {run.chance.between(0, run.ranks() - 1)});
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.compute(rank, "setup", setup + (run.planted && !long_task && run.guilty(rank) ? more : 0));
    if (!long_task) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
    std::vector<int> order(static_cast<std::size_t>(run.ranks()));
    std::iota(order.begin(), order.end(), 0);
    const auto earliest = [&] {
      return *std::ranges::min_element(order, {}, [&](int who) { return run.mpi.now(who); });
    };
    for (int task = 0; task < tasks; ++task) {
      const int rank = earliest();
      run.mpi.count_up("W", 0, rank);
      run.mpi.compute(rank, "task", work);
      if (long_task && task + 1 == tasks && run.planted) run.mpi.compute(rank, "long_task", more);
    }
    for (const int rank : order) run.mpi.count_up("W", 0, rank);  // nothing is left
    run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// One rank writes what the others hand it now and then, and takes longer than they compute meanwhile.
void writer(Run& run) {
  const int last = run.ranks() - 1;
  const int outputs = run.chance.between(12, 30), between = run.chance.between(2, 6);
  const double work = run.milliseconds(4, 12), usual = work / 10;
  const double longer = work * between * run.chance.between(12, 20) / 10;
  run.plant("write_output", {last});
  run.truth.alone = false;
  for (int output = 0; output < outputs; ++output) {
    for (int step = 0; step < between; ++step) {
      for (int rank = 0; rank < last; ++rank) run.mpi.compute(rank, "solve", work);
      for (int rank = 0; rank < last && last > 1; ++rank) {
        const int left = (rank + last - 1) % last, right = (rank + 1) % last;
        run.mpi.start_exchange(rank, left == right ? std::vector{left} : std::vector{left, right});
      }
      for (int rank = 0; rank < last && last > 1; ++rank) {
        const int left = (rank + last - 1) % last, right = (rank + 1) % last;
        run.mpi.complete_exchange(rank, left == right ? std::vector{left} : std::vector{left, right});
      }
    }
    for (int rank = 0; rank < last; ++rank) run.mpi.hand_over(rank, last);
    run.mpi.compute(last, "write_output", usual + (run.planted ? longer : 0));
  }
}

// Load moves between neighbours, who only exchange halos: in each part of the run another one has more, which its
// neighbours have to do less.
void moving_load(Run& run) {
  const int stays = run.chance.between(5, 15);
  const int parts = std::max(2, 80 / stays), meet_every = run.chance.between(3, 20);
  const double work = run.milliseconds(10, 40);
  const double more = work * run.chance.between(3, 9) / 10;
  const int first = run.chance.between(0, run.ranks() - 1);
  run.plant("solve", {});
  for (int step = 0; step < stays * parts; ++step) {
    const int heavy = (first + step / stays) % run.ranks();
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work + (run.planted && rank == heavy ? more : 0));
      run.mpi.compute(rank, "update", work / 3);
    }
    run.halo();
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

// Two functions take longer, each on a rank of its own and in steps of its own, for a few steps at a time.
void taking_turns(Run& run) {
  const int steps = run.chance.between(60, 120), first_for = run.chance.between(1, 4),
            second_for = run.chance.between(1, 4), talk = run.chance.between(0, 4);
  const double work = run.milliseconds(10, 30), usual = run.chance.one_in(2) ? work / 4 : 0;
  const double first = work * run.chance.between(6, 12) / 10;
  // What both make others wait for in all differs by a third at least.
  const double second = first * first_for / second_for * run.chance.between(3, 7) / 10;
  const std::vector<int> late = run.some(2, 0, run.ranks() - 1);
  const bool swapped = run.chance.one_in(2);
  run.plant("remesh", {swapped ? late.back() : late.front()});
  run.truth.second = "main/sort_particles";
  run.truth.alone = talk < 4;  // through halos both may be late for the same one
  for (int step = 0; step < steps; ++step) {
    const bool is_first = step % (first_for + second_for) < first_for;
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const bool other = rank == (swapped ? late.front() : late.back());
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, "remesh", usual + (run.planted && is_first && run.guilty(rank) ? first : 0));
      run.mpi.compute(rank, "sort_particles",
                      usual + (run.second_planted && !is_first && other ? second : 0));
    }
    talk < 4 ? run.mpi.meet(kMeetings[talk], run.mpi.everybody()) : run.halo();
    if (talk == 4 && step % 8 == 7) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
