// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag::test {
namespace {

constexpr std::int64_t kShortCallNs = 500;
constexpr int kTag = 7;

}  // namespace

void RankOfProgram::call(const char* name, const std::function<void()>& inside) {
  const auto [region, is_new] = regions_->try_emplace(name, kNoRegion);
  if (is_new) region->second = builder_->region({.name = name});
  builder_->enter(location_, at(now_), region->second);
  inside();
  builder_->leave(location_, at(now_), region->second);
}

void RankOfProgram::compute(std::int64_t ns) {
  const auto [region, is_new] = regions_->try_emplace("work", kNoRegion);
  if (is_new) region->second = builder_->region({.name = "work"});
  builder_->enter(location_, at(now_), region->second);
  builder_->leave(location_, at(now_ += ns), region->second);
}

void RankOfProgram::sendrecv(int to, int from, std::uint64_t bytes) {
  call("MPI_Sendrecv", [&] {
    if (to >= 0) builder_->send(location_, at(now_), Rank(to), world_, kTag, bytes);
    now_ += kShortCallNs;
    if (from >= 0) builder_->recv(location_, at(now_), Rank(from), world_, kTag, bytes);
  });
}

void RankOfProgram::sendrecv_among(const std::vector<int>& members, int to, int from, std::uint64_t bytes) {
  call("MPI_Sendrecv", [&, used = comm_of(members)] {
    builder_->send(location_, at(now_), Rank(to), used, kTag, bytes);
    now_ += kShortCallNs;
    builder_->recv(location_, at(now_), Rank(from), used, kTag, bytes);
  });
}

void RankOfProgram::send(int to, std::uint64_t bytes, int tag) {
  call("MPI_Send", [&] {
    builder_->send(location_, at(now_), Rank(to), world_, tag, bytes);
    now_ += kShortCallNs;
  });
}

void RankOfProgram::receive(int from, std::uint64_t bytes, int tag, bool any_source) {
  call("MPI_Recv", [&] {
    now_ += kShortCallNs;
    builder_->recv(location_, at(now_), Rank(from), world_, tag, bytes, any_source);
  });
}

void RankOfProgram::isend(int to, std::uint64_t bytes) {
  call("MPI_Isend", [&] {
    open_.push_back({++request_, bytes, to, true});
    builder_->isend(location_, at(now_), Rank(to), world_, kTag, bytes, request_);
    now_ += kShortCallNs;
  });
}

void RankOfProgram::irecv(int from, std::uint64_t bytes) {
  call("MPI_Irecv", [&] {
    open_.push_back({++request_, bytes, from, false});
    builder_->irecv_request(location_, at(now_), request_);
    now_ += kShortCallNs;
  });
}

void RankOfProgram::wait_all() {
  call("MPI_Waitall", [&] {
    now_ += kShortCallNs;
    for (const Open& one : open_) {
      if (one.send) {
        builder_->isend_complete(location_, at(now_), one.request);
      } else {
        builder_->irecv(location_, at(now_), Rank(one.peer), world_, kTag, one.bytes, one.request);
      }
    }
    open_.clear();
  });
}

void RankOfProgram::bcast(int root, std::uint64_t bytes) {
  call("MPI_Bcast", [&] {
    builder_->collective_begin(location_, at(now_));
    now_ += kShortCallNs;
    builder_->collective_end(location_, at(now_), CollectiveKind::Bcast, world_, Rank(root),
                             root == rank ? bytes * static_cast<std::uint64_t>(ranks) : 0, bytes);
  });
}

void RankOfProgram::allreduce() {
  call("MPI_Allreduce", [&] {
    builder_->collective_begin(location_, at(now_));
    now_ += kShortCallNs;
    builder_->collective_end(location_, at(now_), CollectiveKind::Allreduce, world_, kNoRank, 8, 8);
  });
}

CommId RankOfProgram::comm_of(const std::vector<int>& members) {
  const auto [comm, is_new] = comms_->try_emplace(members, kNoComm);
  if (is_new) {
    Communicator some{.name = "some", .parent = world_};
    for (const int member : members) some.members.push_back(Rank(member));
    comm->second = builder_->communicator(std::move(some));
  }
  return comm->second;
}

void RankOfProgram::bcast_of(const std::vector<int>& members, int root, std::uint64_t bytes) {
  call("MPI_Bcast", [&, used = comm_of(members)] {
    builder_->collective_begin(location_, at(now_));
    now_ += kShortCallNs;
    builder_->collective_end(location_, at(now_), CollectiveKind::Bcast, used, Rank(root),
                             root == rank ? bytes * members.size() : 0, bytes);
  });
}

void RankOfProgram::allreduce_of(const std::vector<int>& members) {
  call("MPI_Allreduce", [&, used = comm_of(members)] {
    builder_->collective_begin(location_, at(now_));
    now_ += kShortCallNs;
    const auto bytes = 8 * members.size();
    builder_->collective_end(location_, at(now_), CollectiveKind::Allreduce, used, kNoRank, bytes, bytes);
  });
}

void RankOfProgram::alltoall(std::uint64_t bytes) {
  call("MPI_Alltoall", [&] {
    builder_->collective_begin(location_, at(now_));
    now_ += kShortCallNs;
    const std::uint64_t all = bytes * static_cast<std::uint64_t>(ranks);
    builder_->collective_end(location_, at(now_), CollectiveKind::Alltoall, world_, kNoRank, all, all);
  });
}

void RankOfProgram::put(int to, std::uint64_t bytes) {
  call("MPI_Put", [&] {
    builder_->rma(location_, {.time = at(now_), .bytes = bytes, .window = world_, .target = Rank(to)});
    now_ += kShortCallNs;
  });
}

void RankOfProgram::start_all(const std::vector<Start>& starts) {
  call("MPI_Startall", [&] {
    for (const Start& one : starts) {
      const bool send = one.to >= 0;
      open_.push_back({++request_, one.bytes, send ? one.to : one.from, send});
      if (send) {
        builder_->isend(location_, at(now_), Rank(one.to), world_, kTag, one.bytes, request_);
      } else {
        builder_->irecv_request(location_, at(now_), request_);
      }
    }
    now_ += kShortCallNs;
  });
}

Trace run_of(const SmallProgram& program, int ranks) {
  TraceBuilder builder;
  std::map<std::string, RegionId> regions;
  std::map<std::vector<int>, CommId> comms;
  Communicator world{.name = "MPI_COMM_WORLD"};
  for (int rank = 0; rank < ranks; ++rank) world.members.push_back(Rank(rank));
  const CommId all = builder.communicator(world);
  for (int rank = 0; rank < ranks; ++rank) {
    RankOfProgram one;
    one.rank = rank;
    one.ranks = ranks;
    one.builder_ = &builder;
    one.regions_ = &regions;
    one.world_ = all;
    one.comms_ = &comms;
    one.location_ = builder.location({.rank = Rank(rank), .name = "a rank"});
    program(one);
    builder.finish(one.location_);
  }
  return builder.build();
}

}  // namespace waitdiag::test
