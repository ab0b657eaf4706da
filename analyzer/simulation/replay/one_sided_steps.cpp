// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/one_sided_steps.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "analyzer/diagnosis/detection/detect_waits.hpp"

namespace waitdiag {
namespace {

using Do = Step::Do;
using What = RmaRecord::What;

// The location of a target in its window; kNoRank: none.
bool moves_data(What what) {
  return what == What::Put || what == What::Get || what == What::Atomic;
}

// In the order within one call: that it is made, signals from others, then the call's own data, then signals to others,
// that it is left.
enum class Phase : std::uint8_t { Show, Hear, Move, Await, Tell, HearEnd, Leave };

struct Placed {
  std::uint32_t op;
  Phase phase;
  Step step;
};

class Collector {
 public:
  Collector(const Trace& trace, Program& program)
      : trace_(trace), program_(program), placed_(trace.timelines().size()) {}

  // A message without data: `from` sends it in the phase `told` of a call, `to` needs it in the phase `heard`.
  void tell(OpRef from, Phase told, OpRef to, Phase heard) {
    if (!from.valid() || !to.valid() || from.location == to.location) return;
    const std::uint32_t message =
        add_message(index(from.location), index(to.location), 0, ProgramMessage::Mode::Detached);
    at(from).push_back({from.op, told, Step(Do::Put, message)});
    at(to).push_back({to.op, heard, Step(Do::AwaitArrival, message)});
  }

  // Ranks that look into a window go on when the one that they wait for makes the call that shows it wrote there. Where
  // they had gone on before that call began, they go on so long after an earlier one as they did.
  void hear_signals() {
    Duration time{};
    const std::vector<WaitState> signals = detect_signals(trace_);
    for (const WaitState& signal : signals) {
      const OpRef to = signal.victim;
      const Time went_on = trace_.leave(to);
      const bool shown = trace_.enter(signal.cause) < went_on;
      const OpRef from = shown ? signal.cause : last_left(signal.cause.location, went_on);
      const Time since = shown          ? trace_.enter(to) + signal.wait
                         : from.valid() ? std::max(trace_.leave(from), trace_.enter(to))
                                        : trace_.enter(to);
      tell(from, shown ? Phase::Show : Phase::Leave, to, Phase::HearEnd);
      at(to).push_back(
          {to.op, Phase::HearEnd, Step(Do::Keep, static_cast<std::uint64_t>((went_on - since).count()))});
      time += went_on - trace_.enter(to);
    }
    program_.approximations.add(
        "signals",
        "ranks that look into a window again and again see there what the same call of another rank shows "
        "as in the recording, and need as long for it",
        signals.size(), time);
  }

  // The records of one location: transfers, and where it waits for them.
  void follow(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const auto here = static_cast<std::uint32_t>(index(location));
    Open open;
    auto part = timeline.collectives().begin();
    const auto fences_before = [&](std::uint32_t op) {
      for (; part != timeline.collectives().end() && part->op < op; ++part)
        if (part->kind == CollectiveKind::Fence || part->kind == CollectiveKind::WinFree)
          await({location, part->op}, open, {part->comm});
    };
    for (const RmaRecord& record : timeline.rma()) {
      if (record.op == kNoOp) continue;
      fences_before(record.op);
      if (moves_data(record.what) && record.target != kNoRank) {
        open.started.push_back(move(here, record));
      } else if (record.what == What::Complete || record.what == What::Unlock) {
        await({location, record.op}, open,
              {record.window, record.what == What::Complete ? kNoRank : record.target});
      } else if (record.what == What::Flush) {
        await({location, record.op}, open, {record.window, record.target, record.number});
      } else if (record.what == What::Done) {
        await_fetched({location, record.op}, open, {record.window, record.target, record.number});
      } else if (record.what == What::Lock) {
        ++locks_;
      }
    }
    fences_before(kNoOp);
  }

  std::vector<OneSidedSteps::Entry> take(std::size_t location) {
    auto& placed = placed_[location];
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return a.op != b.op ? a.op < b.op : a.phase < b.phase;
    });
    std::vector<OneSidedSteps::Entry> entries;
    entries.reserve(placed.size());
    for (const Placed& one : placed) entries.push_back({one.op, one.step});
    return entries;
  }

  std::uint64_t transfers() const { return transfers_; }
  std::uint64_t locks() const { return locks_; }

 private:
  struct Transfer {
    std::uint32_t message;  // the last one
    bool comes;             // to here
    CommId window;
    Rank target;
    std::uint64_t number;
  };
  struct Open {
    std::vector<Transfer> started, left;
  };
  struct Meant {
    CommId window;
    Rank target = kNoRank;                  // kNoRank: all
    std::optional<std::uint64_t> number{};  // none: all
    bool includes(const Transfer& transfer) const {
      return window == transfer.window && (target == kNoRank || target == transfer.target) &&
             (!number || *number == transfer.number);
    }
  };

  // The last call that was left before then; none: not valid.
  OpRef last_left(Location location, Time until) const {
    const Timeline& timeline = trace_.timeline(location);
    const std::span<const Time> enters = timeline.enters();
    auto op = static_cast<std::uint32_t>(std::ranges::lower_bound(enters, until) - enters.begin());
    while (op > 0 && timeline.leave(op - 1) >= until) --op;
    return op > 0 ? OpRef{location, op - 1} : OpRef{};
  }

  std::vector<Placed>& at(OpRef op) { return placed_[index(op.location)]; }

  std::uint32_t add_message(std::size_t from, std::size_t to, std::uint64_t bytes,
                            ProgramMessage::Mode mode) {
    program_.messages.push_back(
        {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), bytes, mode});
    return static_cast<std::uint32_t>(program_.messages.size() - 1);
  }

  Transfer move(std::uint32_t here, const RmaRecord& record) {
    ++transfers_;
    const auto there = static_cast<std::uint32_t>(index(trace_.main_location(record.target)));
    const bool gets = record.what == What::Get, answered = record.returned > 0;
    std::uint32_t message = add_message(gets ? there : here, gets ? here : there,
                                        record.bytes - record.returned, ProgramMessage::Mode::OneSided);
    placed_[here].push_back({record.op, Phase::Move, Step(gets ? Do::Get : Do::Put, message)});
    if (answered) {
      const std::uint32_t answer = add_message(there, here, record.returned, ProgramMessage::Mode::OneSided);
      program_.messages[message].answer = answer;
      message = answer;
    }
    return {message, gets || answered, record.window, record.target, record.number};
  }

  void await(OpRef call, Open& open, const Meant& meant) {
    for (auto* transfers : {&open.started, &open.left})
      std::erase_if(*transfers, [&](const Transfer& transfer) {
        if (!meant.includes(transfer)) return false;
        at(call).push_back({call.op, Phase::Await, Step(Do::AwaitArrival, transfer.message)});
        return true;
      });
  }

  void await_fetched(OpRef call, Open& open, const Meant& meant) {
    std::erase_if(open.started, [&](const Transfer& transfer) {
      if (!meant.includes(transfer)) return false;
      if (transfer.comes) {
        at(call).push_back({call.op, Phase::Await, Step(Do::AwaitArrival, transfer.message)});
      } else {
        open.left.push_back(transfer);
      }
      return true;
    });
  }

  const Trace& trace_;
  Program& program_;
  std::vector<std::vector<Placed>> placed_;  // by location
  std::uint64_t transfers_ = 0, locks_ = 0;
};

}  // namespace

OneSidedSteps::OneSidedSteps(const Trace& trace, const SyncPoints& sync, Program& program) {
  Collector collector(trace, program);
  for (const AccessEpoch& epoch : sync.access_epochs) {
    if (epoch.accesses.empty()) continue;
    const std::uint32_t first = epoch.accesses.front();
    for (const OpRef post : epoch.posts)
      collector.tell(post, Phase::Tell, {epoch.location, first}, Phase::Hear);
  }
  for (const ExposureEpoch& epoch : sync.exposure_epochs)
    for (const OpRef complete : epoch.completes)
      collector.tell(complete, Phase::Tell, {epoch.location, epoch.wait}, Phase::HearEnd);
  collector.hear_signals();
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) collector.follow(Location(l));
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) entries_.push_back(collector.take(l));
  program.approximations.add(
      "one_sided",
      "one-sided operations are transfers that the target takes no part in; an origin waits "
      "for its targets' MPI_Win_post at its first access",
      collector.transfers(), {});
  program.approximations.add("locks", "nobody waits for a lock that another rank holds", collector.locks(),
                             {});
}

}  // namespace waitdiag
