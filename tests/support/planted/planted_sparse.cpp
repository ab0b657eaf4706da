// Exchanges of which each rank takes a part only.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/planted/planted_run.hpp"

namespace waitdiag::test {
namespace {

constexpr int kApart = 12;  // steps between meetings of all, at most

// As many ranks as that, drawn when they are asked for.
auto some_ranks(Run& run, int count) {
  return [&run, count] { return run.some(count, 0, run.ranks() - 1); };
}

// Some ranks that each rank sends to; with `always`, to the next one, too.
std::vector<std::vector<int>> random_graph(Run& run, bool always) {
  std::vector<std::vector<int>> to;
  for (int rank = 0; rank < run.ranks(); ++rank) {
    std::vector<int>& mine = to.emplace_back();
    if (always) mine.push_back((rank + 1) % run.ranks());
    for (int more = run.chance.between(0, 2); more > 0; --more) {
      const int other = run.chance.between(0, run.ranks() - 1);
      if (other != rank && std::ranges::count(mine, other) == 0) mine.push_back(other);
    }
    std::ranges::sort(mine);
  }
  return to;
}

}  // namespace

// Prefix sums one after another, with work that depends on them; of all ranks, or of rows.
void scan_chain(Run& run) {
  const bool exclusive = run.chance.one_in(2), in_rows = run.ranks() > 3 && run.chance.one_in(2);
  std::vector<Group> groups;
  const int size = in_rows ? (run.ranks() + 1) / 2 : run.ranks();
  for (int first = 0; first < run.ranks(); first += size) {
    std::vector<int> ranks;
    for (int rank = first; rank < std::min(first + size, run.ranks()); ++rank) ranks.push_back(rank);
    groups.push_back(in_rows ? run.mpi.group("row" + std::to_string(first), ranks) : run.mpi.everybody());
  }
  const double place = run.milliseconds(2, 8);
  late_before(run, kApart, some_ranks(run, 1), [&](int) {
    for (const Group& group : groups) run.mpi.scan(exclusive ? "MPI_Exscan" : "MPI_Scan", group);
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.compute(rank, "place", place);
    for (const Group& group : groups) run.mpi.scan("MPI_Scan", group);
  });
}

// Data for a few others only, who are others in each step or the same in all.
void sparse_exchange(Run& run) {
  const bool changes = run.chance.one_in(2), as_graph = run.chance.one_in(2);
  if (as_graph) run.mpi.group("graph", run.mpi.everybody().ranks);
  std::vector<std::vector<int>> to = random_graph(run, true);
  late_before(run, kApart, some_ranks(run, run.a_few()), [&](int) {
    if (as_graph) {
      run.mpi.meet_in_graph("graph", to);
      return;
    }
    if (changes) to = random_graph(run, true);
    std::vector<std::vector<int>> from(to.size());
    for (int rank = 0; rank < run.ranks(); ++rank)
      for (const int other : to[static_cast<std::size_t>(rank)])
        from[static_cast<std::size_t>(other)].push_back(rank);
    for (std::size_t rank = 0; rank < to.size(); ++rank)  // data goes both ways
      for (const int other : to[rank])
        if (std::ranges::count(from[rank], other) == 0) from[rank].push_back(other);
    run.mpi.meet_neighbours(from);
  });
}

// Nobody knows who sends: synchronous sends, and a barrier that tells when all have been received.
void consensus(Run& run) {
  const double pause = run.chance.between(100, 800);
  const bool sleeps = run.chance.one_in(2);
  late_before(run, kApart, some_ranks(run, 1), [&](int) {
    run.mpi.exchange_by_consensus(random_graph(run, false), "poll_pause", pause, sleeps);
  });
}

// Leaders of nodes collect along trees, meet, and spread what they found; nodes differ in size.
void two_levels(Run& run) {
  std::vector<Group> nodes;
  std::vector<int> leaders, roots;
  for (int first = 0, next = 0; first < run.ranks(); first = next) {
    next = std::min(run.ranks(), first + run.chance.between(2, 8));
    std::vector<int> ranks;
    for (int rank = first; rank < next; ++rank) ranks.push_back(rank);
    roots.push_back(run.chance.between(0, next - first - 1));
    leaders.push_back(first + roots.back());
    nodes.push_back(run.mpi.group("node" + std::to_string(nodes.size()), ranks));
  }
  const Group top = run.mpi.group("leaders", leaders);
  const Tree tree = run.tree(), top_tree = run.tree();
  const bool by_tree = run.chance.one_in(2), back = run.chance.one_in(2);
  late_before(run, kApart, some_ranks(run, 1), [&](int) {
    for (std::size_t node = 0; node < nodes.size(); ++node)
      run.mpi.collect("MPI_Reduce", nodes[node], roots[node], tree);
    if (by_tree) {
      run.mpi.collect("MPI_Reduce", top, 0, top_tree);
      run.mpi.spread("MPI_Bcast", top, 0, top_tree);
    } else {
      run.mpi.meet("MPI_Allreduce", top);
    }
    if (back)
      for (std::size_t node = 0; node < nodes.size(); ++node)
        run.mpi.spread("MPI_Bcast", nodes[node], roots[node], tree);
  });
}

// Receives are posted early and completed late: behind further work, or in the next step.
void deferred_waits(Run& run) {
  const int steps = run.chance.between(40, 100), meet_every = run.chance.between(4, 20);
  const bool next_step = run.chance.one_in(2), late_behind = run.chance.one_in(2);
  const double before = run.milliseconds(5, 20), behind = run.milliseconds(5, 20);
  const Extra extra = plant_extra(run, late_behind ? "interior" : "border", before + behind,
                                  run.some(run.a_few(), 0, run.ranks() - 1));
  const auto work = [&](const char* function, double time, bool late) {
    for (int rank = 0; rank < run.ranks(); ++rank) {
      run.mpi.compute(rank, function, time);
      if (late && run.planted && run.guilty(rank)) run.mpi.compute(rank, extra.function, extra.time);
    }
  };
  const auto complete = [&](int step) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.complete_posted(rank, run.neighbours(rank), step % 2 * 1000);
  };
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.post_receives(rank, run.neighbours(rank), step % 2 * 1000);
    work("border", before, !late_behind);
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.start_sends(rank, run.neighbours(rank), step % 2 * 1000);
    if (next_step && step > 0) complete(step - 1);
    work("interior", behind, late_behind);
    if (!next_step) complete(step);
    if (step % meet_every == 0) run.mpi.meet("MPI_Allreduce", run.mpi.everybody());
  }
  if (next_step) complete(steps - 1);
}

// Requests of all partners are completed one by one, as they come, with work on each.
void request_pool(Run& run) {
  const double unpack = run.milliseconds(1, 3);
  const bool all_others = run.ranks() <= 8 && run.chance.one_in(2);
  const auto partners = [&](int rank) {
    if (!all_others) return run.neighbours(rank);
    std::vector<int> others;
    for (int other = 0; other < run.ranks(); ++other)
      if (other != rank) others.push_back(other);
    return others;
  };
  late_before(run, kApart, some_ranks(run, run.a_few()), [&](int) {
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.post_receives(rank, partners(rank));
    for (int rank = 0; rank < run.ranks(); ++rank) run.mpi.start_sends(rank, partners(rank));
    for (int rank = 0; rank < run.ranks(); ++rank)
      run.mpi.complete_any(rank, partners(rank), "unpack", unpack);
  });
}

}  // namespace waitdiag::test
