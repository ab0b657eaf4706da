// Blocking point-to-point: Send events carry the enter time, Recv events the leave time; MPI_PROC_NULL has
// neither.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

struct Send {
  MPI_Count count;
  MPI_Datatype datatype;
  int dest;
  int tag;
  MPI_Comm comm;

  void after(RecordedCall& call) const noexcept;
};

struct Receive {
  static constexpr bool kSeesFailures = true;
  MPI_Comm comm;
  int source;
  MPI_Status* status;

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

struct Sendrecv {
  static constexpr bool kSeesFailures = true;
  MPI_Count count;
  MPI_Datatype datatype;
  int dest;
  int tag;
  MPI_Comm comm;
  int source;
  MPI_Status* status;

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

// MPI_Mprobe, MPI_Improbe: remembers the communicator of the message, which is not known any more when it is
// received.
struct MatchedProbe {
  MPI_Comm comm;
  const MPI_Message* message;
  const int* flag = nullptr;  // MPI_Improbe

  bool polls() const noexcept { return flag != nullptr; }
  bool found_nothing() const noexcept { return *flag == 0; }
  void after(const RecordedCall& call) const noexcept;
};

struct MatchedReceive {
  static constexpr bool kSeesFailures = true;
  const MPI_Message* message;
  MPI_Status* status;
  MPI_Message handle = MPI_MESSAGE_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

// The Recv event of a message that `status` describes, which was asked for from `source`.
void add_received(RecordedCall& call, std::uint32_t comm, int source, const MPI_Status* status) noexcept;

}  // namespace waitprof::hooks
