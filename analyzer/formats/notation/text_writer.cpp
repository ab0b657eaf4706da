// Trace -> the text notation: definitions that are used, then one line per piece of computation and per
// operation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ostream>
#include <span>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/notation/peer_text.hpp"
#include "analyzer/formats/notation/text_labels.hpp"
#include "analyzer/formats/notation/text_names.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {
namespace {

class TextWriter {
 public:
  TextWriter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out), labels_(trace) {}

  void write() {
    write_facts();
    labels_.write(out_);
    write_communicators();
    for (std::size_t i = 0; i < trace_.timelines().size(); ++i)
      write_location(trace_.locations()[i], trace_.timelines()[i]);
    for (const WorkerThread& worker : trace_.workers()) write_location(worker.info, worker.timeline);
  }

 private:
  void write_facts() {
    const RunFacts& facts = trace_.facts();
    if (!facts.program.empty()) out_ << "program " << in_quotes(facts.program) << '\n';
    if (!facts.mpi.empty()) out_ << "mpi " << in_quotes(facts.mpi) << '\n';
    if (!facts.creator.empty()) out_ << "creator " << in_quotes(facts.creator) << '\n';
    if (facts.events != 0) out_ << "events " << facts.events << '\n';
    if (facts.clock_resolution != RunFacts{}.clock_resolution)
      out_ << "clock " << facts.clock_resolution << '\n';
    if (!facts.communication_complete) out_ << "incomplete\n";
    for (const auto& [key, value] : facts.properties) {
      out_ << "property " << in_quotes(key) << ' ' << in_quotes(value) << '\n';
    }
  }

  void write_communicators() {
    for (const Communicator& communicator : trace_.communicators()) {
      out_ << "comm " << in_quotes(communicator.name);
      if (communicator.self) out_ << " self";
      if (!communicator.members.empty()) out_ << " =";
      for (const Rank member : communicator.members) out_ << ' ' << index(member);
      if (!communicator.remote_members.empty()) out_ << " |";
      for (const Rank member : communicator.remote_members) out_ << ' ' << index(member);
      if (communicator.parent != kNoComm) out_ << " parent " << comm_name(communicator.parent);
      out_ << '\n';
    }
  }

  void write_location(const LocationInfo& info, const Timeline& timeline) {
    out_ << "\nrank " << index(info.rank);
    if (info.thread != 0) out_ << " thread " << info.thread;
    if (!info.name.empty()) out_ << " name " << in_quotes(info.name);
    if (!info.node.empty()) out_ << " node " << in_quotes(info.node);
    if (info.node_processors != 0) out_ << " processors " << info.node_processors;
    if (info.package != LocationInfo::kAnyPlace) out_ << " package " << info.package;
    if (info.core != LocationInfo::kAnyPlace) out_ << " core " << info.core;
    if (info.trace_id != (index(info.rank) | std::uint64_t{info.thread} << 32))
      out_ << " id " << info.trace_id;
    if (info.failed_polls != 0) out_ << " failed_polls " << info.failed_polls;
    if (info.path_walks_ns != 0) out_ << " path_walks " << info.path_walks_ns;
    if (info.upkeep_ns != 0) out_ << " upkeep " << info.upkeep_ns;
    out_ << '\n';
    // What joins wait for is in the place of the waits; but that it never called MPI is known by this.
    if (timeline.size() == 0 && !timeline.lives().empty()) {
      const ThreadLife& first = timeline.lives().front();
      out_ << "  thread " << first.begin.time_since_epoch().count() << " begins " << first.number << '\n';
    }
    timeline_ = &timeline;
    reading_ = timeline.usage().begin();
    work_ = timeline.counted_work().begin();
    mark_ = timeline.step_marks().begin();
    next_step_ = 0;
    sort_ends();
    for (const UserRegion& region : timeline_->user_regions()) {
      out_ << "  user_region " << labels_.label(region.region);
      write_times(region.begin, region.end);
      out_ << '\n';
    }
    for (const ParallelTotal& total : timeline_->parallel()) write_parallel(total);
    for (std::uint32_t gap = 0; gap < timeline_->gaps(); ++gap) {
      write_gap(gap);
      if (gap < timeline_->size()) write_operation(gap);
    }
    // An empty timeline that was seen at only one moment.
    if (timeline_->size() == 0 && timeline_->begin() == timeline_->end() && timeline_->begin() != Time{}) {
      write_times(timeline_->begin(), timeline_->end());
      out_ << "-\n";
    }
  }

  void write_parallel(const ParallelTotal& total) {
    out_ << "  parallel " << labels_.path(total.call_path) << " regions " << total.regions << " time "
         << total.time.count() << " slowest " << total.slowest.count();
    if (total.left_out != 0) out_ << " left_out " << total.left_out;
    if (total.with_turns != Duration{}) out_ << " with_turns " << total.with_turns.count();
    if (total.with_tasks != Duration{}) out_ << " with_tasks " << total.with_tasks.count();
    if (total.barriers != Duration{}) out_ << " barriers " << total.barriers.count();
    if (total.tasks != Duration{}) out_ << " tasks " << total.tasks.count();
    if (!total.turns.empty()) out_ << " turns";
    for (const Duration turns : total.turns) out_ << ' ' << turns.count();
    out_ << " busy";
    for (const Duration busy : total.busy) out_ << ' ' << busy.count();
    out_ << '\n';
  }

  void write_gap(std::size_t gap) {
    gap_ = gap;
    GapPart rest = timeline_->whole_gap(gap);
    for (; mark_ != timeline_->step_marks().end() && mark_->op == gap; ++mark_) {
      write_part(Timeline::cut_off(rest, *mark_));
      write_step(*mark_);
    }
    write_part(rest);
    write_usage_until(Time::max());
    for (; work_ != timeline_->counted_work().end() && work_->op == gap; ++work_)
      out_ << "  counted " << work_->counts.instructions << " instructions " << work_->counts.cycles
           << " cycles\n";
  }

  // The next reading, if it lies in the gap that is being written or in the call before it.
  const UsageReading* next_reading() const {
    const bool here = reading_ != timeline_->usage().end() && reading_->op == gap_;
    return here ? &*reading_ : nullptr;
  }

  void write_usage_until(Time time) {
    for (; next_reading() != nullptr && reading_->time <= time; ++reading_) {
      const Time inside = std::clamp(reading_->time, timeline_->gap_begin(gap_), timeline_->gap_end(gap_));
      out_ << "  usage " << inside.time_since_epoch().count();
      write_used(*reading_);
      out_ << '\n';
    }
  }

  void write_used(const UsageReading& reading) {
    out_ << " cpu " << reading.processor_time.count() << " memory " << reading.resident << " load "
         << reading.runnable;
    if (reading.faults) {
      out_ << " faults " << reading.faults->minor << ' ' << reading.faults->major << " migrations "
           << reading.faults->migrations;
    }
    if (reading.stolen) out_ << " stolen " << reading.stolen->count();
    if (reading.node_busy) out_ << " node_busy " << reading.node_busy->count();
  }

  void write_step(const StepMark& mark) {
    out_ << "  step " << mark.time.time_since_epoch().count();
    if (mark.number != next_step_) out_ << " number " << mark.number;
    out_ << '\n';
    next_step_ = mark.number + 1;
  }

  void write_part(const GapPart& part) {
    Time now = part.begin;
    bool samples_due = part.first_sample < part.last_sample;
    for (const ComputationPiece& piece : timeline_->pieces(part)) {
      const Time end = now + piece.time;
      std::uint32_t visits = piece.visits;
      do {  // in two lines where a reading lies in between
        write_usage_until(now);
        const Time until = next_reading() == nullptr ? end : std::min(end, reading_->time);
        write_times(now, until);
        now = until;
        if (piece.call_path != kNoCallPath) {
          out_ << path(piece.call_path);
          if (visits != 1) out_ << " visits " << visits;
          out_ << '\n';
          visits = 0;
        } else if (samples_due) {
          write_samples(part);
          samples_due = false;
        } else {
          out_ << "-\n";
        }
      } while (now < end);
    }
    if (!samples_due) return;
    write_times(now, now);
    write_samples(part);
  }

  void write_samples(const GapPart& part) {
    out_ << "samples";
    for (const ComputationSample& sample : timeline_->samples(part)) {
      out_ << ' ' << (sample.call_path == kNoCallPath ? "-" : path(sample.call_path)) << ':' << sample.weight;
    }
    out_ << '\n';
  }

  // What each operation posted and completed, by operation; kept as sorted lists of (operation, index).
  struct EndOfOp {
    std::uint32_t op;
    std::size_t end;
    friend auto operator<=>(const EndOfOp&, const EndOfOp&) = default;
  };
  using EndsOfOps = std::vector<EndOfOp>;

  void sort_ends() {
    sends_posted_ = by_operation(timeline_->sends(), &MessageEnd::posted);
    sends_done_ = by_operation(timeline_->sends(), &MessageEnd::completed);
    receives_posted_ = by_operation(timeline_->receives(), &MessageEnd::posted);
    receives_done_ = by_operation(timeline_->receives(), &MessageEnd::completed);
    parts_ = by_operation(timeline_->collectives(), &CollectivePart::op);
    parts_done_ = by_operation(timeline_->collectives(), &CollectivePart::completed);
  }

  template <typename Items, typename Item>
  static EndsOfOps by_operation(const Items& items, std::uint32_t Item::*op) {
    EndsOfOps sorted;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (item.*op != kNoOp) sorted.push_back({item.*op, i});
    }
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  static std::pair<EndsOfOps::const_iterator, EndsOfOps::const_iterator> of(const EndsOfOps& ends,
                                                                            std::uint32_t op) {
    return {std::lower_bound(ends.begin(), ends.end(), EndOfOp{op, 0}),
            std::lower_bound(ends.begin(), ends.end(), EndOfOp{op + 1, 0})};
  }

  // Requests are numbered by their index: receive i is request 3i, send i is request 3i + 1.
  static std::size_t receive_request(std::size_t i) { return 3 * i; }
  static std::size_t send_request(std::size_t i) { return 3 * i + 1; }
  static std::size_t collective_request(std::size_t i) { return 3 * i + 2; }
  static bool blocking(const MessageEnd& end) { return end.posted == end.completed && !end.cancelled; }

  void write_operation(std::uint32_t op) {
    write_times(timeline_->enter(op), timeline_->leave(op));
    out_ << path(timeline_->call_path(op));
    if (timeline_->ends_in_call() && op + 1 == timeline_->size()) out_ << " open";
    write_collectives(op);
    for (auto [i, end] = of(receives_posted_, op); i != end; ++i) {
      const MessageEnd& receive = timeline_->receives()[i->end];
      if (blocking(receive)) {
        out_ << " from";
        write_envelope(receive);
        write_at(receive.time, timeline_->leave(op));
      } else {
        out_ << " request " << receive_request(i->end);
      }
      if (receive.any_source) out_ << " any";
    }
    for (auto [i, end] = of(sends_posted_, op); i != end; ++i) {
      const MessageEnd& send = timeline_->sends()[i->end];
      out_ << " to";
      write_envelope(send);
      write_at(send.time, timeline_->enter(op));
      if (!blocking(send)) out_ << " request " << send_request(i->end);
    }
    write_completions(op);
    write_rma(op);
    for (const FileAccess& access : of_call(timeline_->file_accesses(), op))
      out_ << " moves " << access.bytes;
    for (const PollRecord& poll : of_call(timeline_->polls(), op)) out_ << " polls " << poll.in_vain;
    for (const PreemptedCall& call : of_call(timeline_->preempted_calls(), op))
      out_ << " preempted " << call.time.count();
    write_usage_inside(op);
    out_ << '\n';
  }

  void write_usage_inside(std::uint32_t op) {
    gap_ = op + 1;
    const bool has_clauses = trace_.region(timeline_->call_path(op)).mpi();
    for (; has_clauses && next_reading() != nullptr && reading_->time < timeline_->leave(op); ++reading_) {
      out_ << " usage " << reading_->time.time_since_epoch().count();
      write_used(*reading_);
    }
  }

  template <typename Record>
  static std::span<const Record> of_call(const std::vector<Record>& all, std::uint32_t op) {
    const auto first = std::ranges::lower_bound(all, op, {}, &Record::op);
    const auto last = std::find_if(first, all.end(), [op](const Record& record) { return record.op != op; });
    return {first, last};
  }

  void write_completions(std::uint32_t op) {
    for (auto [i, end] = of(sends_done_, op); i != end; ++i) {
      const MessageEnd& send = timeline_->sends()[i->end];
      if (!blocking(send)) out_ << (send.cancelled ? " cancels " : " completes ") << send_request(i->end);
    }
    for (auto [i, end] = of(receives_done_, op); i != end; ++i) {
      const MessageEnd& receive = timeline_->receives()[i->end];
      if (blocking(receive)) continue;
      out_ << (receive.cancelled ? " cancels " : " completes ") << receive_request(i->end);
      if (!receive.cancelled) {
        out_ << " from";
        write_envelope(receive);
      }
      write_at(receive.time, timeline_->leave(op));
    }
    for (auto [i, end] = of(parts_done_, op); i != end; ++i) {
      const CollectivePart& part = timeline_->collectives()[i->end];
      if (!part.nonblocking()) continue;
      out_ << " completes " << collective_request(i->end);
      write_at(part.end, timeline_->leave(op));
    }
  }

  void write_collectives(std::uint32_t op) {
    auto [part, end] = of(parts_, op);
    const auto implied = implied_collective(trace_.region(timeline_->call_path(op)));
    bool first_implied = implied && part != end && timeline_->collectives()[part->end].kind == *implied &&
                         !timeline_->collectives()[part->end].nonblocking();
    if (implied && !first_implied) out_ << " alone";
    for (; part != end; ++part, first_implied = false) {
      const CollectivePart& collective = timeline_->collectives()[part->end];
      if (collective.nonblocking()) {
        out_ << " starts " << collective_request(part->end) << ' ' << word(collective.kind);
      } else if (!first_implied) {
        out_ << " collective " << word(collective.kind);
      }
      write_part(collective);
      write_at(collective.begin, timeline_->enter(op));
      if (!collective.nonblocking() && collective.end != timeline_->leave(op))
        out_ << " until " << collective.end.time_since_epoch().count();
    }
  }

  void write_rma(std::uint32_t op) {
    const std::vector<RmaRecord>& records = timeline_->rma();
    auto record =
        std::partition_point(records.begin(), records.end(), [op](const RmaRecord& r) { return r.op < op; });
    for (; record != records.end() && record->op == op; ++record) {
      out_ << " rma " << word(record->what);
      if (record->target != kNoRank) out_ << ' ' << index(record->target);
      if (record->bytes != 0) out_ << " bytes " << record->bytes;
      if (record->returned != 0) out_ << " returned " << record->returned;
      if (record->number != 0) out_ << " number " << record->number;
      if (record->exclusive) out_ << " exclusive";
      if (record->group != kNoPeerList) {
        out_ << " with";
        for (const PeerRun& run : trace_.peer_lists()[index(record->group)].sent) out_ << ' ' << run.first;
      }
      out_ << " win " << comm_name(record->window);
      write_at(record->time, at_enter(record->what) ? timeline_->enter(op) : timeline_->leave(op));
    }
  }

  void write_part(const CollectivePart& part) {
    if (part.root != kNoRank) out_ << " root " << index(part.root);
    if (part.sent != 0) out_ << " sent " << part.sent;
    if (part.received != 0) out_ << " received " << part.received;
    if (part.comm != trace_.world()) out_ << " comm " << comm_name(part.comm);
    if (part.peers != kNoPeerList) out_ << " peers " << peers_text(trace_.peer_lists()[index(part.peers)]);
  }

  void write_envelope(const MessageEnd& end) {
    out_ << ' ' << index(end.peer) << " tag " << end.tag << " bytes " << end.bytes;
    if (end.comm != trace_.world()) out_ << " comm " << comm_name(end.comm);
  }

  void write_at(Time time, Time usual) {
    if (time != usual) out_ << " at " << time.time_since_epoch().count();
  }

  void write_times(Time begin, Time end) {
    out_ << "  " << begin.time_since_epoch().count() << ".." << end.time_since_epoch().count() << "  ";
  }

  std::string comm_name(CommId id) const { return in_quotes(trace_.communicator(id).name); }

  std::string path(CallPathId id) const { return labels_.path(id); }

  const Trace& trace_;
  std::ostream& out_;
  const RegionLabels labels_;
  const Timeline* timeline_ = nullptr;
  std::size_t gap_ = 0;                                // of `timeline_`, as the next two
  std::vector<UsageReading>::const_iterator reading_;  // that is to be written next
  std::vector<CountedWork>::const_iterator work_;      // the same
  std::vector<StepMark>::const_iterator mark_;
  std::uint64_t next_step_ = 0;  // its number, if it is not told
  EndsOfOps sends_posted_, sends_done_, receives_posted_, receives_done_, parts_, parts_done_;
};

}  // namespace

void write_text(const Trace& trace, std::ostream& out) {
  TextWriter(trace, out).write();
}

}  // namespace waitdiag
