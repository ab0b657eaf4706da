// Field numbers are those of Perfetto's trace format (protos/perfetto/trace); only these few are written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <ostream>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "analyzer/writers/exports/lane_slices.hpp"

namespace waitdiag {
namespace {

using protozero::pbf_writer;

constexpr std::uint32_t kPacket = 1;  // of the trace
namespace packet {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                        kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;  // values of kSequenceFlags
}  // namespace packet
namespace track {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr std::uint32_t kPid = 1, kTid = 2, kThreadName = 5, kProcessName = 6;  // of process and thread
constexpr std::uint32_t kUnit = 3, kUnitName = 6, kUnitBytes = 3;               // of a counter
}  // namespace track
namespace event {
constexpr std::uint32_t kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11, kCounterValue = 30,
                        kDoubleValue = 44, kFlow = 47, kEndOfFlow = 48;
constexpr std::int32_t kBegin = 1, kEnd = 2, kCounter = 4;  // values of kType
constexpr std::uint32_t kAnnotationNameId = 1, kAnnotationNumber = 4, kAnnotationTextId = 17;
}  // namespace event
// Tables of texts that events name by number; an entry of any of them is {number = 1, text = 2}.
namespace interned {
constexpr std::uint32_t kEventNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29;
}  // namespace interned

constexpr std::uint32_t kTheSequence = 1;

// Numbers of arrows by call: messages that leave with it, messages that have arrived by its end, waits that its
// begin ended. Those of waits follow those of messages, in the order of the waits.
struct Flows {
  std::multimap<OpRef, std::uint64_t> sent{}, received{}, waits_ended{};
  std::uint64_t messages = 0;
};

// A flow never goes back in time: a wait for a call that had begun before has none.
bool leads_to_its_cause(const ExportView& view, const WaitState& wait) {
  return is_shown(view, wait) && wait.cause.valid() && view.selection.place(wait.cause) != kNoOp &&
         view.trace.enter(wait.cause) >= view.trace.enter(wait.victim);
}

Flows flows_of(const ExportView& view) {
  Flows flows;
  for (const PageSelection::Lane& lane : view.selection.lanes)
    for (const Message& message : view.diagnosis.sync.received_by(lane.location)) {
      const OpRef from{message.sender, send_end(view.trace, message).posted};
      const OpRef to{lane.location, receive_end(view.trace, message).completed};
      if (!from.valid() || !to.valid() || view.selection.place(from) == kNoOp ||
          view.selection.place(to) == kNoOp)
        continue;
      flows.sent.emplace(from, ++flows.messages);
      flows.received.emplace(to, flows.messages);
    }
  std::uint64_t number = flows.messages;
  for (const WaitState& wait : view.diagnosis.states.waits) {
    ++number;
    if (leads_to_its_cause(view, wait)) flows.waits_ended.emplace(wait.cause, number);
  }
  return flows;
}

class PerfettoWriter {
 public:
  PerfettoWriter(const ExportView& view, std::ostream& out)
      : view_(view), out_(out), flows_(flows_of(view)) {}

  void write() {
    put(packet::kSequenceFlags, packet::kStateCleared);
    for (std::size_t lane = 0; lane < view_.selection.lanes.size(); ++lane) {
      describe(lane);
      slices(lane);
    }
    for (const PageSelection::Lane& lane : view_.selection.lanes)
      if (lane.location == view_.trace.main_location(view_.trace.rank(lane.location))) usage(lane);
  }

 private:
  // Perfetto takes process 0 for the idle process.
  std::uint64_t process_of(Location location) const {
    return static_cast<std::uint64_t>(view_.trace.rank(location)) + 1;
  }
  static std::uint64_t process_track(std::uint64_t process) { return process; }
  std::uint64_t lane_track(std::size_t lane) const { return view_.trace.ranks() + 1 + lane; }
  std::uint64_t counter_track(std::uint64_t process, std::uint64_t counter) const {
    return view_.trace.ranks() + 1 + view_.trace.locations().size() + 2 * process + counter;
  }
  std::uint64_t time(Time when) const {
    return static_cast<std::uint64_t>((when - view_.trace.begin()).count());
  }

  void flush(const std::string& content) {
    std::string bytes;
    pbf_writer(bytes).add_message(kPacket, content);
    out_ << bytes;
  }
  void put(std::uint32_t tag, std::uint32_t value) {
    std::string content;
    pbf_writer writer(content);
    writer.add_uint32(packet::kSequence, kTheSequence);
    writer.add_uint32(tag, value);
    flush(content);
  }

  template <typename Fill>
  void descriptor(std::uint64_t uuid, Fill fill) {
    std::string content, body;
    pbf_writer descriptor(body);
    descriptor.add_uint64(track::kUuid, uuid);
    fill(descriptor);
    pbf_writer writer(content);
    writer.add_uint32(packet::kSequence, kTheSequence);
    writer.add_message(packet::kTrackDescriptor, body);
    flush(content);
  }

  void describe(std::size_t lane) {
    const Location location = view_.selection.lanes[lane].location;
    const LocationInfo& info = view_.trace.locations()[index(location)];
    const std::uint64_t process = process_of(location);
    const std::string rank = "rank " + std::to_string(static_cast<std::int64_t>(info.rank));
    if (described_.insert(process).second)
      descriptor(process_track(process), [&](pbf_writer& out) {
        std::string body;
        pbf_writer fields(body);
        fields.add_int32(track::kPid, static_cast<std::int32_t>(process));
        fields.add_string(track::kProcessName, rank + (info.node.empty() ? "" : " (" + info.node + ")"));
        out.add_message(track::kProcess, body);
      });
    descriptor(lane_track(lane), [&](pbf_writer& out) {
      std::string body;
      pbf_writer fields(body);
      fields.add_int32(track::kPid, static_cast<std::int32_t>(process));
      // The first thread of a process has the number of the process.
      const std::uint64_t thread = info.thread == 0 ? process : view_.trace.ranks() + 1 + index(location);
      fields.add_int32(track::kTid, static_cast<std::int32_t>(thread));
      fields.add_string(track::kThreadName,
                        info.thread == 0 ? rank : rank + " thread " + std::to_string(info.thread));
      out.add_message(track::kThread, body);
      out.add_uint64(track::kParent, process_track(process));
    });
  }

  // The number of a text, which is written if it is new.
  std::uint64_t number_of(std::uint32_t table, const std::string& text) {
    std::map<std::string, std::uint64_t>& known = texts_[table];
    const auto [entry, is_new] = known.try_emplace(text, known.size() + 1);
    if (is_new) {
      std::string content, data, pair;
      pbf_writer fields(pair);
      fields.add_uint64(1, entry->second);
      fields.add_string(2, text);
      pbf_writer(data).add_message(table, pair);
      pbf_writer writer(content);
      writer.add_uint32(packet::kSequence, kTheSequence);
      writer.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
      writer.add_message(packet::kInternedData, data);
      flush(content);
    }
    return entry->second;
  }

  template <typename Fill>
  void track_event(Time when, std::int32_t type, std::uint64_t on, Fill fill) {
    std::string content, body;
    pbf_writer fields(body);
    fields.add_enum(event::kType, type);
    fields.add_uint64(event::kTrack, on);
    fill(fields);
    pbf_writer writer(content);
    writer.add_uint64(packet::kTimestamp, time(when));
    writer.add_uint32(packet::kSequence, kTheSequence);
    writer.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
    writer.add_message(packet::kTrackEvent, body);
    flush(content);
  }

  // Texts interned meanwhile are written before the event, which is written when it is complete.
  void annotate(pbf_writer& of, const char* name, const std::string& text) {
    std::string body;
    pbf_writer fields(body);
    fields.add_uint64(event::kAnnotationNameId, number_of(interned::kAnnotationNames, name));
    fields.add_uint64(event::kAnnotationTextId, number_of(interned::kAnnotationTexts, text));
    of.add_message(event::kAnnotation, body);
  }
  void annotate(pbf_writer& of, const char* name, std::int64_t number) {
    std::string body;
    pbf_writer fields(body);
    fields.add_uint64(event::kAnnotationNameId, number_of(interned::kAnnotationNames, name));
    fields.add_int64(event::kAnnotationNumber, number);
    of.add_message(event::kAnnotation, body);
  }

  static void add_flows(pbf_writer& out, std::uint32_t tag, const std::multimap<OpRef, std::uint64_t>& flows,
                        OpRef op) {
    const auto [first, last] = flows.equal_range(op);
    for (auto flow = first; flow != last; ++flow) out.add_fixed64(tag, flow->second);
  }
  void begin(Time when, std::uint64_t on, const std::string& name, CallPathId path, OpRef op = {}) {
    const std::uint64_t id = number_of(interned::kEventNames, name);
    track_event(when, event::kBegin, on, [&](pbf_writer& out) {
      out.add_uint64(event::kNameId, id);
      if (path != kNoCallPath) annotate(out, "call path", view_.trace.call_path_name(path));
      if (!op.valid()) return;
      add_flows(out, event::kFlow, flows_.sent, op);
      add_flows(out, event::kEndOfFlow, flows_.waits_ended, op);
    });
  }
  void end(Time when, std::uint64_t on) {
    track_event(when, event::kEnd, on, [](pbf_writer&) {});
  }

  std::uint64_t number_of_wait(const WaitState& wait) const {
    return flows_.messages + static_cast<std::uint64_t>(&wait - view_.diagnosis.states.waits.data()) + 1;
  }
  void wait_slice(const LaneWait& wait, std::uint64_t on) {
    const Trace& trace = view_.trace;
    const WaitPattern& kind = pattern(wait.wait->pattern);
    const std::uint64_t id = number_of(interned::kEventNames, "waiting: " + std::string(kind.title));
    track_event(wait.begin, event::kBegin, on, [&](pbf_writer& out) {
      out.add_uint64(event::kNameId, id);
      if (leads_to_its_cause(view_, *wait.wait)) out.add_fixed64(event::kFlow, number_of_wait(*wait.wait));
      annotate(out, "pattern", std::string(kind.id));
      if (wait.wait->cause.valid()) {
        annotate(out, "late rank", static_cast<std::int64_t>(trace.rank(wait.wait->cause.location)));
        annotate(out, "late call", trace.call_path_name(trace.call_path(wait.wait->cause)));
      }
      if (wait.culprit.call_path == kNoCallPath) return;
      annotate(out, "caused by", trace.call_path_name(wait.culprit.call_path));
      annotate(out, "caused by rank", static_cast<std::int64_t>(trace.rank(wait.culprit.location)));
    });
    end(wait.end, on);
  }

  void slices(std::size_t lane) {
    const std::uint64_t on = lane_track(lane);
    const Location location = view_.selection.lanes[lane].location;
    for_each_slice(
        view_, view_.selection.lanes[lane],
        [&](Time from, Time until, CallPathId path) {
          begin(from, on, path == kNoCallPath ? "computation" : view_.trace.region(path).name, path);
          end(until, on);
        },
        [&](std::uint32_t op, Time enter, Time leave, const std::vector<LaneWait>& waits) {
          const CallPathId path = view_.trace.timeline(location).call_path(op);
          begin(enter, on, view_.trace.region(path).name, path, {location, op});
          for (const LaneWait& wait : waits) wait_slice(wait, on);
          track_event(leave, event::kEnd, on, [&](pbf_writer& out) {
            // A message has arrived by the end of the call, perhaps long after the call began.
            add_flows(out, event::kEndOfFlow, flows_.received, {location, op});
          });
        });
  }

  // Memory, and the part of a processor that the rank used since the reading before.
  void usage(const PageSelection::Lane& lane) {
    const auto& readings = view_.trace.timeline(lane.location).usage();
    if (readings.empty()) return;
    const std::uint64_t process = process_of(lane.location);
    const std::uint64_t memory = counter_track(process, 0), processor = counter_track(process, 1);
    counter(memory, process, "memory",
            [](pbf_writer& out) { out.add_enum(track::kUnit, track::kUnitBytes); });
    counter(processor, process, "processor",
            [](pbf_writer& out) { out.add_string(track::kUnitName, "busy"); });
    const UsageReading* before = nullptr;
    for (const UsageReading& reading : readings) {
      const bool shown = reading.time >= view_.selection.begin && reading.time <= view_.selection.end;
      if (shown)
        track_event(reading.time, event::kCounter, memory, [&](pbf_writer& out) {
          out.add_int64(event::kCounterValue, static_cast<std::int64_t>(reading.resident));
        });
      if (shown && before != nullptr && reading.time > before->time)
        track_event(before->time < view_.selection.begin ? view_.selection.begin : before->time,
                    event::kCounter, processor, [&](pbf_writer& out) {
                      out.add_double(event::kDoubleValue,
                                     seconds(reading.processor_time - before->processor_time) /
                                         seconds(reading.time - before->time));
                    });
      before = &reading;
    }
  }
  template <typename Unit>
  void counter(std::uint64_t uuid, std::uint64_t process, const char* name, Unit unit) {
    descriptor(uuid, [&](pbf_writer& out) {
      std::string body;
      pbf_writer fields(body);
      unit(fields);
      out.add_string(track::kName, name);
      out.add_uint64(track::kParent, process_track(process));
      out.add_message(track::kCounter, body);
    });
  }

  const ExportView& view_;
  std::ostream& out_;
  Flows flows_;
  std::map<std::uint32_t, std::map<std::string, std::uint64_t>> texts_;  // by table
  std::set<std::uint64_t> described_;                                    // processes
};

}  // namespace

void write_perfetto(const ExportView& view, std::ostream& out) {
  PerfettoWriter(view, out).write();
}

}  // namespace waitdiag
