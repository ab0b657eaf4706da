// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_events.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/formats/read/collective_ops.hpp"
#include "analyzer/formats/read/event_attribute.hpp"
#include "analyzer/formats/read/event_callback.hpp"

namespace waitdiag {
namespace {

void enter(EventContext& c, Time time, Attributes attributes, OTF2_RegionRef region) {
  c.builder.enter(c.location, time, c.code.region(region), path_of_enter(c, attributes));
  const std::uint64_t polls = number_in(c.definitions.polls_attribute, attributes);
  if (polls > 0) c.builder.polls(c.location, time, polls);
}

void leave(EventContext& c, Time time, Attributes attributes, OTF2_RegionRef region) {
  const std::uint64_t bytes = number_in(c.definitions.file_bytes_attribute, attributes);
  if (bytes > 0) c.builder.file_bytes(c.location, time, bytes);
  c.builder.leave(c.location, time, c.code.region(region));
}

void send(EventContext& c, Time time, Attributes, std::uint32_t receiver, OTF2_CommRef comm,
          std::uint32_t tag, std::uint64_t bytes) {
  c.builder.send(c.location, time, c.communicators.peer(comm, receiver, c.rank), c.communicators.comm(comm),
                 static_cast<std::int32_t>(tag), bytes);
}

void isend(EventContext& c, Time time, Attributes, std::uint32_t receiver, OTF2_CommRef comm,
           std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  c.builder.isend(c.location, time, c.communicators.peer(comm, receiver, c.rank), c.communicators.comm(comm),
                  static_cast<std::int32_t>(tag), bytes, request);
}

void isend_complete(EventContext& c, Time time, Attributes, std::uint64_t request) {
  c.builder.isend_complete(c.location, time, request);
}

void irecv_request(EventContext& c, Time time, Attributes attributes, std::uint64_t request) {
  c.builder.irecv_request(c.location, time, request,
                          is_marked(c.definitions.any_source_attribute, attributes));
}

void recv(EventContext& c, Time time, Attributes attributes, std::uint32_t sender, OTF2_CommRef comm,
          std::uint32_t tag, std::uint64_t bytes) {
  c.builder.recv(c.location, time, c.communicators.peer(comm, sender, c.rank), c.communicators.comm(comm),
                 static_cast<std::int32_t>(tag), bytes,
                 is_marked(c.definitions.any_source_attribute, attributes));
}

void irecv(EventContext& c, Time time, Attributes, std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
           std::uint64_t bytes, std::uint64_t request) {
  c.builder.irecv(c.location, time, c.communicators.peer(comm, sender, c.rank), c.communicators.comm(comm),
                  static_cast<std::int32_t>(tag), bytes, request);
}

void request_cancelled(EventContext& c, Time time, Attributes, std::uint64_t request) {
  c.builder.request_cancelled(c.location, time, request);
}

void collective_begin(EventContext& c, Time time, Attributes) {
  c.builder.collective_begin(c.location, time);
}

// Neighbourhood collectives, which OTF2 does not have, are marked by an attribute.
CollectiveKind recorded_kind(EventContext& c, Attributes attributes, OTF2_CollectiveOp op) {
  return is_marked(c.definitions.neighbourhood_attribute, attributes) ? CollectiveKind::Neighbourhood
                                                                      : collective_kind(op);
}

PeerListId recorded_peers(EventContext& c, Attributes attributes) {
  OTF2_StringRef text = OTF2_UNDEFINED_STRING;
  const OTF2_AttributeRef attribute = c.definitions.peers_attribute;
  if (attribute == OTF2_UNDEFINED_ATTRIBUTE ||
      OTF2_AttributeList_GetStringRef(attributes, attribute, &text) != OTF2_SUCCESS) {
    return kNoPeerList;
  }
  const auto known = c.peer_lists.find(text);
  return known == c.peer_lists.end() ? kNoPeerList : known->second;
}

void collective_end(EventContext& c, Time time, Attributes attributes, OTF2_CollectiveOp op,
                    OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  c.builder.collective_end(c.location, time, recorded_kind(c, attributes, op), c.communicators.comm(comm),
                           c.communicators.root(comm, root, c.rank), sent, received,
                           recorded_peers(c, attributes));
}

void collective_request(EventContext& c, Time time, Attributes, std::uint64_t request) {
  c.builder.collective_request(c.location, time, request);
}

void collective_complete(EventContext& c, Time time, Attributes attributes, OTF2_CollectiveOp op,
                         OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                         std::uint64_t request) {
  const CollectivePart part{.sent = sent,
                            .received = received,
                            .comm = c.communicators.comm(comm),
                            .root = c.communicators.root(comm, root, c.rank),
                            .kind = recorded_kind(c, attributes, op),
                            .peers = recorded_peers(c, attributes)};
  c.builder.collective_complete(c.location, time, part, request);
}

// Over a window: a fence, or its creation and end.
void window_collective_end(EventContext& c, Time time, Attributes, OTF2_CollectiveOp op, OTF2_RmaSyncLevel,
                           OTF2_RmaWinRef window, std::uint32_t, std::uint64_t sent, std::uint64_t received) {
  const CollectiveKind recorded = collective_kind(op);
  CollectiveKind kind = recorded == CollectiveKind::CreateHandle ? CollectiveKind::WinCreate : recorded;
  if (recorded == CollectiveKind::DestroyHandle) kind = CollectiveKind::WinFree;
  if (recorded == CollectiveKind::Barrier) kind = CollectiveKind::Fence;
  c.builder.collective_end(c.location, time, kind, c.communicators.window(window), kNoRank, sent, received);
}

void call_total(EventContext& c, Attributes attributes, std::uint64_t calls) {
  const auto number = [&](std::size_t which) {
    std::uint64_t value = 0;
    OTF2_AttributeList_GetUint64(attributes, c.definitions.total_attributes[which], &value);
    return value;
  };
  const auto duration = [&](std::size_t which) {
    return to_time(number(which), 0, c.definitions.resolution) - Time{};
  };
  OTF2_RegionRef function = OTF2_UNDEFINED_REGION;
  OTF2_AttributeList_GetRegionRef(attributes, c.definitions.total_attributes[0], &function);
  c.builder.total(c.location, recorded_path(c, attributes),
                  function == OTF2_UNDEFINED_REGION ? kNoRegion : c.code.region(function),
                  {.calls = calls,
                   .time = duration(1),
                   .shortest = duration(2),
                   .longest = duration(3),
                   .messages = number(4),
                   .message_bytes = number(5),
                   .collective_bytes = number(6)});
}

// Parameters of the recorder's light profile. False: something else.
bool light_parameter(EventContext& c, Time time, Attributes attributes, OTF2_ParameterRef parameter,
                     std::uint64_t value) {
  if (parameter == OTF2_UNDEFINED_PARAMETER) return false;
  if (parameter == c.definitions.excerpt_parameter) {
    c.builder.excerpt(c.location, value);
  } else if (parameter == c.definitions.total_parameter) {
    call_total(c, attributes, value);
  } else if (parameter == c.definitions.steps_passed_parameter) {
    c.builder.steps_passed(value);
  } else {
    return false;
  }
  c.builder.seen(c.location, time);
  return true;
}

// False: something else.
bool presence_parameter(EventContext& c, Time time, Attributes attributes, OTF2_ParameterRef parameter,
                        std::uint64_t value) {
  if (parameter == OTF2_UNDEFINED_PARAMETER) return false;
  if (parameter == c.definitions.presence_parameter) {
    c.presence = c.presence == 0 ? value : std::min(c.presence, value);
    c.builder.seen(c.location, time);
    return true;
  }
  const auto& reasons = c.definitions.off_processor_parameters;
  const auto reason = std::find(reasons.begin(), reasons.end(), parameter);
  if (reason == reasons.end()) return false;
  c.builder.off_processor(c.location, time, to_time(value, 0, c.definitions.resolution) - Time{},
                          OffReason(reason - reasons.begin()),
                          number_in(c.definitions.turns_attribute, attributes));
  return true;
}

// False: something else.
bool parallel_parameter(EventContext& c, Time time, Attributes attributes, OTF2_ParameterRef parameter,
                        std::uint64_t thread) {
  constexpr std::uint64_t kMostThreads = 4096;
  if (parameter == OTF2_UNDEFINED_PARAMETER || parameter != c.definitions.parallel_parameter) return false;
  const auto number = [&](std::size_t which) {
    return number_in(c.definitions.parallel_attributes[which], attributes);
  };
  const auto duration = [&](std::size_t which) {
    return to_time(number(which), 0, c.definitions.resolution) - Time{};
  };
  c.builder.seen(c.location, time);
  if (thread >= kMostThreads) return true;
  ParallelTotal total{.call_path = recorded_path(c, attributes)};
  const auto of_thread = [&](std::size_t which) {
    std::vector<Duration> by_thread(thread + 1);
    by_thread[thread] = duration(which);
    return by_thread;
  };
  total.busy = of_thread(3);
  if (number(7) != 0) total.turns = of_thread(7);
  if (thread == 0) {  // what the others have as well
    total.regions = number(0);
    total.time = duration(1);
    total.slowest = duration(2);
    total.left_out = number(4);
    total.with_turns = duration(5);
    total.barriers = duration(6);
    total.with_tasks = duration(8), total.tasks = duration(9);
  }
  c.builder.parallel(c.location, total);
  return true;
}

void parameter(EventContext& c, Time time, Attributes attributes, OTF2_ParameterRef parameter,
               std::uint64_t value) {
  if (light_parameter(c, time, attributes, parameter, value) ||
      parallel_parameter(c, time, attributes, parameter, value) ||
      presence_parameter(c, time, attributes, parameter, value))
    return;
  if (parameter == c.definitions.step_parameter && parameter != OTF2_UNDEFINED_PARAMETER) {
    c.builder.seen(c.location, time);
    c.builder.step(c.location, time, value);
    return;
  }
  if (parameter == c.definitions.last_seen_parameter && parameter != OTF2_UNDEFINED_PARAMETER) {
    c.builder.seen(c.location, time);
    return;
  }
  if (parameter != c.definitions.sample_parameter || parameter == OTF2_UNDEFINED_PARAMETER) {
    c.builder.skipped("parameter");
    return;
  }
  const std::uint64_t weight = std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max());
  c.builder.sample(c.location, time, recorded_path(c, attributes), static_cast<std::uint32_t>(weight));
}

void metric(EventContext& c, Time time, Attributes, OTF2_MetricRef metric, std::uint8_t count,
            const OTF2_Type*, const OTF2_MetricValue* values) {
  if (metric == c.definitions.counters_metric && metric != OTF2_UNDEFINED_METRIC && count == 2) {
    c.builder.counters(c.location, time, {values[0].unsigned_int, values[1].unsigned_int});
    return;
  }
  if (metric != c.definitions.usage_metric || metric == OTF2_UNDEFINED_METRIC || !has_usage_members(count)) {
    c.builder.skipped("metric");
    return;
  }
  const auto time_of = [&](std::uint8_t members, std::size_t which) {
    return count >= members ? std::optional(Duration(static_cast<std::int64_t>(values[which].unsigned_int)))
                            : std::nullopt;
  };
  c.builder.usage(c.location,
                  {.time = time,
                   .processor_time = Duration(static_cast<std::int64_t>(values[0].unsigned_int)),
                   .resident = values[1].unsigned_int,
                   .runnable = static_cast<std::uint32_t>(values[2].unsigned_int),
                   .faults = count >= kUsageMembersWithFaults
                                 ? std::optional(Faults{values[3].unsigned_int, values[4].unsigned_int,
                                                        values[5].unsigned_int})
                                 : std::nullopt,
                   .stolen = time_of(kUsageMembersWithStolen, 6),
                   .node_busy = time_of(kUsageMembers, 7)});
}

void context_enter(EventContext& c, Time time, Attributes, OTF2_CallingContextRef context, std::uint32_t) {
  c.builder.enter(c.location, time, c.code.context_region(context), c.code.context_caller(context));
}

void context_leave(EventContext& c, Time time, Attributes, OTF2_CallingContextRef context) {
  c.builder.leave(c.location, time, c.code.context_region(context));
}

void context_sample(EventContext& c, Time time, Attributes, OTF2_CallingContextRef context, std::uint32_t,
                    OTF2_InterruptGeneratorRef) {
  c.builder.sample(c.location, time, c.code.call_path(context), 1);
}

void measurement_on_off(EventContext& c, Time time, Attributes, OTF2_MeasurementMode mode) {
  c.builder.measurement(c.location, time, mode == OTF2_MEASUREMENT_ON);
}

void buffer_flush(EventContext& c, Time time, Attributes, OTF2_TimeStamp stop) {
  c.builder.enter(c.location, time, c.flush_region);
  c.last = to_time(stop, c.definitions.clock_offset, c.definitions.resolution);
  c.builder.leave(c.location, c.last, c.flush_region);
}

void program_begin(EventContext& c, Time time, Attributes, OTF2_StringRef name, std::uint32_t,
                   const OTF2_StringRef*) {
  c.program = c.definitions.string(name);
  c.builder.seen(c.location, time);
}

void program_end(EventContext& c, Time time, Attributes, std::int64_t) {
  c.builder.seen(c.location, time);
}

struct DeleteEventCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};
using EventCallbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteEventCallbacks>;

// Setting the CallingContext callbacks as well keeps OTF2 from turning those events into Enter and Leave:
// nothing is counted twice.
EventCallbacks make_callbacks() {
  EventCallbacks made(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks* const set = made.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(set, on_event<enter>);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(set, on_event<leave>);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(set, on_event<send>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(set, on_event<isend>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(set, on_event<isend_complete>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(set, on_event<irecv_request>);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(set, on_event<recv>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(set, on_event<irecv>);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(set, on_event<request_cancelled>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(set, on_event<collective_begin>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(set, on_event<collective_end>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(set, on_event<collective_request>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(set, on_event<collective_complete>);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(set, on_event<collective_begin>);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(set, on_event<window_collective_end>);
  set_one_sided_callbacks(set);
  set_thread_callbacks(set);
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(set, on_event<parameter>);
  OTF2_EvtReaderCallbacks_SetMetricCallback(set, on_event<metric>);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(set, on_event<context_enter>);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(set, on_event<context_leave>);
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(set, on_event<context_sample>);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(set, on_event<measurement_on_off>);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(set, on_event<buffer_flush>);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(set, on_event<program_begin>);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(set, on_event<program_end>);
  return made;
}

}  // namespace

Time to_time(std::uint64_t ticks, std::uint64_t zero, std::uint64_t resolution) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  const auto difference = static_cast<std::int64_t>(ticks - zero);
  if (resolution == kNanoseconds) return at(difference);
  const auto per_second =
      static_cast<std::int64_t>(std::min<std::uint64_t>(resolution, std::uint64_t{1} << 62));
  std::int64_t whole = difference / per_second;
  std::int64_t rest = difference % per_second;
  if (rest < 0) {
    --whole;
    rest += per_second;
  }
  // Up to 9e9 ticks times 1e9 fit into 64 bits; finer clocks lose less than a nanosecond as floating point.
  const std::int64_t fraction =
      rest <= 9'000'000'000 ? rest * kNanoseconds / per_second
                            : static_cast<std::int64_t>(static_cast<long double>(rest) * kNanoseconds /
                                                        static_cast<long double>(per_second));
  constexpr std::int64_t kMostSeconds = std::int64_t{1} << 33;  // the builder clamps times beyond
  return at(std::clamp(whole, -kMostSeconds, kMostSeconds) * kNanoseconds + fraction);
}

std::uint64_t read_events(OTF2_Reader* reader, OTF2_EvtReader* event_reader, std::uint64_t events,
                          EventContext& context, const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t kBatch = std::uint64_t{1} << 20;
  const EventCallbacks callbacks = make_callbacks();
  OTF2_Reader_RegisterEvtCallbacks(reader, event_reader, callbacks.get(), &context);
  std::uint64_t done = 0;
  while (done < events && !context.stopped) {
    const std::uint64_t wanted = std::min(kBatch, events - done);
    std::uint64_t read = 0;
    const OTF2_ErrorCode status = OTF2_Reader_ReadLocalEvents(reader, event_reader, wanted, &read);
    done += read;
    if (progress) progress(read);
    if (status != OTF2_SUCCESS || read < wanted) break;
  }
  return done;
}

Time last_time(OTF2_Reader* reader, OTF2_EvtReader* event_reader, std::uint64_t events,
               const ArchiveDefinitions& definitions) {
  const EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
  constexpr auto kNote = [](OTF2_LocationRef, OTF2_TimeStamp ticks, std::uint64_t, void* last,
                            OTF2_AttributeList*, OTF2_RegionRef) -> OTF2_CallbackCode {
    *static_cast<std::uint64_t*>(last) = ticks;
    return OTF2_CALLBACK_SUCCESS;
  };
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks.get(), kNote);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks.get(), kNote);
  std::uint64_t last = definitions.clock_offset;
  OTF2_Reader_RegisterEvtCallbacks(reader, event_reader, callbacks.get(), &last);
  std::uint64_t read = 0;
  OTF2_Reader_ReadLocalEvents(reader, event_reader, events, &read);
  return to_time(last, definitions.clock_offset, definitions.resolution);
}

}  // namespace waitdiag
