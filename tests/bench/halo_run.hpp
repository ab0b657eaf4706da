// A made-up program for benchmarks: a 3-D halo exchange of 8 KiB with an 8-byte Allreduce in every step. Computation
// differs by up to a tenth, so messages do not all start at once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag::bench {

inline double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// The most nearly cubic periodic grid.
class Cube {
 public:
  explicit Cube(int ranks) {
    for (int x = 1; x * x * x <= ranks; ++x)
      if (ranks % x == 0) size_[0] = x;
    const int rest = ranks / size_[0];
    for (int y = 1; y * y <= rest; ++y)
      if (rest % y == 0) size_[1] = y;
    size_[2] = rest / size_[1];
  }
  int neighbour(int rank, int direction, int by) const {
    std::array<int, 3> at{rank % size_[0], rank / size_[0] % size_[1], rank / size_[0] / size_[1]};
    const auto d = static_cast<std::size_t>(direction);
    at[d] = (at[d] + by + size_[d]) % size_[d];
    return at[0] + size_[0] * (at[1] + size_[1] * at[2]);
  }

 private:
  std::array<int, 3> size_{1, 1, 1};
};

// Only the times of the computation matter: every call takes a nanosecond.
class HaloRun {
 public:
  HaloRun(int ranks, int steps) : cube_(ranks) {
    Communicator world{.name = "MPI_COMM_WORLD"};
    for (int rank = 0; rank < ranks; ++rank) world.members.push_back(Rank(rank));
    world_ = builder_.communicator(world);
    for (const char* name : {"MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"})
      regions_.push_back(builder_.region({.name = name}));
    for (int rank = 0; rank < ranks; ++rank) {
      location_ = builder_.location({.rank = Rank(rank)});
      now_ = 0;
      request_ = 0;
      builder_.seen(location_, at(0));
      for (int step = 0; step < steps; ++step) add_step(rank, ranks);
      builder_.finish(location_);
    }
  }
  Trace trace() { return builder_.build(); }

 private:
  template <typename Inside>
  void call(std::size_t region, Inside inside) {
    builder_.enter(location_, at(now_), regions_[region]);
    inside();
    builder_.leave(location_, at(++now_), regions_[region]);
  }

  void add_step(int rank, int ranks) {
    constexpr std::uint64_t kBytes = 8192;
    dice_ = dice_ * 6364136223846793005u + 1442695040888963407u;
    now_ += 50'000 + static_cast<std::int64_t>((dice_ >> 33) % 5'000);
    const std::uint64_t first = request_;
    for (int i = 0; i < 6; ++i) call(0, [&] { builder_.irecv_request(location_, at(now_), ++request_); });
    for (int i = 0; i < 6; ++i)
      call(1, [&] {
        builder_.isend(location_, at(now_), Rank(cube_.neighbour(rank, i / 2, i % 2 == 0 ? 1 : -1)), world_,
                       i, kBytes, ++request_);
      });
    call(2, [&] {
      for (int i = 0; i < 6; ++i)
        builder_.irecv(location_, at(now_ + 1), Rank(cube_.neighbour(rank, i / 2, i % 2 == 0 ? -1 : 1)),
                       world_, i, kBytes, first + 1 + static_cast<std::uint64_t>(i));
      for (std::uint64_t i = 0; i < 6; ++i) builder_.isend_complete(location_, at(now_ + 1), first + 7 + i);
    });
    call(3, [&] {
      builder_.collective_begin(location_, at(now_));
      const std::uint64_t bytes = 8 * static_cast<std::uint64_t>(ranks);
      builder_.collective_end(location_, at(now_ + 1), CollectiveKind::Allreduce, world_, kNoRank, bytes,
                              bytes);
    });
  }

  TraceBuilder builder_;
  Cube cube_;
  CommId world_{};
  std::vector<RegionId> regions_;
  Location location_{};
  std::int64_t now_ = 0;
  std::uint64_t request_ = 0, dice_ = 1;
};

}  // namespace waitdiag::bench
