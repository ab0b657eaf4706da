// Messages that end later: MPI_Isend and MPI_Irecv in all kinds, persistent and partitioned requests,
// MPI_Start, MPI_Pready, MPI_Cancel. The request remembers what its completion (completion.hpp) has to
// record. All their events carry the enter time.
//
// A partitioned message (MPI 4.0, 4.2) is sent when its last partition is ready. It matches partitioned
// receives only, whatever the tags of other messages: kPartitionedTag is added to its own tag, beyond MPICH's
// MPI_TAG_UB.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

// The request begins with this call, unless it is persistent: recorded, and active.
void start(RecordedCall& call, PendingRequest& request) noexcept;

// Remembers a request that MPI has made, with the facts that `describe` fills in; MPI is not asked.
template <class Describe>
void start_and_remember(RecordedCall& call, MPI_Request handle, Describe describe) noexcept {
  const NewRequest request(handle);
  describe(*request);
  start(call, *request);
}

inline constexpr std::int32_t kPartitionedTag = 1 << 30;

struct Isend {
  MPI_Count count;
  MPI_Datatype datatype;
  int dest;
  int tag;
  MPI_Comm comm;
  const MPI_Request* request;
  int partitions = 0;  // count is that of each
  bool persistent = false;

  void after(RecordedCall& call) const noexcept;
};

struct Irecv {
  MPI_Comm comm;
  int source;
  const MPI_Request* request;
  int partitions = 0;  // of count elements each; the members below are used with partitions only
  MPI_Count count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  int tag = MPI_ANY_TAG;
  bool persistent = false;

  void after(RecordedCall& call) const noexcept;
};

// MPI_Isendrecv: a send and a receive under one handle. MPICH 4.0 does not fill the status of the receive:
// what came is known from the arguments, so a receive by wildcard is not recorded.
struct Isendrecv {
  MPI_Count count;
  MPI_Datatype datatype;
  int dest;
  int tag;
  MPI_Comm comm;
  MPI_Count recvcount;
  MPI_Datatype recvtype;
  int source;
  int recvtag;
  const MPI_Request* request;

  void after(RecordedCall& call) const noexcept;
};

// MPI_Imrecv
struct MatchedIrecv {
  const MPI_Message* message;
  const MPI_Request* request;
  MPI_Message handle = MPI_MESSAGE_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

struct Start {
  int count = 1;
  const MPI_Request* requests;

  std::size_t most_events() const noexcept;
  void after(RecordedCall& call) const noexcept;
};

// MPI_Pready, MPI_Pready_range (first to last), MPI_Pready_list
struct PartitionsReady {
  MPI_Request request;
  int partitions = 1;
  int first = 0;
  int last = 0;
  std::optional<PendingRequest> sent = std::nullopt;  // with the last partition

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

struct RequestFree {
  const MPI_Request* request;
  MPI_Request handle = MPI_REQUEST_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(const RecordedCall& call) const noexcept;
};

// A request that is no message: its handle may have belonged to a request whose end was not seen.
struct ForeignRequest {
  const MPI_Request* request;

  void after(const RecordedCall& call) const noexcept;
};

struct Cancel {
  const MPI_Request* request;

  void after(const RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks
