// SPDX-License-Identifier: BSD-3-Clause
#include "tests/laws/contradictory_trace.hpp"

#include "analyzer/trace/builder/trace_builder.hpp"
#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : dice_(seed), ranks_(2 + dice_.roll(4)) {
    for (const char* name : {"solve", "MPI_Send", "MPI_Ssend", "MPI_Recv", "MPI_Irecv", "MPI_Isend",
                             "MPI_Waitall", "MPI_Test", "MPI_Sendrecv", "MPI_Barrier", "MPI_Bcast",
                             "MPI_Reduce", "MPI_Scan", "MPI_Allreduce", "MPI_Init", "MPI_Finalize"}) {
      regions_.push_back(builder_.region({.name = name}));
    }
    Communicator world{.name = "MPI_COMM_WORLD"}, part{.name = "part"};
    for (std::uint64_t rank = 0; rank < ranks_; ++rank) {
      world.members.push_back(Rank(rank));
      if (rank != 1) part.members.push_back(Rank(rank));
    }
    comms_ = {builder_.communicator(world), builder_.communicator(part)};
    for (std::uint64_t rank = 0; rank < ranks_; ++rank) fill(builder_.location({.rank = Rank(rank)}));
  }
  Trace build() { return builder_.build(); }

 private:
  void fill(Location location) {
    std::int64_t now = dice_.between(0, 500);
    const std::uint64_t calls = 5 + dice_.roll(60);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const RegionId region = regions_[dice_.roll(regions_.size())];
      now += dice_.between(0, 30);
      builder_.enter(location, at(now), region);
      if (region != regions_[0]) records(location, now);
      now += dice_.between(0, 60);
      builder_.leave(location, at(now), region);
    }
  }

  // Adds arbitrary records, whatever the call.
  void records(Location location, std::int64_t now) {
    const Time time = at(now);
    for (std::uint64_t i = dice_.roll(3); i > 0; --i) {
      const Rank peer{static_cast<std::int32_t>(dice_.roll(ranks_))};
      const CommId comm = comms_[dice_.roll(2)];
      const auto tag = static_cast<std::int32_t>(dice_.roll(2));
      const std::uint64_t bytes = dice_.roll(4) * 1000, request = dice_.roll(6);
      switch (dice_.roll(7)) {
        case 0:
          builder_.send(location, time, peer, comm, tag, bytes);
          break;
        case 1:
          builder_.recv(location, time, peer, comm, tag, bytes);
          break;
        case 2:
          builder_.isend(location, time, peer, comm, tag, bytes, request);
          break;
        case 3:
          builder_.isend_complete(location, time, request);
          break;
        case 4:
          builder_.irecv_request(location, time, request);
          break;
        case 5:
          builder_.irecv(location, time, peer, comm, tag, bytes, request);
          break;
        default:
          builder_.collective_begin(location, time);
          builder_.collective_end(location, time, kKinds[dice_.roll(std::size(kKinds))], comm,
                                  dice_.roll(2) == 0 ? kNoRank : peer, bytes, bytes);
      }
    }
  }

  static constexpr CollectiveKind kKinds[] = {CollectiveKind::Barrier, CollectiveKind::Bcast,
                                              CollectiveKind::Reduce, CollectiveKind::Scan,
                                              CollectiveKind::Allreduce};
  Dice dice_;
  std::uint64_t ranks_;
  TraceBuilder builder_;
  std::vector<RegionId> regions_;
  std::vector<CommId> comms_;
};

}  // namespace

Trace contradictory_trace(std::uint64_t seed) {
  return Nonsense(seed).build();
}

}  // namespace waitdiag::test
