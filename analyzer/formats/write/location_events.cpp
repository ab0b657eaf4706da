// The events of one location: gap, call, gap, call ...
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "analyzer/formats/notation/peer_text.hpp"
#include "analyzer/formats/read/collective_ops.hpp"
#include "analyzer/formats/write/archive_ids.hpp"
#include "analyzer/formats/write/one_sided_events.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// Records of one call, by time; those of equal time stay in this order.
enum class Kind : std::uint8_t {
  PostReceive,
  Send,
  CollectiveBegin,
  CollectiveRequest,
  Receive,
  SendComplete,
  Cancel,
  CollectiveEnd,
  WindowBegin,
  OneSided,
  WindowEnd
};
struct TimedRecord {
  std::uint32_t op;
  Time time;
  Kind kind;
  std::uint32_t i;
};

struct DeleteAttributes {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

class EventsOf {
 public:
  EventsOf(const Trace& trace, Location location, OTF2_EvtWriter* writer, ArchiveIds& ids)
      : trace_(trace),
        location_(location),
        timeline_(trace.timeline(location)),
        writer_(writer),
        ids_(ids),
        mark_(timeline_.step_marks().begin()),
        attributes_(OTF2_AttributeList_New()) {
    for (std::uint32_t c = 0; c < trace.communicators().size(); ++c) {
      const Communicator& comm = trace.communicators()[c];
      const auto& peers = comm.remote_members.empty() ? comm.members : other_side(comm);
      for (std::uint32_t i = 0; i < peers.size(); ++i) place_[{CommId(c), peers[i]}] = i;
    }
  }

  std::uint64_t write() {
    collect();
    auto record = records_.begin();
    auto access = timeline_.file_accesses().begin();
    auto poll = timeline_.polls().begin();
    auto preempted = timeline_.preempted_calls().begin();
    if (timeline_.begin() < timeline_.end() || timeline_.size() > 0) begin_and_end(timeline_.begin(), true);
    for (std::uint32_t op = 0; op <= timeline_.size(); ++op) {
      gap(op);
      if (op == timeline_.size()) break;
      const auto region =
          static_cast<OTF2_RegionRef>(index(trace_.call_paths()[index(timeline_.call_path(op))].region));
      const CallPathId caller = trace_.call_paths()[index(timeline_.call_path(op))].parent;
      std::uint64_t polls = 0;
      for (; poll != timeline_.polls().end() && poll->op == op; ++poll) polls += poll->in_vain;
      if (polls > 0) number(ArchiveIds::kPolls, polls);
      ids_.check(OTF2_EvtWriter_Enter(writer_, path(caller), stamp(timeline_.enter(op)), region));
      for (; record != records_.end() && record->op == op; ++record) add(*record);
      for (; preempted != timeline_.preempted_calls().end() && preempted->op == op; ++preempted)
        ids_.check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, stamp(timeline_.leave(op)),
                                                       ArchiveIds::kPreempted,
                                                       static_cast<std::uint64_t>(preempted->time.count())));
      std::uint64_t bytes = 0;
      for (; access != timeline_.file_accesses().end() && access->op == op; ++access) bytes += access->bytes;
      ids_.check(OTF2_EvtWriter_Leave(writer_, moved(bytes), stamp(timeline_.leave(op)), region));
    }
    if (timeline_.begin() < timeline_.end() || timeline_.size() > 0) begin_and_end(timeline_.end(), false);
    return left_out_;
  }

 private:
  const std::vector<Rank>& other_side(const Communicator& comm) const {
    const Rank me = trace_.rank(location_);
    const bool local = std::find(comm.members.begin(), comm.members.end(), me) != comm.members.end();
    return local ? comm.remote_members : comm.members;
  }
  std::uint32_t place(CommId comm, Rank rank) const {
    if (trace_.communicator(comm).self) return 0;
    const auto found = place_.find({comm, rank});
    return found == place_.end() ? OTF2_UNDEFINED_UINT32 : found->second;
  }
  // Never backwards: a piece of a gap may overlap with a step mark.
  OTF2_TimeStamp stamp(Time time) {
    last_ = std::max(last_, ids_.ticks(time));
    return last_;
  }
  OTF2_AttributeList* path(CallPathId caller) {
    if (caller == kNoCallPath) return attributes_.get();
    ids_.check(OTF2_AttributeList_AddCallingContextRef(attributes_.get(), ArchiveIds::kCallPath,
                                                       static_cast<OTF2_CallingContextRef>(index(caller))));
    return attributes_.get();
  }

  OTF2_AttributeList* moved(std::uint64_t bytes) {
    if (bytes > 0) number(ArchiveIds::kFileBytes, bytes);
    return attributes_.get();
  }

  OTF2_AttributeList* asked_for(std::uint32_t receive) {
    if (timeline_.receives()[receive].any_source)
      ids_.check(OTF2_AttributeList_AddUint8(attributes_.get(), ArchiveIds::kAnySource, 1));
    return attributes_.get();
  }

  void number(OTF2_AttributeRef attribute, std::uint64_t value) {
    ids_.check(OTF2_AttributeList_AddUint64(attributes_.get(), attribute, value));
  }

  void begin_and_end(Time time, bool begins) {
    if (begins) {
      ids_.check(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, stamp(time),
                                             ids_.string(trace_.facts().program), 0, nullptr));
    } else {
      ids_.check(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, stamp(time), 0));
    }
  }

  void step(const StepMark& mark) {
    ids_.check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, stamp(mark.time), ArchiveIds::kStep,
                                                   mark.number));
  }

  // Pieces follow each other in their order; samples are written where nothing exact is known.
  void gap(std::uint32_t gap) {
    GapPart rest = timeline_.whole_gap(gap);
    for (; mark_ != timeline_.step_marks().end() && mark_->op == gap; ++mark_) {
      part(Timeline::cut_off(rest, *mark_));
      step(*mark_);
    }
    part(rest);
  }
  void part(const GapPart& part) {
    Time now = part.begin;
    bool sampled = false;
    for (const ComputationPiece& piece : timeline_.pieces(part)) {
      if (piece.call_path == kNoCallPath) {
        samples(part, now + piece.time / 2);
        sampled = true;
      } else {
        const CallPathNode& node = trace_.call_paths()[index(piece.call_path)];
        const auto region = static_cast<OTF2_RegionRef>(index(node.region));
        ids_.check(OTF2_EvtWriter_Enter(writer_, path(node.parent), stamp(now), region));
        ids_.check(OTF2_EvtWriter_Leave(writer_, nullptr, stamp(now + piece.time), region));
      }
      now += piece.time;
    }
    if (!sampled) samples(part, now);
  }
  void samples(const GapPart& part, Time time) {
    for (const ComputationSample& sample : timeline_.samples(part))
      ids_.check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, path(sample.call_path), stamp(time),
                                                     ArchiveIds::kSample, sample.weight));
  }

  void collect() {
    for (std::uint32_t i = 0; i < timeline_.sends().size(); ++i) {
      const MessageEnd& end = timeline_.sends()[i];
      record(end.posted, end.time, Kind::Send, i);
      if (end.completed != end.posted)
        record(end.completed, at_leave(end.completed), end.cancelled ? Kind::Cancel : Kind::SendComplete, i);
    }
    for (std::uint32_t i = 0; i < timeline_.receives().size(); ++i) {
      const MessageEnd& end = timeline_.receives()[i];
      if (end.completed != end.posted && end.posted != kNoOp)
        record(end.posted, timeline_.enter(end.posted), Kind::PostReceive, i);
      if (!end.cancelled) record(end.completed, end.time, Kind::Receive, i);
    }
    for (std::uint32_t i = 0; i < timeline_.collectives().size(); ++i) {
      const CollectivePart& part = timeline_.collectives()[i];
      if (is_of_window(part.kind)) {
        if (part.comm == kNoComm || part.nonblocking()) {
          ++left_out_;
          continue;
        }
        record(part.op, part.begin, Kind::WindowBegin, i);
        record(part.completed, part.end, Kind::WindowEnd, i);
        continue;
      }
      record(part.op, part.begin, part.nonblocking() ? Kind::CollectiveRequest : Kind::CollectiveBegin, i);
      record(part.completed, part.end, Kind::CollectiveEnd, i);
    }
    for (std::uint32_t i = 0; i < timeline_.rma().size(); ++i) {
      const RmaRecord& one = timeline_.rma()[i];
      if (one.op == kNoOp || one.window == kNoComm) ++left_out_;
      if (one.window != kNoComm) record(one.op, one.time, Kind::OneSided, i);
    }
    std::stable_sort(records_.begin(), records_.end(), [](const TimedRecord& a, const TimedRecord& b) {
      return std::tie(a.op, a.time, a.kind) < std::tie(b.op, b.time, b.kind);
    });
  }
  Time at_leave(std::uint32_t op) const { return op == kNoOp ? Time{} : timeline_.leave(op); }
  void record(std::uint32_t op, Time time, Kind kind, std::uint32_t i) {
    if (op == kNoOp) return;
    records_.push_back({op, std::clamp(time, timeline_.enter(op), timeline_.leave(op)), kind, i});
  }

  static std::uint64_t request(std::uint32_t i, std::uint64_t kind) {
    return std::uint64_t{i} * 3 + kind + 1;
  }

  void add(const TimedRecord& record) {
    const OTF2_TimeStamp now = stamp(record.time);
    switch (record.kind) {
      case Kind::Send:
        send(now, record.i);
        break;
      case Kind::PostReceive:
        ids_.check(OTF2_EvtWriter_MpiIrecvRequest(writer_, asked_for(record.i), now, request(record.i, 1)));
        break;
      case Kind::Receive:
        receive(now, record.i);
        break;
      case Kind::SendComplete:
        ids_.check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, now, request(record.i, 0)));
        break;
      case Kind::Cancel:
        ids_.check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, now, request(record.i, 0)));
        break;
      case Kind::CollectiveBegin:
        ids_.check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, now));
        break;
      case Kind::CollectiveRequest:
        ids_.check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, now, request(record.i, 2)));
        break;
      case Kind::CollectiveEnd:
        end_collective(now, record.i);
        break;
      case Kind::WindowBegin:
        ids_.check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, now));
        break;
      case Kind::OneSided: {
        const RmaRecord& one = timeline_.rma()[record.i];
        const std::uint32_t target =
            one.target == kNoRank ? OTF2_UNDEFINED_UINT32 : place(one.window, one.target);
        write_one_sided(writer_, now, one, target, ids_);
        break;
      }
      case Kind::WindowEnd:
        write_window_collective(writer_, now, timeline_.collectives()[record.i], ids_);
        break;
    }
  }

  void send(OTF2_TimeStamp now, std::uint32_t i) {
    const MessageEnd& end = timeline_.sends()[i];
    const std::uint32_t peer = place(end.comm, end.peer);
    const auto comm = static_cast<OTF2_CommRef>(index(end.comm));
    const auto tag = static_cast<std::uint32_t>(end.tag);
    ids_.check(
        end.completed == end.posted
            ? OTF2_EvtWriter_MpiSend(writer_, nullptr, now, peer, comm, tag, end.bytes)
            : OTF2_EvtWriter_MpiIsend(writer_, nullptr, now, peer, comm, tag, end.bytes, request(i, 0)));
  }

  void receive(OTF2_TimeStamp now, std::uint32_t i) {
    const MessageEnd& end = timeline_.receives()[i];
    const std::uint32_t peer = place(end.comm, end.peer);
    const auto comm = static_cast<OTF2_CommRef>(index(end.comm));
    const auto tag = static_cast<std::uint32_t>(end.tag);
    ids_.check(
        end.completed == end.posted
            ? OTF2_EvtWriter_MpiRecv(writer_, asked_for(i), now, peer, comm, tag, end.bytes)
            : OTF2_EvtWriter_MpiIrecv(writer_, nullptr, now, peer, comm, tag, end.bytes, request(i, 1)));
  }

  void end_collective(OTF2_TimeStamp now, std::uint32_t i) {
    const CollectivePart& part = timeline_.collectives()[i];
    if (part.kind == CollectiveKind::Neighbourhood)
      ids_.check(OTF2_AttributeList_AddUint8(attributes_.get(), ArchiveIds::kNeighbourhood, 1));
    if (part.peers != kNoPeerList) {
      const std::string text =
          waitprof::schema::kPeersPrefix + peers_text(trace_.peer_lists()[index(part.peers)]);
      ids_.check(OTF2_AttributeList_AddStringRef(attributes_.get(), ArchiveIds::kPeers, ids_.string(text)));
    }
    const auto comm = static_cast<OTF2_CommRef>(index(part.comm));
    const std::uint32_t root = part.root == kNoRank ? static_cast<std::uint32_t>(OTF2_COLLECTIVE_ROOT_NONE)
                                                    : place(part.comm, part.root);
    const OTF2_CollectiveOp operation = collective_op(part.kind);
    ids_.check(part.nonblocking()
                   ? OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, attributes_.get(), now, operation,
                                                                  comm, root, part.sent, part.received,
                                                                  request(i, 2))
                   : OTF2_EvtWriter_MpiCollectiveEnd(writer_, attributes_.get(), now, operation, comm, root,
                                                     part.sent, part.received));
  }

  const Trace& trace_;
  Location location_;
  const Timeline& timeline_;
  OTF2_EvtWriter* writer_;
  ArchiveIds& ids_;
  std::vector<StepMark>::const_iterator mark_;  // the next one
  std::unique_ptr<OTF2_AttributeList, DeleteAttributes> attributes_;
  std::map<std::pair<CommId, Rank>, std::uint32_t> place_;
  std::vector<TimedRecord> records_;
  OTF2_TimeStamp last_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

std::uint64_t write_events(const Trace& trace, Location location, OTF2_EvtWriter* writer, ArchiveIds& ids) {
  return EventsOf(trace, location, writer, ids).write();
}

}  // namespace waitdiag
