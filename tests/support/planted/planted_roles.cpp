// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {

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
  const int inner_collectives = run.chance.between(1, 3), talk = run.chance.between(0, 2);
  const Tree tree = run.tree();
  const Extra extra =
      plant_extra(run, "solve", work, both[static_cast<std::size_t>(run.chance.between(0, 1))].ranks);
  for (int step = 0; step < steps; ++step) {
    for (int part = 0; part < inner_collectives; ++part) {
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
    talk < 4 ? run.mpi.meet(kMeetings[talk], run.mpi.everybody()) : run.halo();
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

// Models of different kinds, each on ranks of its own, that exchange data now and then through their leaders.
// One of them has more to do, on all of its ranks.
void climate(Run& run) {
  constexpr const char* kModels[] = {"atmosphere", "ocean", "ice"};
  const int models = run.ranks() < 6 ? 2 : run.chance.between(2, 3);
  const int steps = run.chance.between(20, 50), inner = run.chance.between(1, 4);
  const double work = run.milliseconds(10, 30);
  const double extra = work * run.chance.between(3, 10) / 10;
  const int slow = run.chance.between(0, models - 1), talk = run.chance.between(0, 2);
  const Tree tree = run.tree();
  std::vector<Group> parts;
  for (int model = 0; model < models; ++model) {
    std::vector<int> ranks;
    for (int rank = model * run.ranks() / models; rank < (model + 1) * run.ranks() / models; ++rank)
      ranks.push_back(rank);
    parts.push_back(run.mpi.group(kModels[model], ranks));
  }
  const auto model_of = [&](std::size_t part) { return std::string(kModels[part]) + "_step"; };
  run.plant(model_of(static_cast<std::size_t>(slow)), parts[static_cast<std::size_t>(slow)].ranks);
  for (int step = 0; step < steps; ++step) {
    for (int part = 0; part < inner; ++part) {
      for (std::size_t model = 0; model < parts.size(); ++model) {
        for (const int rank : parts[model].ranks)
          run.mpi.compute(rank, model_of(model), work + (run.planted && run.guilty(rank) ? extra : 0));
        run.mpi.meet("MPI_Allreduce", parts[model]);
      }
    }
    const int first = parts[0].ranks.front();
    for (std::size_t model = 1; model < parts.size(); ++model) {
      run.mpi.send(first, parts[model].ranks.front());
      run.mpi.send(parts[model].ranks.front(), first);
    }
    for (std::size_t model = 1; model < parts.size(); ++model) {
      run.mpi.receive(first, parts[model].ranks.front());
      run.mpi.receive(parts[model].ranks.front(), first);
    }
    for (const Group& part : parts) {
      if (talk == 0) run.mpi.spread("MPI_Bcast", part, 0, tree);
      if (talk == 1) run.mpi.meet("MPI_Barrier", part);
      if (talk == 2) run.mpi.meet("MPI_Allreduce", part, "main/couple");
    }
  }
}

// Rank 0 computes, too, and then answers the others: it polls for any of their requests, and pauses if none
// has arrived.
void server(Run& run) {
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(15, 40), pause = run.chance.between(200, 1500);
  const bool sleeps = run.chance.one_in(2), some = run.chance.one_in(2);
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(1, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
      if (rank > 0) run.mpi.send(rank, 0);
    }
    run.mpi.serve(0, some ? "MPI_Testsome" : "MPI_Testany", "poll_pause", pause, sleeps);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.send(0, rank);
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(rank, 0);
  }
}

// Groups of ranks, in each of which another rank takes longer; now and then all meet.
void nested(Run& run) {
  const int steps = run.chance.between(40, 100), size = run.chance.between(2, 4);
  const double work = run.milliseconds(10, 40);
  std::vector<Group> groups;
  std::vector<int> late;
  for (int first = 0, next = 0; first < run.ranks(); first = next) {
    next = first + size + 1 < run.ranks() ? first + size : run.ranks();  // nobody is alone
    std::vector<int> ranks;
    for (int rank = first; rank < next; ++rank) ranks.push_back(rank);
    late.push_back(
        ranks[static_cast<std::size_t>(run.chance.between(0, static_cast<int>(ranks.size()) - 1))]);
    groups.push_back(run.mpi.group("part" + std::to_string(groups.size()), ranks));
  }
  const int meet_every = run.chance.between(1, 5);
  const Extra extra = plant_extra(run, "solve", work, late);
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    for (const Group& group : groups) run.mpi.meet("MPI_Allreduce", group);
    if (step % meet_every == 0) run.mpi.meet("MPI_Barrier", run.mpi.everybody());
  }
}

// Data of a node goes to its leader, the leaders meet, and tell their nodes.
void nodes(Run& run) {
  const int steps = run.chance.between(40, 100), size = run.chance.between(2, 4);
  const double work = run.milliseconds(10, 40);
  std::vector<Group> groups;
  std::vector<int> leaders;
  for (int first = 0; first < run.ranks(); first += size) {
    std::vector<int> ranks;
    for (int rank = first; rank < std::min(first + size, run.ranks()); ++rank) ranks.push_back(rank);
    leaders.push_back(first);
    groups.push_back(run.mpi.group("node" + std::to_string(groups.size()), ranks));
  }
  const Group all_leaders = run.mpi.group("leaders", leaders);
  const Extra extra = plant_extra(run, "solve", work, {run.chance.between(0, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      if (run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
    for (const Group& group : groups) run.mpi.collect("MPI_Reduce", group, 0, Tree::Flat);
    run.mpi.meet("MPI_Allreduce", all_leaders);
    for (const Group& group : groups) run.mpi.spread("MPI_Bcast", group, 0, Tree::Flat);
  }
}

// Clients ask rank 0, which answers one after the other: they wait for its answers.
void clients(Run& run) {
  const int steps = run.chance.between(40, 100);
  const double work = run.milliseconds(15, 40),
               answer = work / (run.ranks() - 1) * run.chance.between(12, 20) / 10;
  run.plant("answer", {0});
  run.truth.alone = false;
  run.waits_planted = [&mpi = run.mpi] { return mpi.waited_seconds() - mpi.waited_seconds(0); };
  for (int step = 0; step < steps; ++step) {
    for (int rank = 1; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, "solve", work);
      run.mpi.send(rank, 0);
    }
    for (int rank = 1; rank < run.ranks(); ++rank) {
      run.mpi.receive(0, rank, "main", true);
      if (run.planted) run.mpi.compute(0, "answer", answer);
      run.mpi.send(0, rank);
    }
    for (int rank = 1; rank < run.ranks(); ++rank) run.mpi.receive(rank, 0);
  }
}

}  // namespace waitdiag::test
