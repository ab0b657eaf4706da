// A loop that is written down call by call, with the time that everything takes: no rank receives a message
// before it is sent, and none leaves an operation before all ranks that it needs have arrived. Also a report
// on the loop.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag::test {

enum class Sends : std::uint8_t { Nonblocking, Blocking };

// Microseconds. A call takes 2 plus its waiting; a send, or a call that only starts an operation, takes 1.
class WrittenLoop {
 public:
  // `groups`: lines of communicators, as a text trace has them.
  WrittenLoop(int ranks, std::string groups)
      : groups_(std::move(groups)), now_(static_cast<std::size_t>(ranks)), lines_(now_.size()) {}

  int ranks() const { return static_cast<int>(now_.size()); }
  void compute(int rank, const std::string& what, int time) {
    if (time > 0) call(rank, now(rank) + time, what);
  }
  void message(int from, int to);
  // All ranks call this operation.
  void everybody(const std::string& name) { everybody(name, 0, ranks() - 1); }
  void everybody(const std::string& name, int first, int last);
  void broadcast(int root) { broadcast(root, 0, ranks() - 1, ""); }
  void broadcast(int root, int first, int last, const std::string& comm);
  void reduce(int root) { reduce(root, 0, ranks() - 1, ""); }
  void reduce(int root, int first, int last, const std::string& comm);
  void scan();
  // A neighbourhood collective on a ring: a rank leaves when both neighbours have arrived.
  void neighbours();
  // All send to both neighbours on a ring, compute, and then wait for the messages of both.
  void exchange(const std::string& what = "", int work = 0, Sends sends = Sends::Nonblocking);
  // All compute between the start of a collective and its end.
  void overlapped(const std::string& name, const std::string& what, int work, int root = kNoRoot);

  Report report() const;
  double seconds() const;

 private:
  static constexpr int kNoRoot = -1;
  int& now(int rank) { return now_[static_cast<std::size_t>(rank)]; }
  void call(int rank, int end, const std::string& what);
  int left(int rank) const { return (rank + ranks() - 1) % ranks(); }
  int right(int rank) const { return (rank + 1) % ranks(); }

  std::string groups_;
  int tag_ = 0;
  std::vector<int> now_;
  std::vector<std::string> lines_;
};

}  // namespace waitdiag::test
