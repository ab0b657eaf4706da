// Blocking point-to-point.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/point_to_point.hpp"

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/own_status.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof::hooks {

namespace {

// A message that was too long counts as received all the same.
void note_failed_receive(int error) noexcept {
  int error_class = MPI_SUCCESS;
  pmpi::Error_class(error, &error_class);
  if (error_class == MPI_ERR_TRUNCATE) {
    note_missed_end();
  }
}

}  // namespace

WAITPROF_HOT void Send::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = communicator_of(comm);
  if (dest == MPI_PROC_NULL) {
    return;
  }
  if (id == kUnknownComm) {
    call.count_untracked();
  } else {
    call.add_message(EventType::Send, call.entered(),
                     {bytes_of(count, datatype), dest, tag, id, kUnrecordedRequest});
  }
}

void add_received(RecordedCall& call, std::uint32_t comm, int source, const MPI_Status* status) noexcept {
  if (!is_filled(status) || status->MPI_SOURCE == MPI_PROC_NULL) {
    return;
  }
  if (comm == kUnknownComm) {
    call.count_untracked();
  } else {
    const std::uint32_t asked = source == MPI_ANY_SOURCE ? kFromAnySource : kUnrecordedRequest;
    // A sender that the call named is known; SMPI's statuses are wrong for messages of a rank to itself.
    const int sender = source >= 0 ? source : status->MPI_SOURCE;
    call.add_message(EventType::Recv, call.left(),
                     {received_bytes(*status), sender, status->MPI_TAG, comm, asked});
  }
}

WAITPROF_HOT void Receive::before(const RecordedCall& call) noexcept {
  status = statuses_to_fill(call.thread(), status, 1);
}

WAITPROF_HOT void Receive::after(RecordedCall& call) const noexcept {
  if (call.result != MPI_SUCCESS) [[unlikely]] {
    return note_failed_receive(call.result);
  }
  add_received(call, communicator_of(comm), source, status);
}

WAITPROF_HOT void Sendrecv::before(const RecordedCall& call) noexcept {
  status = statuses_to_fill(call.thread(), status, 1);
}

WAITPROF_HOT void Sendrecv::after(RecordedCall& call) const noexcept {
  if (call.result != MPI_SUCCESS) [[unlikely]] {
    return note_failed_receive(call.result);
  }
  Send{count, datatype, dest, tag, comm}.after(call);
  add_received(call, communicator_of(comm), source, status);
}

void MatchedProbe::after(const RecordedCall&) const noexcept {
  if (*message != MPI_MESSAGE_NO_PROC) {
    remember_message(*message, communicator_of(comm));
  }
}

void MatchedReceive::before(const RecordedCall& call) noexcept {
  status = statuses_to_fill(call.thread(), status, 1);
  handle = message != nullptr ? *message : MPI_MESSAGE_NULL;
}

void MatchedReceive::after(RecordedCall& call) const noexcept {
  if (call.result != MPI_SUCCESS) [[unlikely]] {
    return note_failed_receive(call.result);
  }
  add_received(call, take_message(handle), is_filled(status) ? status->MPI_SOURCE : kChosenByProbe, status);
}

}  // namespace waitprof::hooks
