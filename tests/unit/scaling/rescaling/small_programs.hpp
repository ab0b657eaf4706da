// Programs of a few lines, for any number of ranks: the calls of each rank, in order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag::test {

// What a rank may do. Every call takes 500 ns.
class RankOfProgram {
 public:
  int rank = 0, ranks = 0;

  void compute(std::int64_t ns);  // in "work"
  // -1: MPI_PROC_NULL.
  void sendrecv(int to, int from, std::uint64_t bytes);
  // With the communicator of these ranks.
  void sendrecv_among(const std::vector<int>& members, int to, int from, std::uint64_t bytes);
  void send(int to, std::uint64_t bytes, int tag = 7);
  void receive(int from, std::uint64_t bytes, int tag = 7, bool any_source = false);
  void isend(int to, std::uint64_t bytes);
  void irecv(int from, std::uint64_t bytes);
  void wait_all();
  void bcast(int root, std::uint64_t bytes);
  void allreduce();
  void alltoall(std::uint64_t bytes);  // to each
  // With these ranks, this one among them.
  void allreduce_of(const std::vector<int>& members);
  // `root`: one of them.
  void bcast_of(const std::vector<int>& members, int root, std::uint64_t bytes);
  void put(int to, std::uint64_t bytes);
  struct Start {
    int to = -1, from = -1;  // one of them
    std::uint64_t bytes = 0;
  };
  void start_all(const std::vector<Start>& starts);

 private:
  friend Trace run_of(const std::function<void(RankOfProgram&)>& program, int ranks);
  CommId comm_of(const std::vector<int>& members);
  void call(const char* name, const std::function<void()>& inside);

  struct Open {
    std::uint64_t request = 0, bytes = 0;
    int peer = 0;
    bool send = false;
  };
  TraceBuilder* builder_ = nullptr;
  std::map<std::string, RegionId>* regions_ = nullptr;
  CommId world_ = kNoComm;
  std::map<std::vector<int>, CommId>* comms_ = nullptr;  // by members
  Location location_{};
  std::int64_t now_ = 0;
  std::uint64_t request_ = 0;
  std::vector<Open> open_;
};

using SmallProgram = std::function<void(RankOfProgram&)>;

Trace run_of(const SmallProgram& program, int ranks);

}  // namespace waitdiag::test
