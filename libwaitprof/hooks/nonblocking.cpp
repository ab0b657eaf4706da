// Requests are remembered after MPI has made them; their ids are ours, because MPICH's handles are not
// unique.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/nonblocking.hpp"

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof::hooks {

namespace {

std::uint32_t id_of_start(const RecordedCall& call, const PendingRequest& request) noexcept {
  const bool to_nobody = request.peer == MPI_PROC_NULL && !request.collective && !request.one_sided;
  const bool unrecorded = to_nobody || request.comm == kUnknownComm || call.paused();
  if (!to_nobody && request.comm == kUnknownComm) {
    call.count_untracked();
  }
  return unrecorded ? kUnrecordedRequest : new_request_id(call.thread());
}

void add_start(RecordedCall& call, const PendingRequest& request, std::uint32_t id) noexcept {
  if (id == kUnrecordedRequest) {
    if (call.paused() && request.sends && request.peer != MPI_PROC_NULL && request.comm != kUnknownComm) {
      call.count_message(request.bytes);
    }
    return;
  }
  const EventType message = request.sends ? EventType::Isend : EventType::IrecvRequest;
  const EventType other = request.collective ? EventType::CollectiveRequest : EventType::RmaRequest;
  const EventType type = request.collective || request.one_sided ? other : message;
  // One by one, as they were just stored.
  const std::int32_t peer = __atomic_load_n(&request.peer, __ATOMIC_RELAXED);
  const std::int32_t tag = __atomic_load_n(&request.tag, __ATOMIC_RELAXED);
  call.add_message(type, call.entered(), {request.bytes, peer, tag, request.comm, id});
}

void describe_partitions(PendingRequest& request, int partitions, int tag) noexcept {
  request.partitions = partitions;
  request.bytes *= static_cast<std::uint64_t>(partitions);
  request.tag = tag + kPartitionedTag;
}

void describe_send(PendingRequest& request, const Isend& send, std::uint32_t comm,
                   std::uint64_t bytes) noexcept {
  request.address = send.request;
  request.bytes = bytes;
  request.peer = send.dest;
  request.tag = send.tag;
  request.comm = comm;
  request.sends = true;
  request.persistent = send.persistent;
  if (send.partitions > 0) {
    describe_partitions(request, send.partitions, send.tag);
  }
}

void describe_receive(PendingRequest& request, std::uint32_t comm, int source,
                      const MPI_Request* address) noexcept {
  request.address = address;
  request.peer = source == MPI_ANY_SOURCE ? kAnySource : source;
  request.tag = MPI_ANY_TAG;
  request.comm = comm;
}

}  // namespace

WAITPROF_HOT void start(RecordedCall& call, PendingRequest& request) noexcept {
  request.active = !request.persistent;
  if (request.active) {
    request.id = id_of_start(call, request);
    request.thread = call.thread().thread;
    add_start(call, request, request.id);
  }
}

WAITPROF_HOT void Isend::after(RecordedCall& call) const noexcept {
  const std::uint32_t communicator = communicator_of(comm);
  const std::uint64_t bytes = bytes_of(count, datatype);
  start_and_remember(call, *request,
                     [&](PendingRequest& send) { describe_send(send, *this, communicator, bytes); });
}

WAITPROF_HOT void Irecv::after(RecordedCall& call) const noexcept {
  const std::uint32_t communicator = communicator_of(comm);
  const std::uint64_t bytes = partitions > 0 ? bytes_of(count, datatype) : 0;
  start_and_remember(call, *request, [&](PendingRequest& receive) {
    describe_receive(receive, communicator, source, request);
    receive.persistent = persistent;
    if (partitions > 0) {
      receive.as_posted = true;
      receive.bytes = bytes;
      describe_partitions(receive, partitions, tag);
    }
  });
}

void Isendrecv::after(RecordedCall& call) const noexcept {
  const std::uint32_t communicator = communicator_of(comm);
  const std::uint64_t bytes = bytes_of(count, datatype), expected = bytes_of(recvcount, recvtype);
  const bool paired = source != MPI_ANY_SOURCE && recvtag != MPI_ANY_TAG;
  start_and_remember(call, *request, [&](PendingRequest& send) {
    describe_send(send, {count, datatype, dest, tag, comm, request}, communicator, bytes);
    send.paired = paired;
  });
  if (paired) {
    start_and_remember(call, *request, [&](PendingRequest& receive) {
      describe_receive(receive, communicator, source, request);
      receive.as_posted = true;
      receive.tag = recvtag;
      receive.bytes = expected;
    });
  }
}

void MatchedIrecv::before(const RecordedCall&) noexcept {
  handle = message != nullptr ? *message : MPI_MESSAGE_NULL;
}

void MatchedIrecv::after(RecordedCall& call) const noexcept {
  const int source = handle == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : kChosenByProbe;
  const std::uint32_t comm = take_message(handle);
  start_and_remember(call, *request,
                     [&](PendingRequest& receive) { describe_receive(receive, comm, source, request); });
}

std::size_t Start::most_events() const noexcept {
  return kUsualEvents + (count > 0 ? static_cast<std::size_t>(count) : 0);
}

void Start::after(RecordedCall& call) const noexcept {
  for (int i = 0; i < count; ++i) {
    if (const auto known = inactive_request(requests[i], &requests[i])) {
      const bool leaves_later = known->sends && known->partitions > 0;
      const std::uint32_t id = leaves_later ? kUnrecordedRequest : id_of_start(call, *known);
      activate_request(requests[i], &requests[i], id);
      add_start(call, *known, id);
    }
  }
}

// Done before MPI sends it, because another thread may complete the request at once.
void PartitionsReady::before(const RecordedCall& call) noexcept {
  sent = mark_ready(request, last > first ? last - first + 1 : partitions);
  if (sent) {
    sent->id = id_of_start(call, *sent);
    activate_request(request, sent->address, sent->id);
  }
}

void PartitionsReady::after(RecordedCall& call) const noexcept {
  if (sent) {
    add_start(call, *sent, sent->id);
  }
}

void RequestFree::before(const RecordedCall&) noexcept {
  handle = request != nullptr ? *request : MPI_REQUEST_NULL;
}

void RequestFree::after(const RecordedCall&) const noexcept {
  forget_request(handle, request);
}

void ForeignRequest::after(const RecordedCall&) const noexcept {
  forget_request(*request, request);
}

void Cancel::after(const RecordedCall&) const noexcept {
  mark_cancel_asked(*request, request);
}

}  // namespace waitprof::hooks
