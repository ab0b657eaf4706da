// What a run asked of its machine, without any time that depends on the machine: for each location the list
// of what it did, computation in between; its messages; its collective operations. Made from a trace once,
// replayed on as many machines as wanted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class Step {
 public:
  enum class Do : std::uint8_t {
    Call,              // leave the previous call, compute for `value()` ns, enter the next call
    Keep,              // stay in the call for `value` ns, as recorded: it is not modelled
    KeepComputing,     // the same, in a barrier of threads: computation to other processes
    Send,              // start message `value`, at the cost of a blocking send
    Isend,             // the same, at the cost of a nonblocking one
    Post,              // the receive of message `value` is posted
    FinishSend,        // message `value` needs no more attention
    FinishReceive,     // message `value` is here
    AwaitSend,         // message `value` is known to come (MPI_Probe)
    AwaitArrival,      // message `value` has arrived, without a receive (one-sided)
    Put,               // message `value` starts, to a receiver that takes no part
    Get,               // message `value` comes, from a sender that takes no part
    StartCollective,   // member `value` of a collective operation
    FinishCollective,  // its end
    End,               // leave the last call, compute for `value` ns, end
  };
  Step(Do what, std::uint64_t of) : packed_(of << 8 | static_cast<std::uint64_t>(what)) {}
  Do what() const { return static_cast<Do>(packed_ & 0xff); }
  std::int64_t value() const { return static_cast<std::int64_t>(packed_) >> 8; }
  std::uint32_t number() const { return static_cast<std::uint32_t>(packed_ >> 8); }

 private:
  std::uint64_t packed_;
};
static_assert(sizeof(Step) == 8);

struct ProgramMessage {
  // When a message needs its receiver: depending on its size; always; never (buffered, or not in the trace);
  // OneSided: it needs neither its receiver nor, where it is fetched, its sender.
  enum class Mode : std::uint32_t { BySize, Synchronous, Detached, OneSided };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t from = 0, to = 0;  // locations
  std::uint64_t bytes = 0;
  Mode mode = Mode::BySize;
  std::uint32_t answer = kNone;  // the message that its receiver sends by itself when it arrives
};

// Everything except the machine that determines the messages of a collective operation. Equal operations
// share one.
struct CollectiveShape {
  struct Flow {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bytes = 0;
    friend auto operator<=>(const Flow&, const Flow&) = default;
  };
  CollectiveKind kind = CollectiveKind::Barrier;
  CommId comm = kNoComm;
  std::uint32_t root = kNoMember;
  bool nonblocking = false;
  std::vector<std::uint64_t> blocks{};  // of each member; one value where all are equal
  std::vector<Flow> flows{};            // which member sends how much to which, where that differs
  std::string function{};               // CreateHandle: what was called, such as MPI_Comm_split
  std::vector<std::uint32_t> parts{};   // CreateHandle: the new communicator of each member, counted; or none
  friend auto operator<=>(const CollectiveShape&, const CollectiveShape&) = default;
};

struct ProgramCollective {
  std::uint32_t shape = 0;
  std::uint32_t first_member = 0, members = 0;
  // What it takes after all have come, as recorded: all of it (MPI_Init), or before its messages begin (the
  // first use of a communicator).
  Duration own{};
  bool meets = true;  // false: a member had left before the last one came, so no member waits here
};

// What could not be replayed as it was: how often, and how much recorded time it affects.
struct Approximation {
  std::string id;  // stable, snake_case
  std::string text;
  std::uint64_t count = 0;
  Duration time{};  // in all locations
};

class Approximations {
 public:
  void add(std::string_view id, std::string_view text, std::uint64_t count, Duration time);
  const std::vector<Approximation>& all() const { return all_; }

 private:
  std::vector<Approximation> all_;
};

struct Program {
  struct Member {
    std::uint32_t location = 0, collective = 0;
  };
  std::vector<std::vector<Step>> steps;  // by location
  std::vector<Time> begin;               // by location
  std::vector<std::uint32_t> rank;       // by location
  std::vector<bool> main;                // by location: the thread that initialised MPI
  std::vector<ProgramMessage> messages;
  std::vector<CollectiveShape> shapes;
  std::vector<ProgramCollective> collectives;
  std::vector<Member> members;  // of all collectives, in the order of the communicator
  std::size_t ranks = 0;
  std::size_t operations = 0;  // calls and stretches of computation
  Approximations approximations;
};

// How long the computation in each gap takes: by location and gap.
using GapTimes = std::vector<std::vector<std::int64_t>>;

GapTimes recorded_gaps(const Trace& trace);
Program make_program(const Trace& trace, const SyncPoints& sync, const GapTimes& gaps);

}  // namespace waitdiag
