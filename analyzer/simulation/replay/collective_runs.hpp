// Collective operations while a replay runs: which members have come, how far each is, which wait for the
// end.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/simulation/replay/collective_schedule.hpp"
#include "analyzer/simulation/replay/replay.hpp"
#include "analyzer/simulation/replay/transfers.hpp"

namespace waitdiag {

class TimedRounds;

// The rounded processor time of a message.
std::int64_t send_overhead(const Machine& machine, std::uint64_t bytes);
std::int64_t isend_overhead(const Machine& machine, std::uint64_t bytes);
std::int64_t receive_overhead(const Machine& machine, std::uint64_t bytes);

class CollectiveRuns {
 public:
  CollectiveRuns(const Program& program, const ReplayTarget& target, Transfers& transfers);

  static constexpr std::int64_t kUnknown = INT64_MIN;

  // Member (its number over all collectives) begins its part.
  void start(std::uint32_t member, std::int64_t now);
  std::int64_t end_of(std::uint32_t member) const { return members_[member].end; }
  // The locations that wait for a member's end are then in ready().
  void wait_for(std::uint32_t member, std::uint32_t who) { members_[member].awaited_by = who; }
  std::vector<std::uint32_t>& ready() { return ready_; }
  // How long the member waited, from `from` on, for others to begin.
  std::int64_t late_until(std::uint32_t member) const;

  // Parts wait for messages under this number: from first_id() on.
  void set_first_id(std::uint32_t id) { first_id_ = id; }
  void resume(std::uint32_t id) { run(id - first_id_); }
  std::uint64_t messages() const { return messages_; }
  // Operations that are timed by rounds although messages share ports, and how much longer they take at most.
  std::uint64_t bounded() const { return bounded_; }
  Duration most_delay() const { return most_delay_; }
  // False: one of them should not have been.
  bool rounds_hold() const { return rounds_hold_; }
  // The location because of which a member cannot end.
  std::uint32_t waits_for(std::uint32_t member) const;

 private:
  struct Member {
    std::int64_t end = kUnknown;
    std::uint32_t awaited_by = Transfer::kNoRank;
  };
  struct Run {
    std::int64_t last = INT64_MIN, root = INT64_MIN;  // when the last one, the root began
    std::uint32_t began = 0, ended = 0;
    std::uint32_t first_transfer = 0;
  };
  struct Part {
    std::uint32_t member = 0, next = 0, round = 0;  // `round`: how much of the current round is not complete
    std::int64_t now = 0;
  };
  struct Shape {
    std::unique_ptr<Schedule> schedule;
    std::vector<std::uint32_t> free_blocks;  // of transfers
    std::uint32_t uses = 0;                  // to come
    std::optional<bool> by_rounds{};         // timed round by round, once all have come
  };

  // Does the operation take as long as recorded, from when the last member comes?
  bool keeps_time(CollectiveKind kind) const {
    return only_gathers(kind) && composition_of(kind, target_.collectives) == nullptr;
  }
  std::vector<std::uint32_t> ranks_of(const ProgramCollective& collective) const;
  bool is_by_rounds(const ProgramCollective& collective);
  static bool is_nearly_exact(const TimedRounds& rounds, std::int64_t begin);
  void time_rounds(std::uint32_t collective);
  void begin_schedule(Run& run, std::uint32_t collective);
  void end_collective(const Run& run, std::uint32_t collective);
  void begin_part(std::uint32_t member, std::int64_t now);
  void run(std::uint32_t part);
  bool complete_round(Part& part, const Schedule& schedule, std::uint32_t first, std::uint32_t id);
  void finish(std::uint32_t member, std::int64_t end);
  const ProgramCollective& collective_of(std::uint32_t member) const {
    return program_.collectives[program_.members[member].collective];
  }

  const Program& program_;
  const ReplayTarget& target_;
  Transfers& transfers_;
  std::vector<Member> members_;
  std::vector<Run> runs_;  // by collective
  std::vector<Shape> shapes_;
  // Those that are timed by rounds, until all have come: when each member did.
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> coming_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> free_parts_;
  std::vector<std::uint32_t> ready_;
  std::uint32_t first_id_ = 0;
  std::uint64_t messages_ = 0, bounded_ = 0;
  Duration most_delay_{};
  bool rounds_hold_ = true;
};

}  // namespace waitdiag
