// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted_programs.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "tests/support/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kMillisecond = 1000;

// One run of a program, with the cause or without it: both draw the same numbers.
struct Run {
  SimulatedRanks& mpi;
  Chance chance;
  bool planted;
  PlantedTruth& truth;
  // The waiting that is the cause's fault, where it is not just what there is less of without it.
  std::function<double()> waits_planted{};

  int ranks() const { return mpi.ranks(); }
  bool guilty(int rank) const { return std::ranges::count(truth.ranks, rank) > 0; }
  double milliseconds(int low, int high) { return chance.between(low, high) * kMillisecond; }
  Tree tree() { return static_cast<Tree>(chance.between(0, 3)); }
  // Different ones, in order.
  std::vector<int> some(int count, int first, int last) {
    std::vector<int> found;
    while (static_cast<int>(found.size()) < count) {
      const int rank = chance.between(first, last);
      if (std::ranges::count(found, rank) == 0) found.push_back(rank);
    }
    std::ranges::sort(found);
    return found;
  }
  void plant(const std::string& function, std::vector<int> where) {
    truth.call_path = "main/" + function;
    truth.ranks = std::move(where);
  }
  std::vector<int> neighbours(int rank) const {
    const int left = (rank + ranks() - 1) % ranks(), right = (rank + 1) % ranks();
    return left == right ? std::vector{left} : std::vector{left, right};
  }
};

const char* const kPhases[] = {"advect", "diffuse", "project", "radiate"};
const char* const kMeetings[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Alltoall", "MPI_Allgather"};

// More of the function itself, or of another one that only the guilty ranks run.
struct Extra {
  std::string function;
  double time;
};
Extra plant_extra(Run& run, const std::string& function, double work, std::vector<int> where) {
  const Extra extra{run.chance.one_in(2) ? function : "refine", work * run.chance.between(3, 10) / 10};
  run.plant(extra.function, std::move(where));
  return extra;
}

int a_few(Run& run) {
  return run.chance.between(1, std::max(1, run.ranks() / 4));
}

void halo(Run& run) {
  for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_exchange(rank, run.neighbours(rank));
  for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.complete_exchange(rank, run.neighbours(rank));
}

void spmd(Run& run) {
  const int steps = run.chance.between(40, 120), phases = run.chance.between(2, 4);
  std::vector<double> work;
  std::vector<int> talks;
  for (int phase = 0; phase < phases; ++phase) {
    work.push_back(run.milliseconds(5, 25));
    talks.push_back(run.chance.between(0, 5));
  }
  talks.back() %= 4;
  const int slow = run.chance.between(0, phases - 1);
  const Extra extra = plant_extra(run, kPhases[slow], work[static_cast<std::size_t>(slow)],
                                  run.some(a_few(run), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int phase = 0; phase < phases; ++phase) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, kPhases[phase], work[static_cast<std::size_t>(phase)]);
        if (phase == slow && run.guilty(rank) && run.planted)
          run.mpi.compute(rank, extra.function, extra.time);
      }
      if (talks[static_cast<std::size_t>(phase)] < 4)
        run.mpi.meet(kMeetings[talks[static_cast<std::size_t>(phase)]], run.mpi.everybody(),
                     std::string("main/") + kPhases[phase]);
      else
        halo(run);
    }
  }
}

void overlap(Run& run) {
  const int steps = run.chance.between(40, 120);
  const bool collective = run.chance.one_in(2);
  const double inner = run.milliseconds(5, 15), outer = run.milliseconds(10, 25);
  const bool late_inside = run.chance.one_in(3);
  const Extra extra = plant_extra(run, late_inside ? "inner" : "outer", inner + outer,
                                  run.some(a_few(run), 0, run.ranks() - 1));
  const auto compute = [&](const char* function, double time, bool guilty) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, function, time);
      if (guilty && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
  };
  for (int step = 0; step < steps; ++step) {
    compute("outer", outer, !late_inside);
    if (collective) run.mpi.start_meeting("MPI_Iallreduce");
    for (int rank = 0; rank < run.ranks() && !collective; ++rank)
      run.mpi.start_exchange(rank, run.neighbours(rank));
    compute("inner", inner, late_inside);
    if (collective) run.mpi.complete_meeting();
    for (int rank = 0; rank < run.ranks() && !collective; ++rank)
      run.mpi.complete_exchange(rank, run.neighbours(rank));
    if (step % 4 == 3) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

void trees(Run& run) {
  const int steps = run.chance.between(30, 80), kind = run.chance.between(0, 3);
  const Tree tree = run.tree();
  const int root = run.chance.one_in(2) ? 0 : run.chance.between(0, run.ranks() - 1);
  const double work = run.milliseconds(10, 40);
  const int barrier_every = run.chance.between(1, 5);
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(0, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    const Group all = run.mpi.everybody();
    if (kind % 2 == 0) run.mpi.spread(kind == 0 ? "MPI_Bcast" : "MPI_Scatter", all, root, tree);
    if (kind % 2 == 1) run.mpi.collect(kind == 1 ? "MPI_Reduce" : "MPI_Gather", all, root, tree);
    if (step % barrier_every == 0) run.mpi.meet("MPI_Barrier", all);
  }
}

void callers(Run& run) {
  const int steps = run.chance.between(40, 120);
  const double work = run.milliseconds(5, 20);
  const double extra = work * run.chance.between(5, 10) / 5;
  const std::vector<int> writers = run.some(a_few(run), 0, run.ranks() - 1);
  run.plant("assemble/kernel", run.some(a_few(run), 0, run.ranks() - 1));
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve/kernel", work);
      run.mpi.compute(rank, "assemble/kernel", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, "assemble/kernel", extra);
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/solve");
    for (const int rank : writers) run.mpi.compute(rank, "write/kernel", extra / 2);
    run.mpi.meet("MPI_Barrier", run.mpi.everybody(), "main/write");
  }
}

void rare_steps(Run& run) {
  const int steps = run.chance.between(60, 160), every = run.chance.between(4, 12);
  const double work = run.milliseconds(10, 40), extra = run.milliseconds(20, 150);
  const bool in_turn = run.chance.one_in(2);
  std::vector<int> late;
  if (in_turn)
    for (int rank = 0; rank < run.ranks() && rank * every + every - 1 < steps; ++rank) late.push_back(rank);
  else
    late = {run.chance.between(0, run.ranks() - 1)};
  run.plant("rebuild", late);
  int turn = 0;
  for (int step = 0; step < steps; ++step) {
    const bool slow = step % every == every - 1;
    const int who = in_turn ? turn % run.ranks() : late.front();
    turn += slow ? 1 : 0;
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.compute(rank, "update", work / 2);
      if (slow && rank == who && run.planted) run.mpi.compute(rank, "rebuild", extra);
    }
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

void groups(Run& run) {
  const int steps = run.chance.between(40, 100), border = run.chance.between(1, run.ranks() - 1);
  const double work = run.milliseconds(10, 40);
  std::array<Group, 2> both;
  for (int half = 0; half < 2; ++half) {
    std::vector<int> ranks;
    for (int rank = half == 0 ? 0 : border; rank < (half == 0 ? border : run.ranks()); ++rank)
      ranks.push_back(rank);
    both[static_cast<std::size_t>(half)] = run.mpi.group(half == 0 ? "ocean" : "ice", ranks);
  }
  const int inner_meetings = run.chance.between(1, 3), talk = run.chance.between(0, 2);
  const Tree tree = run.tree();
  const Extra extra =
      plant_extra(run, "solve", work, both[static_cast<std::size_t>(run.chance.between(0, 1))].ranks);
  for (int step = 0; step < steps; ++step) {
    for (int part = 0; part < inner_meetings; ++part) {
      for (int rank = 0; rank < run.ranks(); ++rank) {
        run.mpi.compute(rank, "solve", work);
        if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      }
      for (const Group& half : both) run.mpi.meet("MPI_Allreduce", half);
    }
    run.mpi.send(0, border);
    run.mpi.send(border, 0);
    run.mpi.receive(0, border);
    run.mpi.receive(border, 0);
    for (const Group& half : both) {
      if (talk == 0) run.mpi.spread("MPI_Bcast", half, 0, tree);
      if (talk == 1) run.mpi.meet("MPI_Barrier", half);
      if (talk == 2) run.mpi.meet("MPI_Allreduce", half, "main/couple");
    }
  }
}

void different_work(Run& run) {
  const int steps = run.chance.between(40, 120);
  const int border = run.chance.between(2, run.ranks() - 2);
  const double work = run.milliseconds(15, 40);
  const double extra = work * run.chance.between(3, 10) / 10;
  const bool first_half = run.chance.one_in(2);
  const int first = first_half ? 0 : border, last = first_half ? border - 1 : run.ranks() - 1;
  run.plant(first_half ? "assemble" : "factor", {run.chance.between(first, last)});
  const int talk = run.chance.between(0, 4);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const bool more = run.planted && run.guilty(rank);
      run.mpi.compute(rank, rank < border ? "assemble" : "factor", work + (more ? extra : 0));
    }
    talk < 4 ? run.mpi.meet(kMeetings[talk], run.mpi.everybody()) : halo(run);
    if (talk == 4 && step % 5 == 4) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
}

void master_and_workers(Run& run) {
  const int steps = run.chance.between(40, 120);
  const double work = run.milliseconds(15, 40);
  const double extra = work * run.chance.between(5, 15) / 10;
  run.plant("work", {run.chance.between(1, run.ranks() - 1)});
  run.truth.alone = false;
  for (int step = 0; step < steps; ++step) {
    run.mpi.compute(0, "prepare", kMillisecond);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.send(0, rank);
    for (int rank = 1; rank < run.ranks(); ++rank) {
      run.mpi.receive(rank, 0);
      run.mpi.compute(rank, "work", work + (run.planted && run.guilty(rank) ? extra : 0));
      run.mpi.send(rank, 0);
    }
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(0, rank);
  }
}

void task_queue(Run& run) {
  const int workers = run.ranks() - 1, tasks = workers * run.chance.between(10, 30);
  const double work = run.milliseconds(20, 60);
  const double prepare = work / workers * run.chance.between(12, 20) / 10;
  run.plant("prepare", {0});
  const auto hand_out = [&](int to) {
    if (run.planted) run.mpi.compute(0, "prepare", prepare);
    run.mpi.send(0, to);
    run.mpi.receive(to, 0);
    run.mpi.compute(to, "work", work);
    run.mpi.send(to, 0);
  };
  run.waits_planted = [&mpi = run.mpi] { return mpi.waited_seconds() - mpi.waited_seconds(0); };
  int handed_out = 0;
  std::vector<int> busy;
  for (int rank = 1; rank <= workers; ++rank, ++handed_out) hand_out(busy.emplace_back(rank));
  while (!busy.empty()) {
    const auto first = std::ranges::min_element(busy, {}, [&](int rank) { return run.mpi.arrival(0, rank); });
    const int worker = *first;
    run.mpi.receive(0, worker, "main", true);
    if (handed_out++ < tasks)
      hand_out(worker);
    else
      busy.erase(first);
  }
}

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

void event_loop(Run& run) {
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
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.poll(0, rank, "poll_pause", pause, sleeps);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.send(0, rank);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(rank, 0);
  }
}

using Shape = void (*)(Run&);
constexpr Shape kShapes[] = {spmd,       overlap, trees,          callers,
                             rare_steps, groups,  different_work, master_and_workers,
                             task_queue, token,   pipeline,       event_loop};
static_assert(std::size(kShapes) == std::size(kPlantedShapes));

}  // namespace

PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled) {
  constexpr int kSizes[] = {2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32, 64};
  constexpr double kNoise[] = {0, 0, 0.01, 0.03};
  const auto which = std::ranges::find(kPlantedShapes, shape) - std::begin(kPlantedShapes);
  Chance chance(seed * std::size(kShapes) + static_cast<std::size_t>(which));
  const bool halves = shape == "Groups" || shape == "DifferentWork";
  const int ranks =
      std::max(kSizes[chance.between(0, static_cast<int>(std::size(kSizes)) - 1)], halves ? 4 : 2);
  const double noise = kNoise[chance.between(0, static_cast<int>(std::size(kNoise)) - 1)];
  PlantedProgram program;
  PlantedTruth& truth = program.truth;
  for (const bool planted : {false, true}) {
    SimulatedRanks mpi(ranks, seed, sampled, noise);
    Run run{mpi, chance, planted, truth};
    mpi.meet("MPI_Barrier", mpi.everybody());
    kShapes[which](run);
    mpi.meet("MPI_Barrier", mpi.everybody());
    const double waited_before = truth.waited_s;
    (planted ? truth.seconds : truth.runtime_s) = mpi.seconds();
    truth.waited_s = mpi.waited_seconds();
    truth.share = (run.waits_planted ? run.waits_planted() : truth.waited_s - waited_before) / truth.waited_s;
    if (planted) program.text = mpi.text();
  }
  return program;
}

}  // namespace waitdiag::test
