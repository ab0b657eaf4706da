// Pending requests and matched messages of this process: MPI handle -> what the completion must report.
//
// MPICH gives one handle to many requests that are complete at once, so the handle alone does not identify a
// request: among equal handles the one kept in the same MPI_Request variable wins, then the oldest.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/memory/lock.hpp"

namespace waitprof {

inline constexpr std::uint32_t kUnrecordedRequest = 0;  // posted while paused, or to or from MPI_PROC_NULL

struct PendingRequest {
  const MPI_Request* address = nullptr;  // where the application keeps the handle
  std::uint64_t bytes = 0;               // collectives: sent
  std::uint64_t received = 0;            // collectives only
  std::int32_t peer = MPI_PROC_NULL;     // of a receive: as posted, or kAnySource; of a collective: its root
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint32_t id = kUnrecordedRequest;
  std::uint32_t thread = 0;     // that started it
  std::int32_t partitions = 0;  // MPI_Psend_init, MPI_Precv_init; 0: not partitioned
  std::int32_t not_ready = 0;   // partitions for which MPI_Pready was not called yet
  bool sends = false;
  bool persistent = false;
  bool active = true;         // false: persistent and not started
  bool cancel_asked = false;  // MPI_Cancel was called
  bool paired = false;        // MPI_Isendrecv: the receive half follows under the same handle
  bool as_posted = false;     // a receive whose peer, tag and bytes are known without a status
  bool collective = false;
  bool one_sided = false;   // MPI_Rput ...: comm is the window
  CollectiveOp op{};        // collectives only
  std::uint32_t peers = 0;  // collectives only: handles/peer_lists.hpp
};

// A message was received, or a collective ended, without an event for it: outside of the MPI calls that we
// see, or in one that failed.
void note_missed_end() noexcept;
bool any_end_missed() noexcept;

// Requests of lower ids were posted in another excerpt of the run, or are kUnrecordedRequest: their
// completion is not recorded.
extern constinit std::atomic<std::uint32_t> first_request_of_excerpt __attribute__((visibility("hidden")));
void forget_request_ids() noexcept;  // another excerpt begins

// An id that no incomplete request of this process has; never kUnrecordedRequest.
std::uint32_t new_request_id(ThreadState& thread) noexcept;
// The completion of a request is recorded on this thread: the thread that started it may use its id again.
void free_request_id(ThreadState& thread, const PendingRequest& request) noexcept;

// A request that MPI has made, to be described in place; it cannot be found before this object is destroyed.
// (Built elsewhere and copied, it would be read in larger pieces than it was written in, and the processor
// would stall.) Holds the TableLock.
class NewRequest {
 public:
  explicit NewRequest(MPI_Request handle) noexcept;
  PendingRequest& operator*() const noexcept { return *place_; }

 private:
  TableLock lock_;
  PendingRequest* place_;
};

// The operation is complete: forgets it, or makes a persistent one inactive. Empty: unknown or inactive.
std::optional<PendingRequest> complete_request(MPI_Request handle, const MPI_Request* address) noexcept;

// MPI_Request_free, or an error: forgets it, persistent or not. The end of a receive or a collective that was
// still active is then missed.
void forget_request(MPI_Request handle, const MPI_Request* address) noexcept;

// MPI_Start: describes a persistent request (empty: unknown or not persistent), and then marks it as active,
// as `id`.
std::optional<PendingRequest> inactive_request(MPI_Request handle, const MPI_Request* address) noexcept;
void activate_request(MPI_Request handle, const MPI_Request* address, std::uint32_t id) noexcept;

// MPI_Pready: this many more partitions are ready. Returns the request if none is left; it has no id yet.
std::optional<PendingRequest> mark_ready(MPI_Request handle, int partitions) noexcept;

void mark_cancel_asked(MPI_Request handle, const MPI_Request* address) noexcept;

// Messages between MPI_Mprobe and MPI_Mrecv.
//
// The source of a matched receive: not MPI_ANY_SOURCE, whatever its probe asked for.
inline constexpr int kChosenByProbe = 0;

void remember_message(MPI_Message handle, std::uint32_t comm) noexcept;
std::uint32_t take_message(MPI_Message handle) noexcept;  // its communicator; kUnknownComm if unknown

}  // namespace waitprof
