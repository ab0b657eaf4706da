// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/location_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "libwaitprof/archive/collective_ops.hpp"
#include "libwaitprof/archive/cut_event_file.hpp"
#include "libwaitprof/archive/local_ids.hpp"
#include "libwaitprof/archive/otf2_files.hpp"
#include "libwaitprof/archive/size_limit.hpp"
#include "libwaitprof/archive/trace_file.hpp"

namespace waitprof::archive {
namespace {

constinit std::atomic<LocationWriter*> newest_writer{nullptr};

OTF2_CommRef comm_ref(std::uint32_t communicator) {
  return communicator == kUnknownComm ? OTF2_UNDEFINED_COMM : communicator;
}

std::uint32_t root_ref(std::int32_t root) {
  switch (root) {
    case kNoRoot:
      return OTF2_COLLECTIVE_ROOT_NONE;
    case kSelfRoot:
      return OTF2_COLLECTIVE_ROOT_SELF;
    case kGroupRoot:
      return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    default:
      return static_cast<std::uint32_t>(root);
  }
}

}  // namespace

LocationWriter* LocationWriter::open(OTF2_Archive* archive, std::uint32_t rank, std::uint32_t thread,
                                     crash_safe::EventArea* area) noexcept {
  auto* location = new (std::nothrow) LocationWriter;
  if (location == nullptr) {
    return nullptr;
  }
  location->thread_ = thread;
  location->area_ = area;
  location->location_ = location_of(rank, thread);
  location->writer_ = OTF2_Archive_GetEvtWriter(archive, location->location_);
  location->attributes_ = OTF2_AttributeList_New();
  if (location->writer_ == nullptr || location->attributes_ == nullptr) {
    return nullptr;
  }
  location->next_ = newest_writer.load();
  while (!newest_writer.compare_exchange_weak(location->next_, location)) {
  }
  return location;
}

LocationWriter* LocationWriter::all() noexcept {
  return newest_writer.load();
}

bool LocationWriter::write(std::span<const Event> events, std::uint64_t most_bytes) {
  for (std::size_t i = 0; i < events.size() && events[i].time <= time_of_limit(); ++i) {
    write_one(events[i]);
    if (!whole_) {
      return false;
    }
    tell_progress(i + 1);
    if (events[i].type == EventType::Leave && bytes_written() >= most_bytes) {
      set_time_of_limit(std::min<std::uint64_t>(events[i].time, time_of_limit()));
    }
  }
  return true;
}

void LocationWriter::tell_progress(std::size_t converted) noexcept {
  if (area_ != nullptr) {
    area_->first_time = first_time_;
    area_->last_time = last_time_;
    __atomic_store_n(&area_->progress, converted | records_ << 32, __ATOMIC_RELEASE);
  }
}

void LocationWriter::continue_from(const crash_safe::EventArea& area, std::uint64_t process) noexcept {
  process_ = process;
  if (area.progress != 0) {
    first_time_ = area.first_time;
    last_time_ = area.last_time;
  }
}

void LocationWriter::leave_open(std::uint64_t last_seen) {
  left_open_ = true;
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, in_order(last_seen), kLastSeenParameterRef, 1));
}

// A sample may slip between taking a time stamp and storing the event: the file must not go backwards in
// time.
std::uint64_t LocationWriter::in_order(std::uint64_t time) noexcept {
  if (time < last_time_) {
    ++clamped_times_;
    return last_time_;
  }
  last_time_ = time;
  return time;
}

OTF2_AttributeList* LocationWriter::with_call_path(std::uint32_t call_path) noexcept {
  if (call_path == kNoCallPathId) {
    return nullptr;
  }
  OTF2_AttributeList_AddCallingContextRef(attributes_, kCallPathAttributeRef, call_path - 1);
  return attributes_;
}

OTF2_AttributeList* LocationWriter::with_file_bytes() noexcept {
  if (file_bytes_ == 0) {
    return nullptr;
  }
  OTF2_AttributeList_AddUint64(attributes_, kFileBytesAttributeRef, file_bytes_);
  file_bytes_ = 0;
  return attributes_;
}

std::uint32_t LocationWriter::local_id(std::uint32_t region) noexcept {
  KnownRegion& known = known_regions_[region % known_regions_.size()];
  if (known.region != region) {
    known = {region, local_region(region)};
  }
  return known.local;
}

void LocationWriter::write_one(const Event& event) {
  if (first_time_ == UINT64_MAX) {
    first_time_ = last_time_ = event.time;
    begin_program();
  }
  switch (event.type) {
    case EventType::Enter:
    case EventType::Leave:
      return write_region(event);
    case EventType::Send:
    case EventType::Recv:
    case EventType::Isend:
    case EventType::Irecv:
      return write_message(event);
    case EventType::IsendComplete:
    case EventType::IrecvRequest:
    case EventType::RequestCancelled:
    case EventType::CollectiveRequest:
      return write_request(event);
    case EventType::CollectiveBegin:
    case EventType::CollectiveEnd:
    case EventType::CollectiveComplete:
    case EventType::CommCreate:
    case EventType::CommDestroy:
      return write_collective(event);
    case EventType::RmaWinCreate:
    case EventType::RmaWinDestroy:
    case EventType::RmaCollectiveBegin:
    case EventType::RmaCollectiveEnd:
    case EventType::RmaAccess:
    case EventType::RmaRequest:
    case EventType::RmaRequestDone:
    case EventType::RmaSync:
      return write_rma(event);
    case EventType::PeerBytes:
      peer_list_ = event.u.message.request;
      return;
    case EventType::FileBytes:
      file_bytes_ = event.u.message.bytes;
      return;
    case EventType::CollectiveRequestDone:
      completed_request_ = event.u.message.request;
      return;
    case EventType::Sample:
      return write_sample(event);
    case EventType::Step:
      return write_step(event);
    case EventType::Usage:
      return write_usage(event);
    case EventType::MeasurementOff:
    case EventType::MeasurementOn:
    case EventType::FlushBegin:
    case EventType::FlushEnd:
      return write_mark(event);
  }
}

void LocationWriter::write_region(const Event& event) {
  const std::uint32_t region = local_id(event.u.region.region);
  const std::uint64_t time = in_order(event.time);
  if (event.type == EventType::Enter) {
    open_regions_.push_back(region);
    check(OTF2_EvtWriter_Enter(writer_, with_call_path(event.u.region.call_path), time, region));
  } else {
    if (!open_regions_.empty()) {
      open_regions_.pop_back();
    }
    check(OTF2_EvtWriter_Leave(writer_, with_file_bytes(), time, region));
  }
}

void LocationWriter::write_message(const Event& event) {
  const MessageData& m = event.u.message;
  const std::uint64_t time = in_order(event.time);
  if (m.comm == kUnknownComm) {
    return;
  }
  const auto peer = static_cast<std::uint32_t>(m.peer);
  const auto tag = static_cast<std::uint32_t>(m.tag);
  switch (event.type) {
    case EventType::Send:
      return check(OTF2_EvtWriter_MpiSend(writer_, nullptr, time, peer, m.comm, tag, m.bytes));
    case EventType::Recv:
      return check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time, peer, m.comm, tag, m.bytes));
    case EventType::Isend:
      return check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, time, peer, m.comm, tag, m.bytes, m.request));
    default:
      return check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time, peer, m.comm, tag, m.bytes, m.request));
  }
}

void LocationWriter::write_request(const Event& event) {
  const std::uint64_t request = event.u.message.request;
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::IsendComplete:
      return check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time, request));
    case EventType::IrecvRequest:
      return check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time, request));
    case EventType::CollectiveRequest:
      return check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time, request));
    default:
      return check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time, request));
  }
}

// OTF2 knows neither neighbourhoods nor who exchanged how much with whom.
OTF2_AttributeList* LocationWriter::with_peers(CollectiveOp op) noexcept {
  if (op >= CollectiveOp::NeighborAllgather && op <= CollectiveOp::NeighborAlltoallw) {
    OTF2_AttributeList_AddUint8(attributes_, kNeighbourhoodAttributeRef, 1);
  }
  if (peer_list_ != kNoPeerList) {
    OTF2_AttributeList_AddStringRef(attributes_, kPeersAttributeRef, text_of_peers(peer_list_));
    peer_list_ = kNoPeerList;
  }
  return attributes_;
}

void LocationWriter::write_collective(const Event& event) {
  const CollectiveData& c = event.u.collective;
  const auto op = static_cast<CollectiveOp>(c.op);
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::CollectiveBegin:
      return check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time));
    case EventType::CollectiveEnd:
      return check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, with_peers(op), time, collective_op(c.op),
                                                   comm_ref(c.comm), root_ref(c.root), c.sent, c.received));
    case EventType::CollectiveComplete:
      return check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer_, with_peers(op), time, collective_op(c.op), comm_ref(c.comm), root_ref(c.root), c.sent,
          c.received, completed_request_));
    case EventType::CommCreate:
      note_created(c.comm);
      return check(OTF2_EvtWriter_CommCreate(writer_, nullptr, time, c.comm));
    default:
      return check(OTF2_EvtWriter_CommDestroy(writer_, nullptr, time, c.comm));
  }
}

void LocationWriter::write_rma(const Event& event) {
  const std::uint64_t before = rma_.records();
  rma_.write(writer_, event, in_order(event.time), whole_);
  records_ += rma_.records() - before;
}

void LocationWriter::write_sample(const Event& event) {
  const std::uint64_t time = in_order(event.time);
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, with_call_path(event.u.sample.call_path), time,
                                            kSampleParameterRef, event.u.sample.weight));
}

void LocationWriter::write_step(const Event& event) {
  const std::uint64_t time = in_order(event.time);
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, time, kStepParameterRef, event.u.step));
}

void LocationWriter::write_usage(const Event& event) {
  const UsageData& usage = event.u.usage;
  OTF2_Type types[kUsageMembers];
  std::fill(std::begin(types), std::end(types), OTF2_TYPE_UINT64);
  OTF2_MetricValue values[kUsageMembers];
  values[0].unsigned_int = usage.processor_time;
  values[1].unsigned_int = usage.resident;
  values[2].unsigned_int = usage.runnable;
  check(OTF2_EvtWriter_Metric(writer_, nullptr, in_order(event.time), kUsageMetricRef, kUsageMembers, types,
                              values));
}

void LocationWriter::write_mark(const Event& event) {
  const std::uint64_t before = last_time_;
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::FlushBegin:
      return;  // one record stands for both: from the time this one leaves behind to FlushEnd
    case EventType::FlushEnd:
      return check(OTF2_EvtWriter_BufferFlush(writer_, nullptr, before, time));
    case EventType::MeasurementOff:
      paused_ = true;
      return check(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, time, OTF2_MEASUREMENT_OFF));
    default:
      return check(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, time, OTF2_MEASUREMENT_ON));
  }
}

void LocationWriter::begin_program() {
  if (thread_ == 0) {
    OTF2_AttributeList_AddUint64(attributes_, kProcessIdAttributeRef, process_);
    check(OTF2_EvtWriter_ProgramBegin(writer_, attributes_, last_time_, kProgramText, 0, nullptr));
  }
}

// Readers expect every region to be left. The exit status is not known at MPI_Finalize.
void LocationWriter::end_program() {
  while (!open_regions_.empty()) {
    check(OTF2_EvtWriter_Leave(writer_, nullptr, last_time_, open_regions_.back()));
    open_regions_.pop_back();
  }
  if (thread_ == 0 && first_time_ != UINT64_MAX) {
    check(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, last_time_, OTF2_UNDEFINED_INT64));
  }
}

void LocationWriter::finish(OTF2_Archive* archive, const std::string& directory) noexcept {
  if (whole_ && !left_open_) {
    end_program();
  }
  const int incomplete_before = incomplete_files();
  whole_ = OTF2_EvtWriter_GetNumberOfEvents(writer_, &events_in_file_) == OTF2_SUCCESS && whole_;
  whole_ = OTF2_Archive_CloseEvtWriter(archive, writer_) == OTF2_SUCCESS && whole_;
  if (incomplete_files() != incomplete_before) {
    whole_ = false;
    const std::uint64_t meant = events_in_file_;
    events_in_file_ = end_cut_event_file(directory + "/traces/" + std::to_string(location_) + ".evt");
    lost_events_ = meant - events_in_file_;
  }
  OTF2_AttributeList_Delete(attributes_);
  writer_ = nullptr;
  attributes_ = nullptr;
}

}  // namespace waitprof::archive
