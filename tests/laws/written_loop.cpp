// SPDX-License-Identifier: BSD-3-Clause
#include "tests/laws/written_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"

namespace waitdiag::test {

void WrittenLoop::call(int rank, int end, const std::string& what) {
  lines_[static_cast<std::size_t>(rank)] += fmt::format("{}..{} {}\n", now(rank), end, what);
  now(rank) = end;
}

void WrittenLoop::message(int from, int to) {
  const std::string tag = fmt::format(" tag {} bytes 64", ++tag_);
  const int sent = now(from);
  call(from, sent + 1, fmt::format("MPI_Send to {}", to) + tag);
  call(to, std::max(now(to), sent) + 2, fmt::format("MPI_Recv from {}", from) + tag);
}

void WrittenLoop::everybody(const std::string& name, int first, int last) {
  const int until = *std::max_element(now_.begin() + first, now_.begin() + last + 1) + 2;
  for (int rank = first; rank <= last; ++rank) call(rank, until, name);
}

void WrittenLoop::broadcast(int root, int first, int last, const std::string& comm) {
  const int sent = now(root);
  for (int rank = first; rank <= last; ++rank)
    call(rank, std::max(now(rank), sent) + 2, fmt::format("MPI_Bcast bytes 8 root {}{}", root, comm));
}

void WrittenLoop::reduce(int root, int first, int last, const std::string& comm) {
  const int all = *std::max_element(now_.begin() + first, now_.begin() + last + 1);
  for (int rank = first; rank <= last; ++rank)
    call(rank, (rank == root ? all : now(rank)) + 2, fmt::format("MPI_Reduce bytes 8 root {}{}", root, comm));
}

void WrittenLoop::scan() {
  int last = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    last = std::max(last, now(rank));
    call(rank, last + 2, "MPI_Scan bytes 8");
  }
}

void WrittenLoop::neighbours() {
  const std::vector<int> came = now_;
  const auto when = [&](int rank) { return came[static_cast<std::size_t>(rank)]; };
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto [first, second] = std::minmax({left(rank), right(rank)});
    const std::string peers = fmt::format("{}:8,{}:8", first, second);
    call(rank, std::max({when(rank), when(first), when(second)}) + 2,
         fmt::format("MPI_Neighbor_alltoall bytes 16 peers {};{}", peers, peers));
  }
}

void WrittenLoop::exchange(const std::string& what, int work, Sends sends) {
  const bool blocking = sends == Sends::Blocking;
  const auto send = [&](int rank, int to, int tag, int id) {
    const std::string message = fmt::format(" to {} tag {} bytes 64", to, tag);
    call(rank, now(rank) + 1,
         blocking ? "MPI_Send" + message : "MPI_Isend" + message + fmt::format(" request {}", id));
  };
  std::vector<int> sent;  // to the left; 1 later to the right
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const int request : {1, 2}) call(rank, now(rank) + 1, fmt::format("MPI_Irecv request {}", request));
    sent.push_back(now(rank));
    send(rank, left(rank), 1, 3);
    send(rank, right(rank), 2, 4);
    compute(rank, what, work);
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    const int from_right = sent[static_cast<std::size_t>(right(rank))];
    const int from_left = sent[static_cast<std::size_t>(left(rank))] + 1;
    call(rank, std::max({now(rank), from_right, from_left}) + 2,
         fmt::format("MPI_Waitall completes 1 from {} tag 1 bytes 64 completes 2 from {} tag 2 bytes 64{}",
                     right(rank), left(rank), blocking ? "" : " completes 3 completes 4"));
  }
}

void WrittenLoop::overlapped(const std::string& name, const std::string& what, int work, int root) {
  const int needed = root == kNoRoot ? *std::max_element(now_.begin(), now_.end()) : now(root);
  const std::string rooted = root == kNoRoot ? "" : fmt::format(" root {}", root);
  for (int rank = 0; rank < ranks(); ++rank) {
    call(rank, now(rank) + 1, name + " starts 9 bytes 8" + rooted);
    compute(rank, what, work);
    call(rank, std::max(now(rank), needed) + 2, "MPI_Wait completes 9");
  }
}

Report WrittenLoop::report() const {
  std::string text = "unit us\n" + groups_;
  for (std::size_t rank = 0; rank < lines_.size(); ++rank)
    text += fmt::format("rank {}\n", rank) + lines_[rank];
  Stages stages;
  return make_report(parse_text(text), {.replays = Replays::Never}, stages);
}

double WrittenLoop::seconds() const {
  return 1e-6 * *std::max_element(now_.begin(), now_.end());
}

}  // namespace waitdiag::test
