// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/collective_runs.hpp"

#include <algorithm>
#include <cmath>

#include "analyzer/simulation/replay/simulated_time.hpp"
#include "analyzer/simulation/replay/timed_rounds.hpp"
#include "analyzer/trace/sync/collective_class.hpp"

namespace waitdiag {
namespace {

std::int64_t cost(double fixed, double per_byte, std::uint64_t bytes) {
  return time_after(0, fixed + per_byte * static_cast<double>(bytes));
}

}  // namespace

std::int64_t send_overhead(const Machine& machine, std::uint64_t bytes) {
  const MessageOverhead* const entry = overhead_of(machine, bytes);
  return entry == nullptr ? 0 : cost(entry->send_ns, entry->send_ns_per_byte, bytes);
}
std::int64_t isend_overhead(const Machine& machine, std::uint64_t bytes) {
  const MessageOverhead* const entry = overhead_of(machine, bytes);
  return entry == nullptr ? 0 : cost(entry->isend_ns, entry->isend_ns_per_byte, bytes);
}
std::int64_t receive_overhead(const Machine& machine, std::uint64_t bytes) {
  const MessageOverhead* const entry = overhead_of(machine, bytes);
  return entry == nullptr ? 0 : cost(entry->receive_ns, entry->receive_ns_per_byte, bytes);
}

CollectiveRuns::CollectiveRuns(const Program& program, const ReplayTarget& target, Transfers& transfers)
    : program_(program),
      target_(target),
      transfers_(transfers),
      members_(program.members.size()),
      runs_(program.collectives.size()),
      shapes_(program.shapes.size()) {
  for (const ProgramCollective& collective : program.collectives) ++shapes_[collective.shape].uses;
}

std::vector<std::uint32_t> CollectiveRuns::ranks_of(const ProgramCollective& collective) const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t m = 0; m < collective.members; ++m)
    ranks.push_back(program_.rank[program_.members[collective.first_member + m].location]);
  return ranks;
}

// `begin`: when the last member came.
bool CollectiveRuns::is_nearly_exact(const TimedRounds& rounds, std::int64_t begin) {
  constexpr double kMostDelay = 1e-3;  // relative
  const std::int64_t least = *std::ranges::min_element(rounds.ends()) - begin;
  return rounds.is_bounded() && rounds.most_delay() <= kMostDelay * static_cast<double>(least);
}

// Where no member ends before all have come, each has many messages, and these hardly hold each other back.
bool CollectiveRuns::is_by_rounds(const ProgramCollective& collective) {
  constexpr std::uint64_t kMany = 48;  // messages of a member: a schedule of fewer is soon made
  std::optional<bool>& known = shapes_[collective.shape].by_rounds;
  if (known) return *known;
  const CollectiveShape& shape = program_.shapes[collective.shape];
  known = false;
  if (!target_.by_rounds || collective.members < kMany ||
      rule_of(class_of(shape.kind)).waits_for != WaitsFor::All || only_gathers(shape.kind))
    return false;
  const std::vector<std::uint32_t> ranks = ranks_of(collective);
  TimedRounds rounds(target_.machine, transfers_.routes(), ranks, std::vector<std::int64_t>(ranks.size()));
  tell_rounds(shape, ranks, target_.placement, target_.collectives, rounds);
  known = rounds.messages() >= kMany * ranks.size() && is_nearly_exact(rounds, 0);
  return *known;
}

void CollectiveRuns::time_rounds(std::uint32_t c) {
  const ProgramCollective& collective = program_.collectives[c];
  const std::vector<std::uint32_t> ranks = ranks_of(collective);
  std::vector<std::int64_t> begin = std::move(coming_.extract(c).mapped());
  const std::int64_t last = runs_[c].last;
  if (collective.own > Duration::zero()) std::ranges::fill(begin, last + collective.own.count());
  const auto [first, latest] = std::ranges::minmax(begin);
  TimedRounds rounds(target_.machine, transfers_.routes(), ranks, std::move(begin));
  tell_rounds(program_.shapes[collective.shape], ranks, target_.placement, target_.collectives, rounds);
  messages_ += rounds.messages();
  transfers_.sizes.add(rounds.sizes());
  const bool exact = rounds.most_delay() == 0;  // no message passes a port that others may pass
  const bool come_together = exact || static_cast<double>(latest - first) <= rounds.least_latency_ns();
  rounds_hold_ = rounds_hold_ && come_together && is_nearly_exact(rounds, last);
  const Duration delay(static_cast<std::int64_t>(std::ceil(rounds.most_delay())));
  bounded_ += delay > Duration::zero() ? 1 : 0;
  most_delay_ += delay;
  for (std::uint32_t m = 0; m < collective.members; ++m)
    finish(collective.first_member + m, std::max(last, rounds.ends()[m]));
}

void CollectiveRuns::begin_schedule(Run& run, std::uint32_t c) {
  const ProgramCollective& collective = program_.collectives[c];
  Shape& shape = shapes_[collective.shape];
  const auto rank_of = [&](std::uint32_t m) {
    return program_.rank[program_.members[collective.first_member + m].location];
  };
  if (!shape.schedule)
    shape.schedule = std::make_unique<Schedule>(make_schedule(
        program_.shapes[collective.shape], ranks_of(collective), target_.placement, target_.collectives));
  const std::vector<Schedule::Message>& messages = shape.schedule->messages;
  messages_ += messages.size();
  const bool reused = !shape.free_blocks.empty();
  if (reused) {
    run.first_transfer = shape.free_blocks.back();
    shape.free_blocks.pop_back();
  } else {
    run.first_transfer = transfers_.add(messages.size());
  }
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    Transfer& transfer = transfers_[run.first_transfer + i];
    if (reused) {
      transfer.sent = transfer.posted = transfer.arrived = Transfer::kUnknown;
      continue;
    }
    transfer.bytes = messages[i].bytes;
    transfer.from = rank_of(messages[i].from);
    transfer.to = rank_of(messages[i].to);
  }
}

void CollectiveRuns::end_collective(const Run& run, std::uint32_t collective) {
  Shape& shape = shapes_[program_.collectives[collective].shape];
  shape.free_blocks.push_back(run.first_transfer);
  if (--shape.uses == 0) shape.schedule.reset();
}

void CollectiveRuns::start(std::uint32_t member, std::int64_t now) {
  const std::uint32_t c = program_.members[member].collective;
  const ProgramCollective& collective = program_.collectives[c];
  const CollectiveShape& shape = program_.shapes[collective.shape];
  Run& run = runs_[c];
  const bool first = run.began++ == 0;
  run.last = std::max(run.last, now);
  if (member - collective.first_member == shape.root) run.root = now;
  if (keeps_time(shape.kind)) {
    if (run.began < collective.members) return;
    for (std::uint32_t m = 0; m < collective.members; ++m)
      finish(collective.first_member + m, run.last + collective.own.count());
    return;
  }
  if (is_by_rounds(collective)) {
    std::vector<std::int64_t>& coming = coming_[c];
    coming.resize(collective.members);
    coming[member - collective.first_member] = now;
    if (run.began == collective.members) time_rounds(c);
    return;
  }
  if (first) begin_schedule(run, c);
  if (collective.own == Duration::zero() || only_gathers(shape.kind)) {
    begin_part(member, now);
    return;
  }
  if (run.began < collective.members) return;
  for (std::uint32_t m = 0; m < collective.members; ++m)
    begin_part(collective.first_member + m, run.last + collective.own.count());
}

void CollectiveRuns::begin_part(std::uint32_t member, std::int64_t now) {
  const ProgramCollective& collective = collective_of(member);
  std::uint32_t part = static_cast<std::uint32_t>(parts_.size());
  if (free_parts_.empty()) {
    parts_.emplace_back();
  } else {
    part = free_parts_.back();
    free_parts_.pop_back();
  }
  const std::uint32_t item = shapes_[collective.shape].schedule->first_item[member - collective.first_member];
  parts_[part] = {member, item, item, now};
  this->run(part);
}

void CollectiveRuns::finish(std::uint32_t member, std::int64_t end) {
  members_[member].end = end;
  if (members_[member].awaited_by == Transfer::kNoRank) return;
  ready_.push_back(members_[member].awaited_by);
  members_[member].awaited_by = Transfer::kNoRank;
}

// False: part of the round is still under way; what has to continue afterwards has been noted.
bool CollectiveRuns::complete_round(Part& part, const Schedule& schedule, std::uint32_t first,
                                    std::uint32_t id) {
  for (; part.round < part.next; ++part.round) {
    const Schedule::Item item = schedule.items[part.round];
    Transfer& transfer = transfers_[first + Schedule::number(item)];
    const bool receives = Schedule::what(item) == Schedule::Do::Receive;
    if (!receives && !transfers_.needs_receiver(transfer)) continue;
    if (transfer.arrived == Transfer::kUnknown) {
      (receives ? transfer.receiver_waits : transfer.sender_waits) = id;
      return false;
    }
    part.now = std::max(part.now, transfer.arrived);
    if (receives) part.now = time_after(part.now, receive_overhead(target_.machine, transfer.bytes));
  }
  return true;
}

void CollectiveRuns::run(std::uint32_t number) {
  Part& part = parts_[number];
  const std::uint32_t c = program_.members[part.member].collective;
  const ProgramCollective& collective = program_.collectives[c];
  const Schedule& schedule = *shapes_[collective.shape].schedule;
  const std::uint32_t first = runs_[c].first_transfer;
  const std::uint32_t end = schedule.first_item[part.member - collective.first_member + 1];
  for (; part.next < end; ++part.next) {
    const Schedule::Item item = schedule.items[part.next];
    const std::uint32_t message = first + Schedule::number(item);
    switch (Schedule::what(item)) {
      case Schedule::Do::Send:
        part.now = time_after(part.now, isend_overhead(target_.machine, transfers_[message].bytes));
        transfers_.send(message, part.now);
        break;
      case Schedule::Do::Receive:
        transfers_.post(message, part.now);
        break;
      case Schedule::Do::Combine:
        part.now =
            time_after(part.now, target_.machine.reduction_ns_per_byte *
                                     static_cast<double>(Schedule::number(item) * Schedule::kCombineUnit));
        part.round = part.next + 1;
        break;
      case Schedule::Do::EndRound:
        if (!complete_round(part, schedule, first, first_id_ + number)) return;
        part.round = part.next + 1;
        break;
    }
  }
  const std::uint32_t member = part.member;
  const std::int64_t now = part.now;
  free_parts_.push_back(number);
  if (++runs_[c].ended == collective.members) end_collective(runs_[c], c);
  finish(member, now);
}

std::int64_t CollectiveRuns::late_until(std::uint32_t member) const {
  const ProgramCollective& collective = collective_of(member);
  const CollectiveShape& shape = program_.shapes[collective.shape];
  const Run& run = runs_[program_.members[member].collective];
  const WaitsFor waits_for = rule_of(class_of(shape.kind)).waits_for;
  const bool is_root = member - collective.first_member == shape.root;
  if (!takes(waits_for, is_root)) return INT64_MIN;
  return waits_for == WaitsFor::Root ? run.root : run.last;
}

std::uint32_t CollectiveRuns::waits_for(std::uint32_t member) const {
  const ProgramCollective& collective = collective_of(member);
  const std::uint32_t c = program_.members[member].collective;
  const bool awaits_all = keeps_time(program_.shapes[collective.shape].kind) ||
                          shapes_[collective.shape].by_rounds.value_or(false) ||
                          (collective.own > Duration::zero() && runs_[c].began < collective.members);
  if (awaits_all) {
    for (std::uint32_t m = 0; m < collective.members; ++m) {
      const std::uint32_t other = collective.first_member + m;
      if (members_[other].end == kUnknown && members_[other].awaited_by == Transfer::kNoRank)
        return program_.members[other].location;
    }
  }
  for (const Part& part : parts_) {
    if (part.member != member) continue;
    const Schedule& schedule = *shapes_[collective.shape].schedule;
    const Schedule::Item item = schedule.items[part.round];
    const Schedule::Message& message = schedule.messages[Schedule::number(item)];
    const std::uint32_t other = Schedule::what(item) == Schedule::Do::Receive ? message.from : message.to;
    return program_.members[collective.first_member + other].location;
  }
  return program_.members[runs_[c].began > 0 ? member : collective.first_member].location;
}

}  // namespace waitdiag
