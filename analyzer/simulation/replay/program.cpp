// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/program.hpp"

#include <algorithm>

#include "analyzer/diagnosis/detection/eager_sends.hpp"
#include "analyzer/simulation/replay/collective_shapes.hpp"
#include "analyzer/simulation/replay/one_sided_steps.hpp"
#include "analyzer/trace/sync/held_sends.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

using Do = Step::Do;
constexpr std::uint32_t kNone = UINT32_MAX;

struct Tally {
  std::uint64_t count = 0;
  Duration time{};
  void add(Duration length, std::uint64_t more = 1) {
    count += more;
    time += length;
  }
};

// What is approximated, over all locations.
struct Tallies {
  Tally polling, kept, unreceived, probes, unsent, choices, any_source, threads, held;
};

// Which message or member each record of a location belongs to.
struct Numbers {
  std::vector<std::uint32_t> sends, receives, parts;
  std::vector<std::uint32_t> by_call;  // operation and member, in pairs: MPI_Init, MPI_Finalize
  std::vector<Duration> behind;        // by part, of collective calls on files; empty: there are none
};

// A collective call on a file in which members wait for the last one: how long each stays behind the first that leaves.
void number_file_call(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance,
                      std::vector<Numbers>& numbers) {
  const Time first = first_left(trace, sync, instance);
  for (const CollectiveMember& member : sync.members_of(instance)) {
    Numbers& mine = numbers[index(member.location)];
    if (mine.behind.empty()) mine.behind.resize(mine.parts.size());
    mine.behind[member.part] = trace.leave({member.location, completion_of(trace, instance, member)}) - first;
  }
}

std::vector<Numbers> number_records(const Trace& trace, const SyncPoints& sync, Program& program,
                                    Tallies& tallies) {
  std::vector<Numbers> numbers(trace.timelines().size());
  for (std::size_t l = 0; l < numbers.size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    numbers[l].sends.assign(timeline.sends().size(), kNone);
    numbers[l].receives.assign(timeline.receives().size(), kNone);
    numbers[l].parts.assign(timeline.collectives().size(), kNone);
  }
  program.messages.reserve(sync.messages.size());
  const HeldSends held(trace, sync);
  constexpr std::uint64_t kLearnt = 0;  // EagerSends: no limit given
  const std::uint64_t small = held.any() ? EagerSends(trace, sync, kLearnt).limit_bytes() : 0;
  for (const Message& message : sync.messages) {
    const MessageEnd &sent = send_end(trace, message), &received = receive_end(trace, message);
    if (sent.cancelled || received.cancelled || received.completed == kNoOp) continue;
    const auto number = static_cast<std::uint32_t>(program.messages.size());
    numbers[index(message.sender)].sends[message.send] = number;
    numbers[index(message.receiver)].receives[message.receive] = number;
    program.messages.push_back({static_cast<std::uint32_t>(index(message.sender)),
                                static_cast<std::uint32_t>(index(message.receiver)), sent.bytes});
    if (sent.bytes > small || !held.is_held(trace, message)) continue;
    program.messages.back().mode = ProgramMessage::Mode::Synchronous;
    const OpRef completion{message.sender, sent.completed};
    tallies.held.add(trace.leave(completion) - trace.enter(completion));
  }
  std::uint32_t member_number = 0;
  for_each_collective(sync, [&](const CollectiveInstance& instance, const auto members) {
    if (instance.kind == CollectiveKind::FileCall) {
      const ProgramCollective& collective = program.collectives[program.members[member_number].collective];
      if (!collective.meets) {
        member_number += static_cast<std::uint32_t>(members.size());
        return;
      }
      number_file_call(trace, sync, instance, numbers);
    }
    for (const CollectiveMember& member : members) {
      Numbers& mine = numbers[index(member.location)];
      if (by_call(instance.kind)) {
        mine.by_call.insert(mine.by_call.end(), {member.part, member_number});
      } else {
        mine.parts[member.part] = member_number;
      }
      ++member_number;
    }
  });
  return numbers;
}

// Indices into `ends`, in the order of `op_of`; those without an operation are left out.
template <typename Ends, typename OpOf>
std::vector<std::uint32_t> in_order(const Ends& ends, OpOf op_of) {
  std::vector<std::uint32_t> order;
  order.reserve(ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i)
    if (op_of(ends[i]) != kNoOp) order.push_back(i);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return op_of(ends[a]) < op_of(ends[b]); };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

bool nonblocking_call(CallKind kind) {
  return kind != CallKind::Send && kind != CallKind::Sendrecv;
}

// Calls that take as long as recorded when nothing in them is modelled.
bool has_time_of_its_own(CallKind kind) {
  switch (kind) {
    case CallKind::Send:
    case CallKind::Sendrecv:
    case CallKind::Isend:
    case CallKind::Recv:
    case CallKind::Irecv:
    case CallKind::Start:
    case CallKind::Wait:
    case CallKind::Waitany:
    case CallKind::Waitall:
    case CallKind::Waitsome:
      return false;  // to MPI_PROC_NULL, or for null requests
    case CallKind::WinStart:
      return false;  // where it waits for MPI_Win_post, so does the first access here
    default:
      return true;
  }
}
// Does the order of completion decide which of several requests the call completes?
bool chooses(CallKind kind) {
  return kind == CallKind::Waitany || kind == CallKind::Waitsome || kind == CallKind::Testany ||
         kind == CallKind::Testsome;
}

// The steps of one location, call by call.
class StepsOf {
 public:
  StepsOf(const Trace& trace, Location location, const Numbers& numbers, const OneSidedSteps& one_sided,
          Program& program, Tallies& tallies)
      : trace_(trace),
        location_(location),
        timeline_(trace.timeline(location)),
        tests_(trace, location, TestRows::EndsWith::AnyRequest),
        numbers_(numbers),
        one_sided_(one_sided.of(location)),
        program_(program),
        tallies_(tallies),
        parts_(trace, location),
        sent_(in_order(timeline_.sends(), kPosted)),
        received_(in_order(timeline_.receives(), kPosted)),
        sends_done_(in_order(timeline_.sends(), kCompleted)),
        receives_done_(in_order(timeline_.receives(), kCompleted)),
        started_(in_order(timeline_.collectives(),
                          [this](const CollectivePart& part) { return replayed_in(part, part.op); })),
        ended_(in_order(timeline_.collectives(),
                        [this](const CollectivePart& part) { return replayed_in(part, part.completed); })) {}

  std::vector<Step> make(const std::vector<std::int64_t>& gaps) {
    steps_.reserve(2 * timeline_.size() + sends_done_.size() + receives_done_.size() + 1);
    for (std::uint32_t op = 0; op < timeline_.size(); ++op) {
      add(Do::Call, static_cast<std::uint64_t>(gaps[op]));
      const std::size_t before = steps_.size();
      const CallKind kind = trace_.kind({location_, op});
      add_call(op, kind);
      if (steps_.size() == before) {
        keep(op, kind);
      } else {
        if (chooses(kind)) tallies_.choices.add(timeline_.length(op));
        if (is_poll(kind) && !timeline_.is_row_of_polls(op))
          found_after_ += timeline_.gap_end(op) - timeline_.gap_begin(op);
      }
    }
    add(Do::End, static_cast<std::uint64_t>(gaps[timeline_.size()]));
    if (const std::uint64_t left_out = polls_left_out(); left_out > 0) {
      tallies_.polling.count += left_out;
      tallies_.polling.time += found_after_;
    }
    steps_.shrink_to_fit();
    return std::move(steps_);
  }

 private:
  static constexpr auto kPosted = [](const MessageEnd& end) { return end.posted; };
  static constexpr auto kCompleted = [](const auto& record) { return record.completed; };
  // A call in parts is replayed as one: in the part that stands for it.
  std::uint32_t replayed_in(const CollectivePart& part, std::uint32_t op) const {
    return is_in_parts(trace_, location_, part) ? standing_part(trace_, location_, part) : op;
  }
  void add(Do what, std::uint64_t value) { steps_.emplace_back(what, value); }

  // Polls that found nothing, which the recorder counted but which are in no row of polls.
  std::uint64_t polls_left_out() const {
    std::uint64_t in_rows = 0;
    for (const PollRecord& row : timeline_.polls()) in_rows += row.in_vain;
    const std::uint64_t all = trace_.locations()[index(location_)].failed_polls;
    return all - std::min(all, in_rows);
  }

  // Calls visit(record) for the records of `order` that belong to `op`.
  template <typename Records, typename OpOf, typename Visit>
  static void take(const std::vector<std::uint32_t>& order, std::size_t& next, const Records& records,
                   std::uint32_t op, OpOf op_of, Visit visit) {
    for (; next < order.size() && op_of(records[order[next]]) == op; ++next) visit(order[next]);
  }

  void add_call(std::uint32_t op, CallKind kind) {
    if (kind == CallKind::Probe || finds_next(op, kind)) add_probe(op);
    take(received_, next_received_, timeline_.receives(), op, kPosted, [&](std::uint32_t i) {
      const std::uint32_t message = numbers_.receives[i];
      if (message != kNone) add(Do::Post, message);
      if (message == kNone && !timeline_.receives()[i].cancelled)
        tallies_.unreceived.add(timeline_.length(op));
    });
    take(sent_, next_sent_, timeline_.sends(), op, kPosted, [&](std::uint32_t i) { add_send(op, kind, i); });
    for (; next_one_sided_ < one_sided_.size() && one_sided_[next_one_sided_].op == op; ++next_one_sided_)
      steps_.push_back(one_sided_[next_one_sided_].step);
    take(
        started_, next_started_, timeline_.collectives(), op,
        [this](const CollectivePart& part) { return replayed_in(part, part.op); },
        [&](std::uint32_t i) { add_known(Do::StartCollective, numbers_.parts[i]); });
    add_by_call(op);
    std::uint64_t from_any = 0;
    take(receives_done_, next_receive_done_, timeline_.receives(), op, kCompleted, [&](std::uint32_t i) {
      add_known(Do::FinishReceive, numbers_.receives[i]);
      if (timeline_.receives()[i].any_source && numbers_.receives[i] != kNone) ++from_any;
    });
    if (from_any > 0) tallies_.any_source.add(timeline_.length(op), from_any);
    take(sends_done_, next_send_done_, timeline_.sends(), op, kCompleted,
         [&](std::uint32_t i) { add_known(Do::FinishSend, numbers_.sends[i]); });
    take(
        ended_, next_ended_, timeline_.collectives(), op,
        [this](const CollectivePart& part) { return replayed_in(part, part.completed); },
        [&](std::uint32_t i) {
          add_known(Do::FinishCollective, numbers_.parts[i]);
          if (!numbers_.behind.empty() && numbers_.behind[i] > Duration::zero())
            add(Do::Keep, static_cast<std::uint64_t>(numbers_.behind[i].count()));
        });
  }

  void add_known(Do what, std::uint32_t number) {
    if (number != kNone) add(what, number);
  }

  void add_send(std::uint32_t op, CallKind kind, std::uint32_t i) {
    const std::uint32_t number = numbers_.sends[i];
    if (number == kNone) return;
    ProgramMessage& message = program_.messages[number];
    const SendMode mode = trace_.region(timeline_.call_path(op)).mode;
    if (mode == SendMode::Synchronous) message.mode = ProgramMessage::Mode::Synchronous;
    if (mode == SendMode::Buffered) message.mode = ProgramMessage::Mode::Detached;
    add(nonblocking_call(kind) ? Do::Isend : Do::Send, number);
  }

  // A probe is for the message of the next receive.
  void add_probe(std::uint32_t op) {
    for (std::size_t i = next_received_; i < received_.size(); ++i) {
      if (numbers_.receives[received_[i]] == kNone) continue;
      add(Do::AwaitSend, numbers_.receives[received_[i]]);
      tallies_.probes.add(timeline_.length(op));
      return;
    }
  }

  // A row of MPI_Iprobe for a message that is received immediately.
  bool finds_next(std::uint32_t op, CallKind kind) {
    if (kind != CallKind::Iprobe || !timeline_.is_row_of_polls(op)) return false;
    iprobed_until_ = last_of_polls(trace_, location_, std::max(iprobed_until_, op));
    return next_received_ < received_.size() &&
           timeline_.receives()[received_[next_received_]].posted == iprobed_until_ + 1;
  }

  void add_by_call(std::uint32_t op) {
    for (std::size_t i = 0; i < numbers_.by_call.size(); i += 2) {
      if (numbers_.by_call[i] != op) continue;
      const std::uint32_t member = numbers_.by_call[i + 1];
      if (!program_.collectives[program_.members[member].collective].meets) continue;
      add(Do::StartCollective, member);
      add(Do::FinishCollective, member);
    }
  }

  void keep(std::uint32_t op, CallKind kind) {
    if (!has_time_of_its_own(kind) || parts_.goes_on(op) || !parts_.ends(op)) return;
    if (kind == CallKind::ThreadBarrier || kind == CallKind::ThreadSync) {
      add(Do::KeepComputing, static_cast<std::uint64_t>(timeline_.length(op).count()));
      return;
    }
    if (timeline_.is_row_of_polls(op) && tests_.waits_later(op)) return;
    add(Do::Keep, static_cast<std::uint64_t>(timeline_.length(op).count()));
    (is_poll(kind) ? tallies_.polling : tallies_.kept).add(timeline_.length(op));
  }

  const Trace& trace_;
  Location location_;
  const Timeline& timeline_;
  const TestRows tests_;
  const Numbers& numbers_;
  std::span<const OneSidedSteps::Entry> one_sided_;
  Program& program_;
  Tallies& tallies_;
  const PartsOfCalls parts_;
  std::vector<std::uint32_t> sent_, received_, sends_done_, receives_done_, started_, ended_;
  std::size_t next_sent_ = 0, next_received_ = 0, next_send_done_ = 0, next_receive_done_ = 0,
              next_started_ = 0, next_ended_ = 0, next_one_sided_ = 0;
  Duration found_after_{};           // computation right before polls that found something
  std::uint32_t iprobed_until_ = 0;  // the last call of the row of MPI_Iprobe
  std::vector<Step> steps_;
};

void note(Approximations& all, const Tallies& tallies) {
  const auto add = [&all](const Tally& tally, const char* id, const char* text) {
    all.add(id, text, tally.count, tally.time);
  };
  add(tallies.polling, "polling",
      "polls that found nothing (MPI_Test, MPI_Iprobe) are as many, and take as long, as recorded; those "
      "that "
      "the recorder left out are computation, at most all of it right before polls that found something");
  add(tallies.choices, "recorded_choices",
      "MPI_Waitany, MPI_Waitsome and the like complete the same requests as recorded, also where others "
      "would be done first");
  add(tallies.any_source, "any_source",
      "receives from MPI_ANY_SOURCE get the same messages as recorded, also where another rank's would be "
      "there "
      "first");
  add(tallies.threads, "threads",
      "further threads of ranks start when they did in the recording, whatever their rank does by then; that "
      "others wait for them is computation, and so are barriers of threads, as long as recorded");
  add(tallies.kept, "kept_calls",
      "MPI calls that have no model (a rank's own access to files, local calls) take as long as recorded");
  add(tallies.unreceived, "unmatched_receives", "receives without a send in the trace are complete at once");
  add(tallies.probes, "probes", "a probe waits for the message of the next receive of its thread");
  add(tallies.held, "held_sends",
      "small messages that MPI held until their receiver came are held on this machine, too");
  add(tallies.unsent, "unmatched_sends", "sends without a receive in the trace cost nothing");
}

}  // namespace

void Approximations::add(std::string_view id, std::string_view text, std::uint64_t count, Duration time) {
  if (count > 0) all_.push_back({std::string(id), std::string(text), count, time});
}

GapTimes recorded_gaps(const Trace& trace) {
  GapTimes gaps;
  for (const Timeline& timeline : trace.timelines()) {
    std::vector<std::int64_t>& mine = gaps.emplace_back();
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
      mine.push_back((timeline.gap_end(gap) - timeline.gap_begin(gap)).count());
  }
  return gaps;
}

Program make_program(const Trace& trace, const SyncPoints& sync, const GapTimes& gaps) {
  Program program;
  program.ranks = trace.ranks();
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    program.begin.push_back(trace.timelines()[l].begin());
    program.rank.push_back(static_cast<std::uint32_t>(index(trace.rank(Location(l)))));
    program.main.push_back(trace.main_location(trace.rank(Location(l))) == Location(l));
  }
  add_collectives(trace, sync, program);
  Tallies tallies;
  const std::vector<Numbers> numbers = number_records(trace, sync, program, tallies);
  const OneSidedSteps one_sided(trace, sync, program);
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    program.steps.push_back(
        StepsOf(trace, Location(l), numbers[l], one_sided, program, tallies).make(gaps[l]));
    program.operations += timeline.size() + timeline.gaps();
    if (!program.main[l]) tallies.threads.add(timeline.end() - timeline.begin());
    for (std::size_t i = 0; i < timeline.sends().size(); ++i)
      if (numbers[l].sends[i] == kNone && !timeline.sends()[i].cancelled)
        tallies.unsent.add(timeline.length(timeline.sends()[i].posted));
  }
  note(program.approximations, tallies);
  return program;
}

}  // namespace waitdiag
