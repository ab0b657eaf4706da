// A random MPI program and one run of it: what every rank did when, free of contradictions because it comes
// from simulating message passing (no message is received before it is sent, no rank leaves a barrier before
// all have entered).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag::test {

// The same seed gives the same run on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t roll(std::uint64_t sides);  // 0 .. sides - 1
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(roll(static_cast<std::uint64_t>(high - low + 1)));
  }

 private:
  std::uint64_t state_;
};

struct RunOptions {
  std::uint64_t seed = 1;
  int ranks = 5;
  int steps = 60;
  bool sampled = false;        // computation known by samples only
  std::uint64_t bytes = 5000;  // largest message; more than 1024 may need its receiver
  bool one_sided = false;      // every third step accesses a window of all ranks
  bool marks = false;  // every rank marks time steps anywhere in its computation; the first at its start
  bool usage = false;  // every rank reads what it has used, anywhere in its computation and at its end
  enum class Pauses : std::uint8_t {
    None,
    Meetings,  // the same as None, but now and then all ranks reach the same place at the same time
    Common,    // at such times all ranks pause the recording for a while, and do nothing
    Unseen,    // at such times they pause it, and go on with the program
    Own,       // ranks pause anywhere, each by itself
  };
  Pauses pauses = Pauses::None;
};

// How the run is turned into a trace: later, slower, with other rank numbers. The facts stay the same.
struct Disguise {
  std::int64_t shift = 0;
  std::int64_t scale = 1;
  std::vector<int> number{};  // number[r]: what rank r is called; empty: r
};

class RandomRun {
 public:
  explicit RandomRun(const RunOptions& options);
  Trace trace(const Disguise& disguise = {}) const;

 private:
  // What is fed to a TraceBuilder, once the disguise is known.
  struct Feed {
    TraceBuilder& builder;
    const Disguise& disguise;
    std::vector<RegionId> regions;
    std::vector<CallPathId> paths;  // of the functions, for samples
    std::vector<Location> locations;
    std::vector<CommId> comms;
    CommId window = kNoComm;

    Time time(std::int64_t t) const { return at(disguise.shift + disguise.scale * t); }
    Rank rank(int r) const {
      return Rank(disguise.number.empty() ? r : disguise.number[static_cast<std::size_t>(r)]);
    }
    PeerListId group(const std::vector<int>& ranks) const;
    Location location(int r) const { return locations[static_cast<std::size_t>(r)]; }
  };
  using Record = std::function<void(const Feed&)>;

  void step();
  void meet();
  void pause_somewhere();
  void record(int rank, Record record);
  void switch_recording(int rank, bool on);
  void compute(int rank);
  void mark(int rank, std::int64_t time);
  void read_usage(int rank, std::int64_t time);
  void call(int rank, const std::string& name, std::int64_t enter, std::int64_t leave,
            const std::vector<Record>& inside);
  void message();
  void exchange();
  void shift_ring();
  void gather_in_order_of_arrival();
  void collective();
  void collective_on(const std::vector<int>& members, int comm, CollectiveKind kind, const std::string& name);
  void init_or_finalize(const std::string& name);
  void on_window(CollectiveKind kind, const std::string& name);
  void access_window();
  void fence();
  void post_and_start();
  void lock();
  std::vector<int> some_ranks_but(int rank);
  void one_sided(int rank, const std::string& name, std::int64_t leave, RmaRecord::What what, int target,
                 bool exclusive = false);
  void group_sync(int rank, const std::string& name, std::int64_t leave, const std::vector<int>& group);
  std::int64_t send(int from, int to, std::uint64_t bytes, int tag, std::int64_t posted);
  std::size_t region(const std::string& name);
  std::int64_t overhead() { return dice_.between(1, 999); }  // of a call; so varied that ties are rare

  RunOptions options_;
  Dice dice_, dice_for_pauses_;
  std::vector<std::int64_t> now_;        // by rank
  std::vector<std::uint64_t> requests_;  // by rank: last request number
  std::vector<std::vector<int>> comms_;  // members; the first has all ranks (in an order of its own)
  // By target: when the last lock of all, and the last exclusive one, was released.
  std::vector<std::int64_t> released_, exclusively_released_;
  std::vector<std::string> regions_;
  std::vector<std::vector<Record>> records_;  // by rank, in time order
  std::vector<bool> off_;                     // by rank: it pauses
};

}  // namespace waitdiag::test
