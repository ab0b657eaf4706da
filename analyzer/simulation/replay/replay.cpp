// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/replay.hpp"

#include <algorithm>

#include "analyzer/simulation/replay/collective_runs.hpp"
#include "analyzer/simulation/replay/simulated_time.hpp"

namespace waitdiag {
namespace {

using Do = Step::Do;

class Replay {
 public:
  Replay(const Program& program, const ReplayTarget& target, bool keep_times)
      : program_(program),
        machine_(target.machine),
        transfers_(target.machine, target.placement),
        collectives_(program, target, transfers_),
        runners_(program.steps.size()),
        keep_times_(keep_times) {
    transfers_.reserve(program.messages.size());
    transfers_.add(program.messages.size());
    for (std::uint32_t m = 0; m < program.messages.size(); ++m) {
      const ProgramMessage& message = program.messages[m];
      Transfer& transfer = transfers_[m];
      transfer.bytes = message.bytes;
      transfer.mode = message.mode;
      transfer.answer = message.answer;
      transfer.from = program.rank[message.from];
      transfer.to = program.rank[message.to];
    }
    collectives_.set_first_id(static_cast<std::uint32_t>(runners_.size()));
    result_.locations.resize(runners_.size());
    if (keep_times) result_.times.resize(runners_.size());
    for (std::uint32_t l = 0; l < runners_.size(); ++l) {
      Runner& runner = runners_[l];
      runner.next = program.steps[l].data();
      runner.end = runner.next + program.steps[l].size();
      runner.now = runner.entered = program.begin[l].time_since_epoch().count();
      if (keep_times) result_.times[l].begin = program.begin[l];
    }
  }

  bool rounds_hold() const { return collectives_.rounds_hold(); }

  Replayed run() {
    for (std::uint32_t l = 0; l < runners_.size(); ++l) {
      go_on(l);
      wake();
    }
    while (transfers_.advance()) wake();
    result_.messages = program_.messages.size() + collectives_.messages();
    result_.sizes = transfers_.sizes;
    result_.bounded = collectives_.bounded();
    result_.most_delay = collectives_.most_delay();
    for (std::uint32_t l = 0; l < runners_.size(); ++l) {
      const Runner& runner = runners_[l];
      result_.locations[l].main = program_.main[l];
      if (runner.next != runner.end && result_.cycle.empty()) find_cycle(l);
      result_.locations[l].end = at(runner.now);
      if (keep_times_) result_.times[l].end = at(runner.now);
      const bool first = l == 0;
      result_.begin = first ? program_.begin[l] : std::min(result_.begin, program_.begin[l]);
      result_.end = first ? at(runner.now) : std::max(result_.end, at(runner.now));
    }
    return std::move(result_);
  }

 private:
  struct Runner {
    const Step* next = nullptr;
    const Step* end = nullptr;
    std::int64_t now = 0, entered = 0;
    std::uint32_t op = kNoOp;  // the call it is in, or was in last
  };

  void wake() {
    for (;;) {
      std::uint32_t who = 0;
      if (!collectives_.ready().empty()) {
        who = collectives_.ready().back();
        collectives_.ready().pop_back();
      } else if (!transfers_.ready.empty()) {
        who = transfers_.ready.back();
        transfers_.ready.pop_back();
      } else {
        return;
      }
      who < runners_.size() ? go_on(who) : collectives_.resume(who);
    }
  }

  void leave(std::uint32_t l) {
    Runner& runner = runners_[l];
    if (runner.op == kNoOp) return;
    result_.locations[l].in_calls += Duration(runner.now - runner.entered);
    if (keep_times_) result_.times[l].leave.push_back(at(runner.now));
  }

  // Waits until `until`; the part of it before `late` is waiting for the other side to come.
  void wait(std::uint32_t l, std::int64_t until, std::int64_t late) {
    Runner& runner = runners_[l];
    if (until <= runner.now) return;
    if (late > runner.now) result_.locations[l].waiting += Duration(std::min(until, late) - runner.now);
    runner.now = until;
  }

  // Runs a location until it has to wait.
  void go_on(std::uint32_t l) {
    Runner& runner = runners_[l];
    while (runner.next != runner.end && take(l, runner, *runner.next)) ++runner.next;
  }

  // False: not yet.
  bool take(std::uint32_t l, Runner& runner, const Step step) {
    const std::uint32_t number = step.number();
    switch (step.what()) {
      case Do::Call:
      case Do::End:
        leave(l);
        result_.locations[l].computation += Duration(step.value());
        runner.entered = runner.now = time_after(runner.now, step.value());
        ++runner.op;
        if (keep_times_ && step.what() == Do::Call) result_.times[l].enter.push_back(at(runner.now));
        return true;
      case Do::Keep:
        runner.now = time_after(runner.now, step.value());
        result_.locations[l].kept += Duration(step.value());
        return true;
      case Do::KeepComputing:
        runner.now = time_after(runner.now, step.value());
        result_.locations[l].computation += Duration(step.value());
        result_.locations[l].in_calls -= Duration(step.value());
        return true;
      case Do::Send:
        runner.now = time_after(runner.now, send_overhead(machine_, transfers_[number].bytes));
        send(number, runner.now);
        return true;
      case Do::Isend:
      case Do::Put:
        runner.now = time_after(runner.now, isend_overhead(machine_, transfers_[number].bytes));
        send(number, runner.now);
        return true;
      case Do::Get:
        send(number, time_after(runner.now, transfers_.latency_ns(transfers_[number])));
        return true;
      case Do::Post:
        transfers_.post(number, runner.now);
        return true;
      case Do::FinishSend:
        return !transfers_.needs_receiver(transfers_[number]) || arrived(l, number, true);
      case Do::FinishReceive:
        if (!arrived(l, number, false)) return false;
        runner.now = time_after(runner.now, receive_overhead(machine_, transfers_[number].bytes));
        return true;
      case Do::AwaitArrival:
        return arrived(l, number, program_.messages[number].from == l);
      case Do::AwaitSend:
        return announced(l, number);
      case Do::StartCollective:
        collectives_.start(number, runner.now);
        return true;
      case Do::FinishCollective:
        return collective_ended(l, number);
    }
    return true;
  }

  void send(std::uint32_t number, std::int64_t now) {
    transfers_.send(number, now);
    const std::uint32_t receiver = transfers_[number].receiver_waits;
    if (receiver >= runners_.size() || runners_[receiver].next->what() != Do::AwaitSend) return;
    transfers_[number].receiver_waits = Transfer::kNoRank;
    transfers_.ready.push_back(receiver);
  }

  bool arrived(std::uint32_t l, std::uint32_t number, bool as_sender) {
    Transfer& transfer = transfers_[number];
    if (transfer.arrived == Transfer::kUnknown) {
      (as_sender ? transfer.sender_waits : transfer.receiver_waits) = l;
      return false;
    }
    // No process can be late for a transfer in which only one side takes part.
    const bool alone = transfer.mode == ProgramMessage::Mode::OneSided;
    const std::int64_t late = as_sender ? transfer.posted : transfer.sent;
    wait(l, transfer.arrived, alone ? Transfer::kUnknown : late);
    return true;
  }

  bool announced(std::uint32_t l, std::uint32_t number) {
    Transfer& transfer = transfers_[number];
    if (transfer.sent == Transfer::kUnknown) {
      transfer.receiver_waits = l;
      return false;
    }
    wait(l, time_after(transfer.sent, transfers_.latency_ns(transfer)), transfer.sent);
    return true;
  }

  bool collective_ended(std::uint32_t l, std::uint32_t member) {
    const std::int64_t end = collectives_.end_of(member);
    if (end == CollectiveRuns::kUnknown) {
      collectives_.wait_for(member, l);
      return false;
    }
    wait(l, end, collectives_.late_until(member));
    return true;
  }

  Replayed::Stuck stuck(std::uint32_t l) const {
    const Step step = *runners_[l].next;
    Replayed::Stuck stuck{l, runners_[l].op, l, ""};
    if (step.what() == Do::FinishCollective) {
      stuck.waits_for = collectives_.waits_for(step.number());
      stuck.what = "to take part in the collective operation";
      return stuck;
    }
    const ProgramMessage& message = program_.messages[step.number()];
    const bool sends = message.from == l;
    stuck.waits_for = sends ? message.to : message.from;
    stuck.what = (sends ? "to receive " : "to send ") + std::to_string(message.bytes) + " bytes";
    return stuck;
  }

  // Goes from a location that cannot go on to the one it waits for, until one appears again.
  void find_cycle(std::uint32_t l) {
    std::vector<std::size_t> place(runners_.size(), SIZE_MAX);
    std::vector<Replayed::Stuck> chain;
    while (place[l] == SIZE_MAX) {
      place[l] = chain.size();
      if (runners_[l].next == runners_[l].end) break;  // it has ended and will never come
      chain.push_back(stuck(l));
      l = chain.back().waits_for;
    }
    if (place[l] < chain.size())
      chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(place[l]));
    result_.cycle = std::move(chain);
  }

  const Program& program_;
  const Machine& machine_;
  Transfers transfers_;
  CollectiveRuns collectives_;
  std::vector<Runner> runners_;  // by location
  Replayed result_;
  bool keep_times_;
};

}  // namespace

Replayed replay(const Program& program, const ReplayTarget& target, bool keep_times) {
  Replay replay(program, target, keep_times);
  Replayed result = replay.run();
  if (replay.rounds_hold()) return result;
  ReplayTarget by_messages = target;
  by_messages.by_rounds = false;
  return Replay(program, by_messages, keep_times).run();
}

}  // namespace waitdiag
