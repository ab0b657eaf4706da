// What hybrid and coupled codes do: grids that are refined, servers for output, threads with locks, groups within groups.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

void work_of(Run& run, int rank, const std::string& function, double time, const Extra& extra, bool late) {
  run.mpi.compute(rank, function, time);
  if (late && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
}

std::vector<int> from_to(int first, int last) {
  std::vector<int> ranks;
  for (int rank = first; rank < last; ++rank) ranks.push_back(rank);
  return ranks;
}

// Some pairs of ranks, of which each has something for the other.
std::vector<std::vector<int>> some_pairs(Run& run) {
  std::vector<std::vector<int>> partners(static_cast<std::size_t>(run.ranks()));
  for (int pair = run.a_few(); pair > 0; --pair) {
    const std::vector<int> both = run.some(2, 0, run.ranks() - 1);
    auto& first = partners[static_cast<std::size_t>(both[0])];
    auto& second = partners[static_cast<std::size_t>(both[1])];
    if (!first.empty() || !second.empty()) continue;
    first.push_back(both[1]);
    second.push_back(both[0]);
  }
  return partners;
}

}  // namespace

// Finding out what to refine takes longer on one rank, or each step does.
void regridding(Run& run) {
  const int steps = run.chance.between(40, 100), every = run.chance.between(4, 10);
  const double work = run.milliseconds(10, 40), tag = work * run.chance.between(5, 15) / 10;
  const bool in_tagging = run.chance.one_in(2);
  Extra extra =
      plant_extra(run, in_tagging ? "tag_cells" : "advance", work, {run.chance.between(0, run.ranks() - 1)});
  if (in_tagging) extra.time *= every;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) work_of(run, rank, "advance", work, extra, !in_tagging);
    run.halo();
    run.mpi.meet("MPI_Allreduce", run.mpi.everybody(), "main/find_dt");
    if (step % every != every - 1) continue;
    for (int rank = 0; rank < run.ranks(); ++rank) work_of(run, rank, "tag_cells", tag, extra, in_tagging);
    run.mpi.meet("MPI_Allgather", run.mpi.everybody(), "main/regrid");
    run.mpi.meet_neighbours(some_pairs(run));
  }
}

// A server takes longer to write than its clients take until the next output.
void output_servers(Run& run) {
  const int servers = run.ranks() < 8 ? 1 : 2, clients = run.ranks() - servers;
  const int outputs = run.chance.between(10, 25), between = run.chance.between(1, 5);
  const double work = run.milliseconds(10, 30);
  const int slow = clients + run.chance.between(0, servers - 1);
  std::vector<std::vector<int>> clients_of(static_cast<std::size_t>(servers));
  for (int rank = 0; rank < clients; ++rank)
    clients_of[static_cast<std::size_t>(rank % servers)].push_back(rank);
  const auto server_of = [&](int rank) { return clients + rank % servers; };
  const double usual = work / 50;
  const double extra = work * between * run.chance.between(13, 20) / 10 /
                       static_cast<double>(clients_of[static_cast<std::size_t>(slow - clients)].size());
  run.plant("write_block", {slow});
  run.truth.alone = false;  // servers wait as well
  run.waits_planted = [&mpi = run.mpi, clients] {
    double waited = 0;
    for (int rank = 0; rank < clients; ++rank) waited += mpi.waited_seconds(rank);
    return waited;
  };
  for (int output = 0; output < outputs; ++output) {
    for (int step = 0; step < between; ++step) {
      for (int rank = 0; rank < clients; ++rank) run.mpi.compute(rank, "solve", work);
      const Group group{.communicator = "", .ranks = from_to(0, clients)};
      for (const int rank : group.ranks) {
        const int left = (rank + clients - 1) % clients, right = (rank + 1) % clients;
        if (clients > 1)
          run.mpi.start_exchange(rank, left == right ? std::vector{left} : std::vector{left, right});
      }
      for (const int rank : group.ranks) {
        const int left = (rank + clients - 1) % clients, right = (rank + 1) % clients;
        if (clients > 1)
          run.mpi.complete_exchange(rank, left == right ? std::vector{left} : std::vector{left, right});
      }
    }
    for (int rank = 0; rank < clients; ++rank) {
      if (output > 0) run.mpi.receive(rank, server_of(rank), "main/output");
      run.mpi.send(rank, server_of(rank), "main/output");
    }
    for (int server = 0; server < servers; ++server)
      run.mpi.answer_probed(clients + server, clients_of[static_cast<std::size_t>(server)], "write_block",
                            usual + (run.planted && clients + server == slow ? extra : 0));
  }
  for (int rank = 0; rank < clients; ++rank) run.mpi.receive(rank, server_of(rank), "main/output");
}

// Threads and the main thread of each rank need the same lock. On some ranks one thread holds it for longer.
void critical_section(Run& run) {
  const int steps = run.chance.between(40, 100), talk = run.chance.between(0, 3);
  const int helpers = run.chance.between(1, 3);
  const double work = run.milliseconds(10, 20), usual = work * run.chance.between(1, 4) / 10;
  const auto late = static_cast<std::size_t>(run.chance.between(0, helpers - 1));
  Extra extra = plant_in_threads(run, work * run.chance.between(5, 15) / 10);
  if (extra.function == "assemble") extra.function = "update";
  run.truth.call_path = "work/" + extra.function;
  std::vector<std::vector<int>> pool;
  for (int helper = 0; helper < helpers; ++helper) pool.push_back(thread_of_each(run));
  for (const auto& threads : pool)
    for (const int thread : threads) run.mpi.start(thread);
  for (int step = 0; step < steps; ++step) {
    const bool first = step == 0;
    for (int rank = 0; rank < run.ranks(); ++rank) {
      const auto of_rank = static_cast<std::size_t>(rank);
      for (const auto& threads : pool) {
        run.mpi.wake(rank, threads[of_rank]);  // the next step
        run.mpi.compute(threads[of_rank], "assemble", work);
      }
      run.mpi.compute(rank, "assemble", work);
      for (std::size_t turn = 0; turn < pool.size(); ++turn) {
        const int thread = pool[turn][of_rank];
        run.mpi.take_lock(thread, first);
        run.mpi.compute(thread, "update", usual);
        if (turn == late && run.planted && run.guilty(rank))
          run.mpi.compute(thread, extra.function, extra.time);
        run.mpi.hand_lock(thread, turn + 1 < pool.size() ? pool[turn + 1][of_rank] : rank, first);
      }
      run.mpi.compute(rank, "update", usual);
    }
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
  for (const auto& threads : pool)
    for (std::size_t rank = 0; rank < threads.size(); ++rank) {
      run.mpi.wake(static_cast<int>(rank), threads[rank]);
      run.mpi.join(threads[rank]);
    }
}

// One is late before it starts the operation, or with the work that all do meanwhile.
void tested_collective(Run& run) {
  const int steps = run.chance.between(40, 100), parts = run.chance.between(2, 8);
  const double work = run.milliseconds(10, 40), part = work * run.chance.between(3, 10) / 10 / parts;
  const double pause = run.chance.between(200, 1000);
  const Extra extra =
      plant_extra(run, "solve", work + part * parts, {run.chance.between(0, run.ranks() - 1)});
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank) work_of(run, rank, "solve", work, extra, true);
    run.mpi.start_collective("MPI_Iallreduce");
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.test_collective(rank, parts, "precondition", part, "poll_pause", pause);
  }
}

// The rows of one model reduce among themselves, their leaders meet; the other model gathers at its root. Both exchange
// through their first ranks, and tell the others.
void nested_roles(Run& run) {
  const int border = std::max(2, run.ranks() * run.chance.between(5, 7) / 10), row = run.chance.between(2, 4);
  const int steps = run.chance.between(30, 80);
  const double work = run.milliseconds(10, 30);
  const Tree tree = run.tree();
  std::vector<Group> rows;
  std::vector<int> first_of_rows;
  for (int rank = 0; rank < border; rank += row) {
    rows.push_back(
        run.mpi.group("row" + std::to_string(rows.size()), from_to(rank, std::min(rank + row, border))));
    first_of_rows.push_back(rank);
  }
  const Group leaders = run.mpi.group("leaders", first_of_rows);
  const Group chemistry = run.mpi.group("chemistry", from_to(border, run.ranks()));
  const bool in_chemistry = run.chance.one_in(3);
  const Extra extra = plant_extra(
      run, in_chemistry ? "react" : "dynamics", work,
      {in_chemistry ? run.chance.between(border, run.ranks() - 1) : run.chance.between(0, border - 1)});
  for (int step = 0; step < steps; ++step) {
    for (const Group& one : rows) {
      for (const int rank : one.ranks) work_of(run, rank, "dynamics", work, extra, !in_chemistry);
      run.mpi.meet("MPI_Allreduce", one);
    }
    run.mpi.meet("MPI_Allgather", leaders, "main/exchange_rows");
    for (const int rank : chemistry.ranks) work_of(run, rank, "react", work, extra, in_chemistry);
    run.mpi.collect("MPI_Gather", chemistry, 0, tree);
    run.mpi.send(0, border, "main/couple");
    run.mpi.send(border, 0, "main/couple");
    run.mpi.receive(0, border, "main/couple");
    run.mpi.receive(border, 0, "main/couple");
    run.mpi.spread("MPI_Bcast", chemistry, 0, tree);
    run.mpi.spread("MPI_Bcast", leaders, 0, tree);
    for (const Group& one : rows) run.mpi.spread("MPI_Bcast", one, 0, tree);
  }
}

// The owner's work takes longer than that of the others.
void busy_owner(Run& run) {
  const int steps = run.chance.between(40, 100), parts = run.chance.between(4, 12),
            talk = run.chance.between(0, 3);
  const int owner = run.chance.between(0, run.ranks() - 1);
  run.mpi.group("W", run.mpi.everybody().ranks);
  const double work = run.milliseconds(15, 40);
  const double extra = work * run.chance.between(4, 12) / 10;
  run.plant("update_table", {owner});
  run.truth.alone = false;  // they wait for usual parts as well
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      if (rank != owner) run.mpi.compute(rank, "solve", work * 0.5);
    run.mpi.get_from_busy("W", owner, parts, "update_table", (work + (run.planted ? extra : 0)) / parts);
    for (int rank = 0; rank < run.ranks(); ++rank)
      if (rank != owner) run.mpi.compute(rank, "solve", work * 0.4);
    run.mpi.meet(kMeetings[talk], run.mpi.everybody());
  }
}

}  // namespace waitdiag::test
