// Exchanges of which not all ranks, or not all at once, are part.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kWay = 3;  // of a message
constexpr int kReceives = 100, kSends = 200, kBarrier = 50, kNobody = -1;

}  // namespace

void SimulatedRanks::post_receives(int rank, const std::vector<int>& partners, int base) {
  for (std::size_t i = 0; i < partners.size(); ++i)
    call(rank, 0, "main/exchange",
         fmt::format("MPI_Irecv request {}", base + kReceives + static_cast<int>(i)));
}

void SimulatedRanks::start_sends(int rank, const std::vector<int>& partners, int base) {
  for (std::size_t i = 0; i < partners.size(); ++i) {
    exchanged_[{rank, partners[i]}].push_back(now(rank) + kWay);
    call(rank, 0, "main/exchange",
         fmt::format("MPI_Isend to {} tag 2 bytes 64 request {}", partners[i],
                     base + kSends + static_cast<int>(i)));
  }
}

void SimulatedRanks::complete_posted(int rank, const std::vector<int>& partners, int base) {
  double needed = 0;
  std::string what = "MPI_Waitall";
  for (std::size_t i = 0; i < partners.size(); ++i) {
    std::deque<double>& arrivals = exchanged_.at({partners[i], rank});
    needed = std::max(needed, arrivals.front());
    arrivals.pop_front();
    what += fmt::format(" completes {} from {} tag 2 bytes 64", base + kReceives + static_cast<int>(i),
                        partners[i]);
  }
  for (std::size_t i = 0; i < partners.size(); ++i)
    what += fmt::format(" completes {}", base + kSends + static_cast<int>(i));
  call(rank, needed, "main/exchange", what);
}

void SimulatedRanks::complete_any(int rank, const std::vector<int>& partners, const std::string& function,
                                  double time) {
  std::vector<std::pair<double, int>> coming;  // with the number of the partner
  for (std::size_t i = 0; i < partners.size(); ++i) {
    std::deque<double>& arrivals = exchanged_.at({partners[i], rank});
    coming.emplace_back(arrivals.front(), static_cast<int>(i));
    arrivals.pop_front();
  }
  std::ranges::sort(coming);
  for (const auto& [arrives, number] : coming) {
    call(rank, arrives, "main/exchange",
         fmt::format("MPI_Waitany completes {} from {} tag 2 bytes 64", kReceives + number,
                     partners[at(number)]));
    compute(rank, function, time);
  }
  std::string what = "MPI_Waitall";
  for (std::size_t i = 0; i < partners.size(); ++i)
    what += fmt::format(" completes {}", kSends + static_cast<int>(i));
  if (!partners.empty()) call(rank, 0, "main/exchange", what);
}

void SimulatedRanks::meet_in_graph(const std::string& communicator, const std::vector<std::vector<int>>& to) {
  const std::vector<double> entered = now_;
  for (int rank = 0; rank < ranks(); ++rank) {
    double needed = 0;
    std::vector<std::string> sources, targets;
    for (int peer = 0; peer < ranks(); ++peer) {
      if (std::ranges::count(to[at(peer)], rank) > 0) {
        needed = std::max(needed, entered[at(peer)] + kWay);
        sources.push_back(fmt::format("{}:8", peer));
      }
      if (std::ranges::count(to[at(rank)], peer) > 0) targets.push_back(fmt::format("{}:8", peer));
    }
    call(rank, needed, "main",
         fmt::format("MPI_Neighbor_alltoallv bytes 64 comm {} peers {};{}", communicator,
                     fmt::join(targets, ","), fmt::join(sources, ",")));
  }
}

// Each looks for messages and for its own sends, which end when they are received; then it starts a barrier, and goes
// on receiving until that ends, too. Whoever is earliest does the next thing, and knows what the others did so far.
void SimulatedRanks::exchange_by_consensus(const std::vector<std::vector<int>>& to, const std::string& pause,
                                           double time, bool sleeps) {
  struct State {
    std::vector<std::pair<double, int>> coming;  // messages
    double sent = 0;                             // the last of its own messages is known to be received
    int not_received = 0;
    double pause = -1;  // the last one began then
    bool met = false, done = false;
  };
  std::vector<State> states(now_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    std::size_t number = 0;
    for (const int other : to[at(rank)]) {
      states[at(other)].coming.emplace_back(now(rank) + kWay, rank);
      call(rank, 0, "main/exchange",
           fmt::format("MPI_Issend to {} tag 4 bytes 64 request {}", other, kSends + number++));
    }
    states[at(rank)].not_received = static_cast<int>(number);
  }
  for (State& state : states) std::ranges::sort(state.coming, std::greater());
  double all = 0;
  int missing = ranks();
  const auto act = [&](int rank) {
    State& state = states[at(rank)];
    const double begin = now(rank);
    // It waited until there was something to find, which it found behind its pause.
    const auto waited_until = [&](double there) {
      if (state.pause >= 0) waited_[at(rank)] += std::max(0.0, there - state.pause);
      state.pause = -1;
    };
    if (!state.coming.empty() && state.coming.back().first <= begin) {
      const auto [arrives, from] = state.coming.back();
      waited_until(arrives);
      state.coming.pop_back();
      call(rank, 0, "main/exchange", "MPI_Iprobe");
      State& sender = states[at(from)];
      sender.sent = std::max(sender.sent, now(rank) + kWay);
      --sender.not_received;
      call(rank, 0, "main/exchange", fmt::format("MPI_Recv from {} tag 4 bytes 64 any", from));
    } else if (!state.met && state.not_received == 0 && state.sent <= begin) {
      waited_until(state.sent);
      std::string mine = "MPI_Testall";
      for (std::size_t i = 0; i < to[at(rank)].size(); ++i) mine += fmt::format(" completes {}", kSends + i);
      if (!to[at(rank)].empty()) call(rank, 0, "main/exchange", mine);
      all = std::max(all, now(rank) + kWay);
      --missing;
      call(rank, 0, "main/exchange", fmt::format("MPI_Ibarrier starts {}", kBarrier));
      state.met = true;
    } else if (missing == 0 && all <= begin) {
      waited_until(all);
      call(rank, 0, "main/exchange", fmt::format("MPI_Test completes {}", kBarrier));
      state.done = true;
    } else {
      waited_until(begin);
      state.pause = begin;
      call(rank, 0, "main/exchange", "MPI_Iprobe");
      call(rank, 0, "main/exchange", state.met ? "MPI_Test" : "MPI_Testall");
      compute(rank, pause, time, !sleeps);
    }
  };
  while (true) {
    int next = kNobody;
    for (int rank = 0; rank < ranks(); ++rank)
      if (!states[at(rank)].done && (next == kNobody || now(rank) < now(next))) next = rank;
    if (next == kNobody) return;
    act(next);
  }
}

void SimulatedRanks::test_collective(int rank, int parts, const std::string& function, double time,
                                     const std::string& pause, double rest, int request) {
  const double there = started_collective_.at(request);
  const std::string completes = fmt::format("MPI_Test completes {}", request);
  bool done = false;
  const auto test = [&] {
    if (done) return;
    done = there <= now(rank);
    call(rank, 0, "main", done ? completes : "MPI_Test");
  };
  for (int part = 0; part < parts; ++part) {
    compute(rank, function, time);
    test();
  }
  while (!done) {
    const double begin = now(rank);
    sleep_known(rank, pause, rest);
    waited_[at(rank)] += std::min(now(rank), there) - begin;
    test();
  }
}

void SimulatedRanks::scan(const std::string& name, const Group& group) {
  double last = 0;
  for (const int rank : group.ranks) {
    const double entered = now(rank);
    const double needed = name == "MPI_Exscan" ? last : std::max(last, entered);
    call(rank, rank == group.ranks.front() ? 0 : needed + 1, "main", name + " bytes 8" + group.communicator);
    last = std::max(last, entered);
  }
}

void SimulatedRanks::count_up(const std::string& window, int at_rank, int rank) {
  call(rank, 0, "main/next_task",
       fmt::format("MPI_Fetch_and_op rma atomic {} bytes 16 returned 8 win {}", at_rank, window));
  call(rank, 0, "main/next_task", fmt::format("MPI_Win_flush rma flush {} win {}", at_rank, window));
}

// Opens its memory for some, works, and waits for them; they access it with work in between.
void SimulatedRanks::put_around(const std::string& window, const std::vector<double>& inside,
                                const std::vector<double>& behind, const std::string& first,
                                const std::string& second) {
  std::vector<double> posted(now_.size()), completed(now_.size());
  const auto next = [this](int rank) { return (rank + 1) % ranks(); };
  const auto last = [this](int rank) { return (rank + ranks() - 1) % ranks(); };
  for (int rank = 0; rank < ranks(); ++rank) {
    posted[at(rank)] = now(rank) + kWay;
    call(rank, 0, "main", fmt::format("MPI_Win_post rma post with {} win {}", last(rank), window));
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    call(rank, posted[at(next(rank))], "main",
         fmt::format("MPI_Win_start rma start with {} win {}", next(rank), window));
    compute(rank, first, inside[at(rank)]);
    call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", next(rank), window));
    completed[at(rank)] = now(rank) + kWay;
    call(rank, 0, "main", fmt::format("MPI_Win_complete rma complete with {} win {}", next(rank), window));
    compute(rank, second, behind[at(rank)]);
  }
  for (int rank = 0; rank < ranks(); ++rank)
    call(rank, completed[at(last(rank))], "main",
         fmt::format("MPI_Win_wait rma wait with {} win {}", last(rank), window));
}

void SimulatedRanks::lock_one(const std::string& window, int to, int rank, const std::string& function,
                              double time, double& released) {
  call(rank, released, "main", fmt::format("MPI_Win_lock rma lock {} exclusive win {}", to, window));
  compute(rank, function, time);
  call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", to, window));
  call(rank, 0, "main", fmt::format("MPI_Win_unlock rma unlock {} win {}", to, window));
  released = now(rank);
}

void SimulatedRanks::get_from_busy(const std::string& window, int owner, int parts,
                                   const std::string& function, double time) {
  std::vector<double> entered;  // by the owner: what it is in, or comes to next, answers
  for (int part = 0; part < parts; ++part) {
    compute(owner, function, time);
    entered.push_back(now(owner));
    call(owner, 0, "main", "MPI_Iprobe");
  }
  entered.push_back(now(owner));  // and stays there, in what all do next
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank == owner) continue;
    call(rank, 0, "main", fmt::format("MPI_Win_lock rma lock {} win {}", owner, window));
    call(rank, 0, "main", fmt::format("MPI_Get rma get {} bytes 8 win {}", owner, window));
    const auto answered = std::ranges::lower_bound(entered, now(rank));
    call(rank, answered == entered.end() ? 0 : *answered + kWay, "main",
         fmt::format("MPI_Win_unlock rma unlock {} win {}", owner, window));
  }
}

void SimulatedRanks::get_from_next(const std::string& window) {
  const std::vector<double> entered = now_;
  for (int rank = 0; rank < ranks(); ++rank) {
    const int target = (rank + 1) % ranks();
    call(rank, 0, "main", fmt::format("MPI_Win_lock rma lock {} win {}", target, window));
    call(rank, 0, "main", fmt::format("MPI_Get rma get {} bytes 8 win {}", target, window));
    call(rank, entered[at(target)] + kWay, "main",
         fmt::format("MPI_Win_unlock rma unlock {} win {}", target, window));
  }
}

void SimulatedRanks::answer_probed(int to, const std::string& function, double time) {
  std::vector<int> others;
  for (int from = 0; from < ranks(); ++from)
    if (from != to) others.push_back(from);
  answer_probed(to, others, function, time);
}

void SimulatedRanks::answer_probed(int to, const std::vector<int>& clients, const std::string& function,
                                   double time) {
  std::vector<std::pair<double, int>> coming;
  for (const int from : clients) coming.emplace_back(arrival(to, from), from);
  std::ranges::sort(coming);
  for (const auto& [arrives, from] : coming) {
    call(to, arrives, "main", "MPI_Probe");
    receive(to, from, "main", true);
    compute(to, function, time);
    send(to, from);
  }
}

}  // namespace waitdiag::test
