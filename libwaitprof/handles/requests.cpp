// The tables behind requests.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/requests.hpp"

#include <atomic>

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/handle_map.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof {

constinit std::atomic<std::uint32_t> first_request_of_excerpt{1};

namespace {

constinit std::atomic<bool> end_missed{false};

constinit HandleMap<PendingRequest> requests;
constinit HandleMap<std::uint32_t> messages;
constinit std::atomic<std::uint32_t> last_request_id{0};

PendingRequest* find(MPI_Request handle, const MPI_Request* address) noexcept {
  return requests.find(key_of(handle), [address](const PendingRequest& r) { return r.address == address; });
}

}  // namespace

void forget_request_ids() noexcept {
  first_request_of_excerpt.store(last_request_id.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_relaxed);
}

void note_missed_end() noexcept {
  end_missed.store(true, std::memory_order_relaxed);
}

bool any_end_missed() noexcept {
  return end_missed.load(std::memory_order_relaxed);
}

WAITPROF_HOT std::uint32_t new_request_id(ThreadState& thread) noexcept {
  if (!thread.free_requests.empty()) {
    return thread.free_requests.take();
  }
  const std::uint32_t id = last_request_id.fetch_add(1, std::memory_order_relaxed) + 1;
  return id != kUnrecordedRequest ? id : new_request_id(thread);
}

WAITPROF_HOT void free_request_id(ThreadState& thread, const PendingRequest& request) noexcept {
  if (request.thread == thread.thread) {
    thread.free_requests.add(request.id);
  }
}

WAITPROF_HOT NewRequest::NewRequest(MPI_Request handle) noexcept : place_(requests.add(key_of(handle))) {
  static constinit PendingRequest forgotten;  // there is no memory
  place_ = place_ != nullptr ? place_ : &forgotten;
}

WAITPROF_HOT std::optional<PendingRequest> complete_request(MPI_Request handle,
                                                            const MPI_Request* address) noexcept {
  const TableLock lock;
  PendingRequest* request = find(handle, address);
  if (request == nullptr || !request->active) {
    return std::nullopt;
  }
  const PendingRequest completed = *request;
  if (request->persistent) {
    request->active = false;
    request->cancel_asked = false;
  } else {
    requests.remove(key_of(handle), request);
  }
  return completed;
}

void forget_request(MPI_Request handle, const MPI_Request* address) noexcept {
  const TableLock lock;
  for (bool paired = true; paired;) {
    const PendingRequest* request = find(handle, address);
    if (request == nullptr) {
      return;
    }
    paired = request->paired;
    if (request->active && request->id != kUnrecordedRequest && !request->sends && !request->one_sided) {
      note_missed_end();
    }
    requests.remove(key_of(handle), request);
  }
}

std::optional<PendingRequest> inactive_request(MPI_Request handle, const MPI_Request* address) noexcept {
  const TableLock lock;
  const PendingRequest* request = find(handle, address);
  return request != nullptr && request->persistent ? std::optional(*request) : std::nullopt;
}

void activate_request(MPI_Request handle, const MPI_Request* address, std::uint32_t id) noexcept {
  const TableLock lock;
  if (PendingRequest* request = find(handle, address); request != nullptr) {
    request->active = true;
    request->id = id;
    request->thread = this_thread.thread;
    request->not_ready = request->partitions;
  }
}

std::optional<PendingRequest> mark_ready(MPI_Request handle, int partitions) noexcept {
  const TableLock lock;
  PendingRequest* request = requests.find(key_of(handle), [](const auto& r) { return r.not_ready > 0; });
  if (request == nullptr || request->not_ready == 0) {
    return std::nullopt;
  }
  request->not_ready = partitions < request->not_ready ? request->not_ready - partitions : 0;
  return request->not_ready == 0 ? std::optional(*request) : std::nullopt;
}

void mark_cancel_asked(MPI_Request handle, const MPI_Request* address) noexcept {
  const TableLock lock;
  if (PendingRequest* request = find(handle, address); request != nullptr) {
    request->cancel_asked = true;
  }
}

void remember_message(MPI_Message handle, std::uint32_t comm) noexcept {
  const TableLock lock;
  messages.add(key_of(handle), comm);
}

std::uint32_t take_message(MPI_Message handle) noexcept {
  const TableLock lock;
  const std::uint32_t* found = messages.find(key_of(handle));
  if (found == nullptr) {
    return kUnknownComm;
  }
  const std::uint32_t comm = *found;
  messages.remove(key_of(handle), found);
  return comm;
}

}  // namespace waitprof
