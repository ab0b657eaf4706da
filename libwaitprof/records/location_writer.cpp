// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/location_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "libwaitprof/buffer/repeated_call.hpp"
#include "libwaitprof/records/collective_ops.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/trace_files/cut_event_file.hpp"
#include "libwaitprof/trace_files/size_limit.hpp"
#include "libwaitprof/trace_files/trace_file.hpp"

namespace waitprof::archive {
namespace {

constinit std::atomic<LocationWriter*> newest_writer{nullptr};

OTF2_CommRef comm_ref(std::uint32_t communicator) {
  return communicator == kUnknownComm ? OTF2_UNDEFINED_COMM : communicator;
}

// Counted from 0: numbers are short if few requests are in flight.
constexpr std::uint64_t number_of(std::uint32_t request) {
  return std::uint64_t{request} - 1;
}

std::span<const EventAttribute> asked_for(bool any_source) noexcept {
  static constexpr std::array<EventAttribute, 1> kAnySource{{{kAnySourceAttributeRef, OTF2_TYPE_UINT8, 1}}};
  return std::span(kAnySource).first(any_source ? 1 : 0);
}

}  // namespace

LocationWriter* LocationWriter::open(const std::string& directory, std::uint32_t rank, std::uint32_t thread,
                                     crash_safe::EventArea* area) {
  if (!map_local_ids()) {
    return nullptr;
  }
  const OTF2_LocationRef name = location_of(rank, thread);
  std::byte* const room =
      area != nullptr ? reinterpret_cast<std::byte*>(area) + crash_safe::kChunkOffset : nullptr;
  std::unique_ptr<LocationWriter> location(
      new (std::nothrow) LocationWriter(directory + "/traces/" + std::to_string(name) + ".evt", room));
  if (location == nullptr || !location->file_.open()) {
    return nullptr;
  }
  location->thread_ = thread;
  location->area_ = area;
  location->location_ = name;
  location->next_ = newest_writer.load();
  while (!newest_writer.compare_exchange_weak(location->next_, location.get())) {
  }
  return location.release();
}

LocationWriter* LocationWriter::all() noexcept {
  return newest_writer.load();
}

void LocationWriter::continue_from(const crash_safe::EventArea& area, std::uint64_t process) noexcept {
  process_ = process;
  paths_.forget();
  if (area.progress != 0) {
    first_time_ = area.first_time;
    last_time_ = area.last_time;
  }
}

void LocationWriter::leave_open(std::uint64_t last_seen) {
  left_open_ = true;
  file_.add(EventRecord::ParameterUnsignedInt, in_order(last_seen), kLastSeenParameterRef, std::uint64_t{1});
}

inline std::uint32_t LocationWriter::local_id(std::uint32_t region) noexcept {
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
    case EventType::Repeat:
      return write_call_again(event);
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
    case EventType::Polls:
      polls_ = event.u.step;
      return;
    case EventType::FileBytes:
      file_bytes_ = event.u.message.bytes;
      return;
    case EventType::CollectiveRequestDone:
      completed_request_ = number_of(event.u.message.request);
      return;
    case EventType::Sample:
      return write_sample(event);
    case EventType::Step:
    case EventType::Excerpt:
    case EventType::Presence:
      return write_step(event);
    case EventType::Counters:
      return write_counters(event);
    case EventType::Faults:
      faults_ = event.u.faults;
      return;
    case EventType::Usage:
      return write_usage(event);
    case EventType::OffProcessor:
      return write_off_processor(event);
    case EventType::ThreadCreate:
    case EventType::ThreadBegin:
    case EventType::ThreadWait:
    case EventType::ThreadEnd:
      return write_thread(event);
    case EventType::ThreadWakes:
    case EventType::ThreadWoken:
      return write_wake(event);
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
    write_enter(event, time, region);
  } else {
    if (!open_regions_.empty()) {
      open_regions_.pop_back();
    }
    if (file_bytes_ == 0) {
      file_.add(EventRecord::Leave, time, region);
    } else {
      const EventAttribute bytes[] = {{kFileBytesAttributeRef, OTF2_TYPE_UINT64, file_bytes_}};
      file_.add_with(bytes, EventRecord::Leave, time, region);
      file_bytes_ = 0;
    }
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
  const std::uint32_t comm = m.comm;
  const std::uint64_t bytes = m.bytes, request = number_of(m.request);
  switch (event.type) {
    case EventType::Send:
      return file_.add(EventRecord::MpiSend, time, peer, comm, tag, bytes);
    case EventType::Recv:
      return file_.add_with(asked_for(m.request == kFromAnySource), EventRecord::MpiRecv, time, peer, comm,
                            tag, bytes);
    case EventType::Isend:
      return file_.add(EventRecord::MpiIsend, time, peer, comm, tag, bytes, request);
    default:
      return file_.add(EventRecord::MpiIrecv, time, peer, comm, tag, bytes, request);
  }
}

void LocationWriter::write_request(const Event& event) {
  const std::uint64_t request = number_of(event.u.message.request);
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::IsendComplete:
      return file_.add(EventRecord::MpiIsendComplete, time, request);
    case EventType::IrecvRequest:
      return file_.add_with(asked_for(event.u.message.peer == kAnySource), EventRecord::MpiIrecvRequest, time,
                            request);
    case EventType::CollectiveRequest:
      return file_.add(EventRecord::NonBlockingCollectiveRequest, time, request);
    default:
      return file_.add(EventRecord::MpiRequestCancelled, time, request);
  }
}

// OTF2 has no records for neighbourhoods, nor for the bytes exchanged with each peer.
void LocationWriter::write_collective_end(const Event& event, std::uint64_t time) {
  const CollectiveData& c = event.u.collective;
  const auto op = static_cast<CollectiveOp>(c.op);
  std::array<EventAttribute, 2> attributes;
  std::size_t count = 0;
  if (op >= CollectiveOp::NeighborAllgather && op <= CollectiveOp::NeighborAlltoallw) {
    attributes[count++] = {kNeighbourhoodAttributeRef, OTF2_TYPE_UINT8, 1};
  }
  if (peer_list_ != kNoPeerList) {
    attributes[count++] = {kPeersAttributeRef, OTF2_TYPE_STRING, text_of_peers(peer_list_)};
    peer_list_ = kNoPeerList;
  }
  const std::span<const EventAttribute> about(attributes.data(), count);
  const std::uint8_t operation = collective_op(c.op);
  const std::uint32_t comm = comm_ref(c.comm), root = root_ref(c.root);
  const std::uint64_t sent = c.sent, received = c.received;
  if (event.type == EventType::CollectiveEnd) {
    file_.add_with(about, EventRecord::MpiCollectiveEnd, time, operation, comm, root, sent, received);
  } else {
    file_.add_with(about, EventRecord::NonBlockingCollectiveComplete, time, operation, comm, root, sent,
                   received, completed_request_);
  }
}

void LocationWriter::write_collective(const Event& event) {
  const std::uint32_t comm = event.u.collective.comm;
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::CollectiveBegin:
      return file_.add(EventRecord::MpiCollectiveBegin, time);
    case EventType::CollectiveEnd:
    case EventType::CollectiveComplete:
      return write_collective_end(event, time);
    case EventType::CommCreate:
      note_created(comm);
      return file_.add(EventRecord::CommCreate, time, comm);
    default:
      return file_.add(EventRecord::CommDestroy, time, comm);
  }
}

void LocationWriter::write_rma(const Event& event) {
  rma_.write(file_, event, in_order(event.time));
}

void LocationWriter::write_sample(const Event& event) {
  const std::uint64_t time = in_order(event.time), weight = event.u.sample.weight;
  const EventAttribute path[] = {path_attribute(event.u.sample.call_path)};
  const std::size_t known = event.u.sample.call_path != kNoCallPathId ? 1 : 0;
  file_.add_with(std::span(path).first(known), EventRecord::ParameterUnsignedInt, time, kSampleParameterRef,
                 weight);
}

void LocationWriter::write_step(const Event& event) {
  const std::uint64_t step = event.u.step;
  const OTF2_ParameterRef what = event.type == EventType::Step      ? kStepParameterRef
                                 : event.type == EventType::Excerpt ? kExcerptParameterRef
                                                                    : kPresenceParameterRef;
  file_.add(EventRecord::ParameterUnsignedInt, in_order(event.time), what, step);
}

void LocationWriter::write_mark(const Event& event) {
  const std::uint64_t before = last_time_;
  const std::uint64_t time = in_order(event.time);
  switch (event.type) {
    case EventType::FlushBegin:
      return;  // one record stands for both: from the time this one leaves behind to FlushEnd
    case EventType::FlushEnd:
      return file_.add(EventRecord::BufferFlush, before, Fixed64{time});
    case EventType::MeasurementOff:
      paused_ = true;
      return file_.add(EventRecord::MeasurementOnOff, time, std::uint8_t{OTF2_MEASUREMENT_OFF});
    default:
      return file_.add(EventRecord::MeasurementOnOff, time, std::uint8_t{OTF2_MEASUREMENT_ON});
  }
}

// Of a killed process, records behind the progress that was told are cut, and made once more.
inline bool LocationWriter::convert(std::span<const Event> events, std::uint64_t most_bytes) {
  constexpr std::size_t kToldApart = 64;
  for (; converted_ < events.size() && events[converted_].time <= time_of_limit(); ++converted_) {
    const Event& event = events[converted_];
    if (event.type != EventType::Repeat || !copy_call(event)) {
      if (!file_.make_room(event.type == EventType::Repeat ? kMostRepeatedEvents : 1)) {
        return false;
      }
      write_one(event);
      if (file_.lost()) {
        return false;
      }
    }
    if (converted_ % kToldApart == 0) {
      tell_progress(converted_ + 1);
    }
    if ((event.type == EventType::Leave || event.type == EventType::Repeat) &&
        bytes_written() >= most_bytes) {
      set_time_of_limit(std::min(last_time_, time_of_limit()));
    }
  }
  return true;
}

// All callees are inlined but those of rare events: a record is a few stores, and calls would cost as much as these.
[[gnu::flatten]] bool LocationWriter::write(std::span<const Event> events, std::uint64_t most_bytes,
                                            std::size_t before) {
  number_by_frequency(events);
  buffer_ = events.data() - before;
  ++round_;
  const bool all = convert(events, most_bytes);
  tell_progress(converted_);
  converted_ = all ? 0 : converted_;
  return all;
}

void LocationWriter::tell_progress(std::size_t converted) noexcept {
  if (area_ != nullptr) {
    // Stored one by one: as a pair they would be read in one piece, which would have to wait for the second
    // store.
    __atomic_store_n(&area_->first_time, first_time_, __ATOMIC_RELAXED);
    __atomic_store_n(&area_->last_time, last_time_, __ATOMIC_RELAXED);
    __atomic_store_n(&area_->progress, converted | file_.records() << 32, __ATOMIC_RELEASE);
  }
}

void LocationWriter::begin_program() {
  if (thread_ == 0) {
    const EventAttribute process[] = {{kProcessIdAttributeRef, OTF2_TYPE_UINT64, process_}};
    constexpr std::uint32_t kNoArguments = 0;
    file_.add_with(process, EventRecord::ProgramBegin, last_time_, kProgramText, kNoArguments);
  }
}

// Readers expect every region to be left. The exit status is not known at MPI_Finalize.
void LocationWriter::end_program() {
  while (!open_regions_.empty()) {
    file_.add(EventRecord::Leave, last_time_, open_regions_.back());
    open_regions_.pop_back();
  }
  if (thread_ == 0 && first_time_ != UINT64_MAX) {
    file_.add(EventRecord::ProgramEnd, last_time_, static_cast<std::uint64_t>(OTF2_UNDEFINED_INT64));
  }
}

void LocationWriter::finish() noexcept {
  if (!left_open_) {
    end_program();
  }
  events_in_file_ = file_.records();
  whole_ = file_.close();
}

void LocationWriter::cut() noexcept {
  events_in_file_ = end_cut_event_file(path_);
  lost_events_ = file_.records() - events_in_file_;
}

}  // namespace waitprof::archive
