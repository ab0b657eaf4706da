// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/grid_program.hpp"

#include <array>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/scaling/sequences/grids.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag::test {
namespace {

constexpr std::int64_t kCallNs = 500;

class GridRun {
 public:
  explicit GridRun(const GridProgram& program)
      : program_(program), shape_{even_extents(program.ranks, 2), {false, false}} {
    Communicator world{.name = "MPI_COMM_WORLD"};
    for (int rank = 0; rank < program.ranks; ++rank) world.members.push_back(Rank(rank));
    world_ = builder_.communicator(world);
    if (program.row_sums) define_rows();
    if (program.cartesian)
      builder_.facts().properties["WAITPROF::TOPOLOGY::COMM_0"] =
          "cart dims=" + std::to_string(shape_.extents[0]) + "x" + std::to_string(shape_.extents[1]) +
          " periods=0,0";
    solve_ = builder_.region({.name = "solve"});
    collect_ = builder_.region({.name = "collect"});
  }

  Trace run() {
    for (rank_ = 0; rank_ < program_.ranks; ++rank_) {
      location_ = builder_.location({.rank = Rank(rank_), .name = "a rank"});
      now_ = 0;
      if (program_.guarded && rank_ == 0) call("MPI_Wtime", [] {});
      if (program_.stray && rank_ == 5 * program_.ranks / 4 - 4) call("MPI_Wtime", [] {});
      for (int step = 0; step < program_.steps; ++step) make_step();
      builder_.finish(location_);
    }
    return builder_.build();
  }

 private:
  void define_rows() {
    for (int row = 0; row < shape_.extents[0]; ++row) {
      Communicator members{.name = "row", .parent = world_};
      for (int column = 0; column < shape_.extents[1]; ++column)
        members.members.push_back(Rank(row * shape_.extents[1] + column));
      rows_.push_back(builder_.communicator(members));
    }
  }
  template <typename Inside>
  void call(const char* name, Inside inside) {
    auto [region, is_new] = mpi_.try_emplace(name, kNoRegion);
    if (is_new) region->second = builder_.region({.name = name});
    builder_.enter(location_, at(now_), region->second);
    inside();
    builder_.leave(location_, at(now_), region->second);
  }
  void compute(RegionId region, std::int64_t time) {
    builder_.enter(location_, at(now_), region);
    builder_.leave(location_, at(now_ += time), region);
  }
  void collective(const char* name, CollectiveKind kind, CommId comm, Rank root, std::uint64_t sent,
                  std::uint64_t received) {
    call(name, [&] {
      builder_.collective_begin(location_, at(now_));
      builder_.collective_end(location_, at(now_ += kCallNs), kind, comm, root, sent, received);
    });
  }
  void make_step() {
    const std::array<std::vector<int>, 4> directions = {std::vector{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    std::vector<std::pair<int, std::uint64_t>> posted;
    for (std::size_t d = 0; d < directions.size(); ++d)
      if (program_.at_edges || peer_of(directions[d]))
        call("MPI_Irecv", [&] { exchange(directions[d], static_cast<int>(d) ^ 1, false); });
    for (std::size_t d = 0; d < directions.size(); ++d)
      if (program_.at_edges || peer_of(directions[d]))
        call("MPI_Isend", [&] { exchange(directions[d], static_cast<int>(d), true); });
    call("MPI_Waitall", [&] { complete(); });
    const std::int64_t cells =
        std::int64_t{program_.cells / shape_.extents[0]} * (program_.cells / shape_.extents[1]);
    compute(solve_, 16 * cells);
    if (program_.extra_of_first > 0 && rank_ == 0)
      compute(collect_, static_cast<std::int64_t>(program_.extra_of_first * program_.ranks));
    const int row = rank_ / shape_.extents[1];
    if (program_.row_sums)
      collective("MPI_Reduce_scatter", CollectiveKind::ReduceScatter, rows_[static_cast<std::size_t>(row)],
                 kNoRank, 64, 64);
    collective("MPI_Allreduce", CollectiveKind::Allreduce, world_, kNoRank, 8, 8);
    const Rank last = Rank(program_.ranks - 1);
    collective("MPI_Bcast", CollectiveKind::Bcast, world_, last,
               rank_ + 1 == program_.ranks ? 512u * program_.ranks : 0u, 512);
    collective("MPI_Allgather", CollectiveKind::Allgather, world_, kNoRank, 16,
               16u * static_cast<unsigned>(program_.ranks));
  }
  std::optional<int> peer_of(const std::vector<int>& direction) const {
    std::vector<int> there = shape_.coordinates(rank_);
    for (std::size_t d = 0; d < there.size(); ++d) there[d] += direction[d];
    return shape_.rank_at(there);
  }
  void exchange(const std::vector<int>& direction, int tag, bool send) {
    const auto peer = peer_of(direction);
    if (!peer) return;
    const auto bytes =
        static_cast<std::uint64_t>(8 * program_.cells / shape_.extents[direction[0] == 0 ? 0 : 1]);
    open_.push_back({++request_, *peer, tag, bytes, send});
    if (send) {
      builder_.isend(location_, at(now_), Rank(*peer), world_, tag, bytes, request_);
    } else {
      builder_.irecv_request(location_, at(now_), request_);
    }
  }
  void complete() {
    now_ += kCallNs;
    for (const Open& one : open_) {
      if (one.send) {
        builder_.isend_complete(location_, at(now_), one.request);
      } else {
        builder_.irecv(location_, at(now_), Rank(one.peer), world_, one.tag, one.bytes, one.request);
      }
    }
    open_.clear();
  }

  struct Open {
    std::uint64_t request = 0;
    int peer = 0, tag = 0;
    std::uint64_t bytes = 0;
    bool send = false;
  };
  GridProgram program_;
  Grid shape_;
  TraceBuilder builder_;
  CommId world_ = kNoComm;
  std::vector<CommId> rows_;
  RegionId solve_{}, collect_{};
  std::map<std::string, RegionId> mpi_;
  int rank_ = 0;
  Location location_{};
  std::int64_t now_ = 0;
  std::uint64_t request_ = 0;
  std::vector<Open> open_;
};

}  // namespace

Trace run_of(const GridProgram& program) {
  return GridRun(program).run();
}

// Removes differences: requests are numbered and completed in another order, and predicted ranks have names
// of their own.
std::string text_of(const Trace& trace) {
  std::ostringstream out;
  write_text(trace, out);
  std::istringstream lines(out.str());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("property") || line.starts_with("creator")) continue;
    if (line.starts_with("rank")) line.resize(line.find(" name"));
    text += line + '\n';
  }
  return text;
}

}  // namespace waitdiag::test
