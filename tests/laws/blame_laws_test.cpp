// Who is blamed: loops in which every rank solves for as long as the others, and one rank does something
// more. Whatever the ranks tell each other in between, the waiting is that something's fault, and the run
// without it takes what the report says.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/read/read.hpp"

namespace waitdiag::test {
namespace {

constexpr int kRanks = 4, kLoops = 20, kTheLateOne = 2;

// Microseconds. A call takes 2 beyond what it waits, a send 1.
class Loop {
 public:
  Loop(int extra, bool extra_comes_first) : extra_(extra), first_(extra_comes_first) {}

  void work() {
    for (int rank = 0; rank < kRanks; ++rank) {
      const int extra = rank == kTheLateOne ? extra_ : 0;
      if (first_) compute(rank, "main/more", extra);
      compute(rank, "main/solve", 600);
      if (!first_) compute(rank, "main/more", extra);
    }
  }
  void message(int from, int to) {
    const std::string tag = " tag " + std::to_string(++tag_) + " bytes 64";
    const int sent = now_[from];
    call(from, sent + 1, "MPI_Send to " + std::to_string(to) + tag);
    call(to, std::max(now_[to], sent) + 2, "MPI_Recv from " + std::to_string(from) + tag);
  }
  void everybody(const std::string& name, int first = 0, int last = kRanks - 1) {
    int until = 0;
    for (int rank = first; rank <= last; ++rank) until = std::max(until, now_[rank] + 2);
    for (int rank = first; rank <= last; ++rank) call(rank, until, name);
  }
  void broadcast(int root) {
    const int sent = now_[root];
    for (int rank = 0; rank < kRanks; ++rank)
      call(rank, std::max(now_[rank], sent) + 2, "MPI_Bcast bytes 8 root " + std::to_string(root));
  }
  void reduce(int root) {
    const int last = *std::max_element(now_.begin(), now_.end());
    for (int rank = 0; rank < kRanks; ++rank)
      call(rank, (rank == root ? last : now_[rank]) + 2, "MPI_Reduce bytes 8 root " + std::to_string(root));
  }
  void scan() {
    int last = 0;
    for (int rank = 0; rank < kRanks; ++rank) {
      last = std::max(last, now_[rank]);
      call(rank, last + 2, "MPI_Scan bytes 8");
    }
  }
  // The neighbours on a ring get what they get when both have come.
  void neighbours() {
    const std::array<int, kRanks> came = now_;
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto [left, right] = std::minmax({(rank + kRanks - 1) % kRanks, (rank + 1) % kRanks});
      call(rank, std::max({came[rank], came[left], came[right]}) + 2,
           "MPI_Neighbor_alltoall bytes 16 peers " + peers(left, right) + ";" + peers(left, right));
    }
  }

  Report report() const {
    std::string text = "unit us\ncomm low = 0 1\ncomm high = 2 3\n";
    for (int rank = 0; rank < kRanks; ++rank) text += "rank " + std::to_string(rank) + "\n" + lines_[rank];
    Stages stages;
    return diagnose(parse_text(text), {.replays = Replays::Never}, stages);
  }
  double seconds() const { return 1e-6 * *std::max_element(now_.begin(), now_.end()); }

 private:
  static std::string peers(int first, int second) {
    return std::to_string(first) + ":8," + std::to_string(second) + ":8";
  }
  void compute(int rank, const char* what, int time) {
    if (time > 0) call(rank, now_[rank] + time, what);
  }
  void call(int rank, int end, const std::string& what) {
    lines_[rank] += std::to_string(now_[rank]) + ".." + std::to_string(end) + " " + what + "\n";
    now_[rank] = end;
  }

  int extra_;
  bool first_;
  int tag_ = 0;
  std::array<int, kRanks> now_{};
  std::array<std::string, kRanks> lines_;
};

struct Shape {
  const char* name;
  std::function<void(Loop&, int step)> talk;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"ReduceThenBroadcast",
       [](Loop& loop, int) {
         loop.reduce(0);
         loop.broadcast(0);
       }},
      {"ReduceToTheLateOne",
       [](Loop& loop, int) {
         loop.reduce(kTheLateOne);
         loop.broadcast(kTheLateOne);
       }},
      {"ReduceThenBarrier",
       [](Loop& loop, int) {
         loop.reduce(kTheLateOne);
         loop.everybody("MPI_Barrier");
       }},
      {"BroadcastThenAllreduce",
       [](Loop& loop, int) {
         loop.broadcast(0);
         loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"RootsInTurn", [](Loop& loop, int step) { loop.broadcast(step % kRanks); }},
      {"ScanThenBarrier",
       [](Loop& loop, int) {
         loop.scan();
         loop.everybody("MPI_Barrier");
       }},
      {"GatherByMessages",
       [](Loop& loop, int) {
         for (const int rank : {1, 2, 3}) loop.message(rank, 0);
         for (const int rank : {1, 2, 3}) loop.message(0, rank);
       }},
      {"GatherAtTheLateOne",
       [](Loop& loop, int) {
         for (const int rank : {0, 1, 3}) loop.message(rank, kTheLateOne);
         loop.broadcast(kTheLateOne);
       }},
      {"EvenSendFirst",
       [](Loop& loop, int) {
         for (const int even : {0, 2}) loop.message(even, even + 1);
         for (const int even : {0, 2}) loop.message(even + 1, even);
         loop.message(2, 1);
         loop.message(1, 2);
       }},
      {"RingOfMessages",
       [](Loop& loop, int) {
         for (int rank = 0; rank < kRanks; ++rank) loop.message(rank, (rank + 1) % kRanks);
       }},
      {"Halves",
       [](Loop& loop, int) {
         loop.everybody("MPI_Allreduce bytes 8 comm low", 0, 1);
         loop.everybody("MPI_Allreduce bytes 8 comm high", 2, 3);
         loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"Neighbourhood",
       [](Loop& loop, int) {
         loop.neighbours();
         loop.everybody("MPI_Allreduce bytes 8");
       }},
  };
  return all;
}

class BlameLaws : public testing::TestWithParam<std::tuple<int, int, bool>> {
 protected:
  Loop loop(int extra) const {
    Loop loop(extra, std::get<2>(GetParam()));
    for (int step = 0; step < kLoops; ++step) {
      loop.work();
      shapes()[static_cast<std::size_t>(std::get<0>(GetParam()))].talk(loop, step);
    }
    return loop;
  }
};

TEST_P(BlameLaws, ItIsTheFaultOfWhatOnlyOneRankDid) {
  const int extra = std::get<1>(GetParam());
  const Report report = loop(extra).report();
  const double without = loop(0).seconds();
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].call_path, "main/more");
  EXPECT_GE(report.causes[0].waiting_s, 0.95 * report.time.waiting_s);
  ASSERT_TRUE(report.causes[0].gain);
  EXPECT_NEAR(report.causes[0].gain->runtime_s, without, 0.1 * without);
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, int, bool>>& tried) {
  const auto& [shape, extra, first] = tried.param;
  return shapes()[static_cast<std::size_t>(shape)].name + std::to_string(extra) +
         (first ? "Before" : "After");
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlameLaws,
                         testing::Combine(testing::Range(0, static_cast<int>(shapes().size())),
                                          testing::Values(200, 900), testing::Bool()),
                         name_of);

}  // namespace
}  // namespace waitdiag::test
