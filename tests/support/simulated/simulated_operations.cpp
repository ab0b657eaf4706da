// Operations of which a rank needs some others only, or that access memory of others.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kSignal = 3;  // until the other side hears of something

}  // namespace

void SimulatedRanks::serve_probing(int to, const std::string& pause, double time, bool sleeps) {
  std::vector<std::pair<double, int>> coming;
  for (int from = 0; from < ranks(); ++from)
    if (from != to) coming.emplace_back(arrival(to, from), from);
  std::ranges::sort(coming);
  for (const auto& [arrives, from] : coming) {
    while (now(to) < arrives) {
      const double begin = now(to);
      call(to, 0, "main", "MPI_Iprobe");
      compute(to, pause, time, !sleeps);
      waited_[at(to)] += std::min(now(to), arrives) - begin;
    }
    call(to, 0, "main", "MPI_Iprobe");
    receive(to, from, "main", true);
  }
}

void SimulatedRanks::start_all(int rank, const std::vector<int>& partners) {
  std::string what = "MPI_Startall";
  for (std::size_t i = 0; i < partners.size(); ++i) what += fmt::format(" request {}", 100 + i);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    exchanged_[{rank, partners[i]}].push_back(now(rank) + kSignal);
    what += fmt::format(" to {} tag 2 bytes 64 request {}", partners[i], 200 + i);
  }
  call(rank, 0, "main/exchange", what);
}

void SimulatedRanks::scan(const std::string& name) {
  double last = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const double entered = now(rank);
    const double needed = name == "MPI_Exscan" ? last : std::max(last, entered);
    call(rank, rank == 0 ? 0 : needed + 1, "main", name + " bytes 8");
    last = std::max(last, entered);
  }
}

void SimulatedRanks::meet_neighbours(const std::vector<std::vector<int>>& of_rank) {
  const std::vector<double> entered = now_;
  for (int rank = 0; rank < ranks(); ++rank) {
    double needed = 0;
    std::vector<std::string> peers;
    std::vector<int> order = of_rank[at(rank)];
    std::ranges::sort(order);
    for (const int peer : order) {
      needed = std::max(needed, entered[at(peer)] + kSignal);
      peers.push_back(fmt::format("{}:8", peer));
    }
    call(rank, needed, "main",
         fmt::format("MPI_Alltoallv bytes {0} peers {1};{1}", 8 * order.size(), fmt::join(peers, ",")));
  }
}

void SimulatedRanks::hand_over(int from, int to) {
  const double both = std::max(now(from), now(to)) + kSignal;
  call(from, now(to) > now(from) ? both : 0, "main", fmt::format("MPI_Send to {} tag 3 bytes 1000000", to));
  call(to, both, "main", fmt::format("MPI_Recv from {} tag 3 bytes 1000000", from));
}

void SimulatedRanks::put_to_next(const std::string& window) {
  std::vector<double> posted(now_.size()), completed(now_.size());
  const auto next = [this](int rank) { return (rank + 1) % ranks(); };
  const auto last = [this](int rank) { return (rank + ranks() - 1) % ranks(); };
  for (int rank = 0; rank < ranks(); ++rank) {
    posted[at(rank)] = now(rank) + kSignal;
    call(rank, 0, "main", fmt::format("MPI_Win_post rma post with {} win {}", last(rank), window));
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    call(rank, 0, "main", fmt::format("MPI_Win_start rma start with {} win {}", next(rank), window));
    call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", next(rank), window));
    completed[at(rank)] = std::max(now(rank), posted[at(next(rank))]) + kSignal;
    call(rank, posted[at(next(rank))], "main",
         fmt::format("MPI_Win_complete rma complete with {} win {}", next(rank), window));
  }
  for (int rank = 0; rank < ranks(); ++rank)
    call(rank, completed[at(last(rank))], "main",
         fmt::format("MPI_Win_wait rma wait with {} win {}", last(rank), window));
}

void SimulatedRanks::put_locked(const std::string& window, int to, const std::string& function,
                                const std::vector<double>& times) {
  std::vector<int> order(now_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [this](int rank) { return now(rank); });
  double released = 0;
  for (const int rank : order) {
    call(rank, released, "main", fmt::format("MPI_Win_lock rma lock {} exclusive win {}", to, window));
    compute(rank, function, times[at(rank)]);
    call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", to, window));
    call(rank, 0, "main", fmt::format("MPI_Win_unlock rma unlock {} win {}", to, window));
    released = now(rank);
  }
}

void SimulatedRanks::fetch_locked(const std::string& window, int to, int rank, double& released) {
  call(rank, released, "main", fmt::format("MPI_Win_lock rma lock {} exclusive win {}", to, window));
  call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", to, window));
  call(rank, 0, "main", fmt::format("MPI_Win_unlock rma unlock {} win {}", to, window));
  released = now(rank);
}

}  // namespace waitdiag::test
