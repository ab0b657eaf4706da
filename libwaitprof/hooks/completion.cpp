// Completion of requests.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/completion.hpp"

#include <algorithm>

#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/own_status.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof::hooks {

static_assert(alignof(MPI_Status) <= sizeof(MPI_Request));  // statuses follow handles in the scratch memory

namespace {

// False: there is nothing to record.
bool add_end_of_message(RecordedCall& call, const PendingRequest& request,
                        const MPI_Status* status) noexcept {
  if (request.collective) {
    call.add_message(EventType::CollectiveRequestDone, call.left(), {0, 0, 0, request.comm, request.id});
    call.add_peers(request.peers);
    call.add_collective_complete(request.op, request.comm, request.peer, request.bytes, request.received);
  } else if (request.cancel_asked && is_filled(status) && was_cancelled(*status)) {
    call.add_message(EventType::RequestCancelled, call.left(), {0, 0, 0, request.comm, request.id});
  } else if (request.sends || request.as_posted) {
    call.add_message(request.sends ? EventType::IsendComplete : EventType::Irecv, call.left(),
                     {request.bytes, request.peer, request.tag, request.comm, request.id});
  } else if (is_filled(status)) {
    call.add_message(
        EventType::Irecv, call.left(),
        {received_bytes(*status), status->MPI_SOURCE, status->MPI_TAG, request.comm, request.id});
  } else {
    return false;
  }
  return true;
}

void add_completed(RecordedCall& call, const PendingRequest& request, const MPI_Status* status) noexcept {
  if (request.id < first_request_of_excerpt.load(std::memory_order_relaxed)) {
    if (request.collective) {
      call.count_collective(request.bytes);
    }
    return;
  }
  call.keep();
  if (request.one_sided) {
    // Complete here; at the target it may not be, so it keeps its id.
    call.add_message(EventType::RmaRequestDone, call.left(), {0, 0, 0, request.comm, request.id});
  } else if (add_end_of_message(call, request, status) && !call.paused()) {
    free_request_id(call.thread(), request);
  }
}

}  // namespace

WAITPROF_HOT void Completion::copy_handles(ThreadState& thread) noexcept {
  const auto many = static_cast<std::size_t>(count);
  const std::size_t bytes = many * sizeof(MPI_Request);
  handles = static_cast<MPI_Request*>(scratch_memory(thread, bytes + many * sizeof(MPI_Status)));
  if (handles != nullptr) {
    std::copy_n(requests, many, handles);
    statuses = statuses_to_fill(thread, statuses, which == Any ? 1 : many, bytes);
  }
}

WAITPROF_HOT void Completion::after(RecordedCall& call) const noexcept {
  if (handles == nullptr) {
    return;
  }
  if (call.result != MPI_SUCCESS) {
    complete_after_failure(call);
    return;
  }
  if (flag != nullptr && *flag == 0) {
    return;
  }
  switch (which) {
    case All:
      for (int i = 0; i < count; ++i) {
        complete(call, i, is_filled(statuses) ? &statuses[i] : nullptr);
      }
      break;
    case Any:
      if (*index != MPI_UNDEFINED) {
        complete(call, *index, statuses);
      }
      break;
    case Some:
      for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; ++i) {
        complete(call, indices[i], is_filled(statuses) ? &statuses[i] : nullptr);
      }
      break;
  }
}

// The two halves of an MPI_Isendrecv complete together.
WAITPROF_HOT void Completion::complete(RecordedCall& call, int request,
                                       const MPI_Status* status) const noexcept {
  const MPI_Request handle = handles[request];
  for (bool paired = handle != MPI_REQUEST_NULL; paired;) {
    const auto completed = complete_request(handle, &requests[request]);
    if (completed) {
      add_completed(call, *completed, status);
    }
    paired = completed && completed->paired;
  }
}

// MPI shows which requests are complete by clearing their handles. Persistent ones keep their handles, so we
// treat them as active until they are started again: one completion is missing after a call that failed.
void Completion::complete_after_failure(RecordedCall& call) const noexcept {
  int error_class = MPI_SUCCESS;
  pmpi::Error_class(call.result, &error_class);
  const auto gone = [this](int i) {
    return handles[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL;
  };
  if (error_class == MPI_ERR_IN_STATUS && which != Any && is_filled(statuses)) {
    const int filled = which == All ? count : (*outcount != MPI_UNDEFINED ? *outcount : 0);
    for (int i = 0; i < filled; ++i) {
      const int request = which == All ? i : indices[i];
      if (gone(request) && statuses[i].MPI_ERROR == MPI_SUCCESS) {
        complete(call, request, &statuses[i]);
        handles[request] = MPI_REQUEST_NULL;
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    if (gone(i)) {
      forget_request(handles[i], &requests[i]);
    }
  }
}

}  // namespace waitprof::hooks
