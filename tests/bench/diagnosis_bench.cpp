// How fast a whole diagnosis is, in MPI operations per second, on two generated runs:
//   * stencil: neighbours exchange nonblocking, then an Allreduce; random computation, so everybody waits.
//   * master_and_workers: rank 0 hands out tasks; each rank knows little of the others for long.
// Arguments: ranks, then steps (tasks for each worker).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <queue>

#include "analyzer/diagnose.hpp"
#include "analyzer/model/trace_builder.hpp"

namespace waitdiag {
namespace {

class Generator {
 public:
  explicit Generator(int ranks) : now_(static_cast<std::size_t>(ranks), 0) {
    for (const char* name : {"solve", "MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce",
                             "MPI_Send", "MPI_Recv", "MPI_Finalize"}) {
      regions_.push_back(builder_.region({.name = name}));
    }
    Communicator world{.name = "MPI_COMM_WORLD"};
    for (int rank = 0; rank < ranks; ++rank) {
      locations_.push_back(builder_.location({.rank = Rank(rank)}));
      world.members.push_back(Rank(rank));
    }
    world_ = builder_.communicator(world);
    for (int rank = 0; rank < ranks; ++rank) call(rank, Init, 100, [](Time) {});
  }

  Trace stencil(int steps) {
    for (int step = 0; step < steps; ++step) {
      std::vector<std::int64_t> sent = exchange_requests();
      finish_exchange(sent);
      allreduce();
    }
    return finish();
  }

  Trace master_and_workers(int tasks) {
    using Arrival = std::pair<std::int64_t, int>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
    std::vector<int> left(now_.size(), tasks);
    for (int worker = 1; worker < ranks(); ++worker) hand_out(worker);
    for (int worker = 1; worker < ranks(); ++worker) arrivals.emplace(work(worker), worker);
    while (!arrivals.empty()) {
      const auto [there, worker] = arrivals.top();
      arrivals.pop();
      receive(0, worker, there);
      if (--left[static_cast<std::size_t>(worker)] == 0) continue;
      hand_out(worker);
      arrivals.emplace(work(worker), worker);
    }
    return finish();
  }

 private:
  enum RegionName : std::size_t { Solve, Init, Irecv, Isend, Waitall, Allreduce, Send, Recv, Finalize };
  static constexpr std::int64_t kCall = 200, kLatency = 1000;

  int ranks() const { return static_cast<int>(now_.size()); }
  std::int64_t& now(int rank) { return now_[static_cast<std::size_t>(rank)]; }
  Location location(int rank) const { return locations_[static_cast<std::size_t>(rank)]; }
  std::int64_t random(std::int64_t most) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(most));
  }

  void compute(int rank) {
    builder_.enter(location(rank), at(now(rank)), regions_[Solve]);
    now(rank) += 50'000 + random(50'000);
    builder_.leave(location(rank), at(now(rank)), regions_[Solve]);
  }
  // A call until `end`; inside(enter) makes its records.
  template <typename Inside>
  void call(int rank, RegionName name, std::int64_t end, Inside inside) {
    builder_.enter(location(rank), at(now(rank)), regions_[name]);
    inside(at(now(rank)));
    now(rank) = std::max(now(rank) + kCall, end);
    builder_.leave(location(rank), at(now(rank)), regions_[name]);
  }

  std::vector<std::int64_t> exchange_requests() {
    std::vector<std::int64_t> sent;
    for (int rank = 0; rank < ranks(); ++rank) {
      const Location here = location(rank);
      for (const std::uint64_t request : {1, 2}) {
        call(rank, Irecv, 0, [&](Time t) { builder_.irecv_request(here, t, request); });
      }
      sent.push_back(now(rank));
      for (const int step : {-1, 1}) {
        const auto request = static_cast<std::uint64_t>(4 + step);
        const Rank peer{(rank + step + ranks()) % ranks()};
        call(rank, Isend, 0, [&](Time t) { builder_.isend(here, t, peer, world_, 4 + step, 800, request); });
      }
      compute(rank);
    }
    return sent;
  }
  void finish_exchange(const std::vector<std::int64_t>& sent) {
    for (int rank = 0; rank < ranks(); ++rank) {
      const Location here = location(rank);
      const int left = (rank + ranks() - 1) % ranks(), right = (rank + 1) % ranks();
      const std::int64_t there =
          std::max(sent[static_cast<std::size_t>(left)], sent[static_cast<std::size_t>(right)]) + kLatency;
      call(rank, Waitall, there, [&](Time t) {
        builder_.irecv(here, t, Rank(left), world_, 5, 800, 1);
        builder_.irecv(here, t, Rank(right), world_, 3, 800, 2);
        builder_.isend_complete(here, t, 3);
        builder_.isend_complete(here, t, 5);
      });
      compute(rank);
    }
  }
  void allreduce() {
    const std::int64_t last = *std::max_element(now_.begin(), now_.end());
    for (int rank = 0; rank < ranks(); ++rank) {
      const Location here = location(rank);
      const std::int64_t end = last + kLatency;
      builder_.enter(here, at(now(rank)), regions_[Allreduce]);
      builder_.collective_begin(here, at(now(rank)));
      builder_.collective_end(here, at(end), CollectiveKind::Allreduce, world_, kNoRank, 8, 8);
      builder_.leave(here, at(end), regions_[Allreduce]);
      now(rank) = end;
    }
  }

  void hand_out(int worker) {
    const std::int64_t sent = now(0);
    call(0, Send, 0, [&](Time t) { builder_.send(location(0), t, Rank(worker), world_, 1, 64); });
    receive(worker, 0, sent + kLatency);
  }
  std::int64_t work(int worker) {
    compute(worker);
    const std::int64_t sent = now(worker);
    call(worker, Send, 0, [&](Time t) { builder_.send(location(worker), t, Rank(0), world_, 2, 64); });
    return sent + kLatency;
  }
  void receive(int rank, int from, std::int64_t there) {
    const std::int64_t end = std::max(now(rank), there) + kCall;
    builder_.enter(location(rank), at(now(rank)), regions_[Recv]);
    builder_.recv(location(rank), at(end), Rank(from), world_, rank == 0 ? 2 : 1, 64);
    builder_.leave(location(rank), at(end), regions_[Recv]);
    now(rank) = end;
  }

  Trace finish() {
    for (int rank = 0; rank < ranks(); ++rank) call(rank, Finalize, 0, [](Time) {});
    return builder_.build();
  }

  TraceBuilder builder_;
  std::vector<RegionId> regions_;
  std::vector<Location> locations_;
  CommId world_{};
  std::vector<std::int64_t> now_;
  std::uint64_t state_ = 1;
};

void diagnose_again_and_again(benchmark::State& state, const Trace& trace, const DiagnosisOptions& options) {
  std::int64_t operations = 0;
  for (const Timeline& timeline : trace.timelines()) operations += static_cast<std::int64_t>(timeline.size());
  for (auto _ : state) {
    Stages stages;
    benchmark::DoNotOptimize(diagnose(trace, options, stages));
    for (const Stages::Step& step : stages.steps()) state.counters[step.name + "_s"] = step.seconds;
  }
  state.SetItemsProcessed(state.iterations() * operations);
}

void stencil(benchmark::State& state) {
  const Trace trace = Generator(static_cast<int>(state.range(0))).stencil(static_cast<int>(state.range(1)));
  diagnose_again_and_again(state, trace, {});
}
BENCHMARK(stencil)->Args({16, 500})->Args({256, 100})->Args({1024, 100})->Unit(benchmark::kMillisecond);

void stencil_pair_intervals(benchmark::State& state) {
  const Trace trace = Generator(static_cast<int>(state.range(0))).stencil(static_cast<int>(state.range(1)));
  diagnose_again_and_again(state, trace, {.rules = Rules::Scalasca});
}
BENCHMARK(stencil_pair_intervals)->Args({256, 100})->Unit(benchmark::kMillisecond);

void master_and_workers(benchmark::State& state) {
  const Trace trace =
      Generator(static_cast<int>(state.range(0))).master_and_workers(static_cast<int>(state.range(1)));
  diagnose_again_and_again(state, trace, {});
}
BENCHMARK(master_and_workers)
    ->Args({16, 500})
    ->Args({256, 100})
    ->Args({1024, 50})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waitdiag
