// How fast the replay is: operations (calls and stretches of computation) per CPU second, and bytes per
// operation, for a 3-D halo exchange of 8 KiB with an 8-byte Allreduce in every step. Computation differs by
// up to a tenth, so messages do not all start at once.
//
//   replay_bench [ranks] [steps] [machine]    64 ranks by default; a machine file, or the name of a known machine
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/replay/replay.hpp"
#include "analyzer/trace/model/trace_builder.hpp"

namespace waitdiag {
namespace {

double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double resident_bytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return 1024 * std::strtod(line.c_str() + std::string(key).size() + 1, nullptr);
  return 0;
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

void measure(int ranks, int steps, const std::string& machine_name) {
  const Trace trace = HaloRun(ranks, steps).trace();
  const SyncPoints sync = match(trace);
  const GapTimes gaps = recorded_gaps(trace);
  const double before = resident_bytes("VmRSS");
  const double start = cpu_seconds();
  const Program program = make_program(trace, sync, gaps);
  const double made = cpu_seconds();
  const Machine machine = find_machine(machine_name);
  const Placement placement(machine, trace.ranks());
  const Replayed run = replay(program, {machine, placement, find_collectives("mpich")}, false);
  const double done = cpu_seconds();
  const auto operations = static_cast<double>(program.operations);
  std::printf(
      "%s, %d ranks, %d steps: %.2f M operations, %.2f M messages; program %.2f s; replay %.2f s, "
      "%.2f M operations/s; %.0f bytes per operation; run time %.6f s\n",
      machine_name.c_str(), ranks, steps, 1e-6 * operations, 1e-6 * static_cast<double>(run.messages),
      made - start, done - made, 1e-6 * operations / (done - made),
      (resident_bytes("VmHWM") - before) / operations, seconds(run.end - run.begin));
}

}  // namespace
}  // namespace waitdiag

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 64, steps = argc > 2 ? std::atoi(argv[2]) : 20;
  if (argc > 3) {
    waitdiag::measure(ranks, steps, argv[3]);
    return 0;
  }
  for (const char* machine : {"ideal", "mvs-15k", "gigabit-multicore"})
    waitdiag::measure(ranks, steps, machine);
}
