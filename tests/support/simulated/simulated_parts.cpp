// Operations of which ranks take parts one after another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kPassing = 3;  // of what one side did, to the other
constexpr int kFirstReceive = 100, kFirstSend = 200;

}  // namespace

void SimulatedRanks::shift(int by) {
  const std::vector<double> entered = now_;
  for (int rank = 0; rank < ranks(); ++rank) {
    const int from = (rank + ranks() - by) % ranks();
    call(rank, entered[at(from)] + kPassing, "main",
         fmt::format("MPI_Sendrecv_replace to {} tag 5 bytes 64 from {} tag 5 bytes 64",
                     (rank + by) % ranks(), from));
  }
}

void SimulatedRanks::put_along(const std::string& window, const std::string& function, double time) {
  std::vector<double> posted(now_.size());
  for (int rank = 1; rank < ranks(); ++rank) {
    posted[at(rank)] = now(rank) + kPassing;
    call(rank, 0, "main", fmt::format("MPI_Win_post rma post with {} win {}", rank - 1, window));
  }
  double completed = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank > 0)
      call(rank, completed, "main", fmt::format("MPI_Win_wait rma wait with {} win {}", rank - 1, window));
    compute(rank, function, time);
    if (rank + 1 == ranks()) break;
    call(rank, 0, "main", fmt::format("MPI_Win_start rma start with {} win {}", rank + 1, window));
    call(rank, 0, "main", fmt::format("MPI_Put rma put {} bytes 8 win {}", rank + 1, window));
    completed = std::max(now(rank), posted[at(rank + 1)]) + kPassing;
    call(rank, posted[at(rank + 1)], "main",
         fmt::format("MPI_Win_complete rma complete with {} win {}", rank + 1, window));
  }
}

void SimulatedRanks::start_receives(int rank, const std::vector<int>& partners) {
  std::string what = "MPI_Startall";
  for (std::size_t i = 0; i < partners.size(); ++i) what += fmt::format(" request {}", kFirstReceive + i);
  call(rank, 0, "main/exchange", what);
}

void SimulatedRanks::start_send(int rank, int partner, int number) {
  exchanged_[{rank, partner}].push_back(now(rank) + kPassing);
  call(rank, 0, "main/exchange",
       fmt::format("MPI_Start to {} tag 2 bytes 64 request {}", partner, kFirstSend + number));
}

void SimulatedRanks::start_broadcast(int root, int request) {
  started_collective_[request] = now(root) + kPassing;
  for (int rank = 0; rank < ranks(); ++rank)
    call(rank, 0, "main", fmt::format("MPI_Ibcast starts {} bytes 8 root {}", request, root));
}

void SimulatedRanks::complete_broadcast(int rank, int request) {
  call(rank, started_collective_.at(request), "main", fmt::format("MPI_Wait completes {}", request));
}

}  // namespace waitdiag::test
