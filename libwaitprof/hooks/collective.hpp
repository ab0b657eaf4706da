// Collectives. Blocking: Begin with the enter time, End with the leave time and the bytes this rank sent and
// received. Nonblocking and persistent ones are requests like messages: they start with the enter time of the
// call that starts them, and are complete with the leave time of the one that completes them
// (completion.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

// An array of counts of a v-collective, int or MPI_Count.
class Counts {
 public:
  constexpr Counts() noexcept = default;
  constexpr Counts(const int* counts) noexcept : small_(counts) {}
  constexpr Counts(const MPI_Count* counts) noexcept : large_(counts) {}

  bool given() const noexcept { return small_ != nullptr || large_ != nullptr; }
  MPI_Count operator[](std::size_t i) const noexcept { return large_ != nullptr ? large_[i] : small_[i]; }

 private:
  const int* small_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

struct Collective {
  using enum CollectiveOp;

  const void* buffer = nullptr;  // where MPI_IN_PLACE may stand
  MPI_Count sendcount = 0;
  Counts sendcounts = {};
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  const MPI_Datatype* sendtypes = nullptr;
  MPI_Count recvcount = 0;
  Counts recvcounts = {};
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  const MPI_Datatype* recvtypes = nullptr;
  int root = -1;
  MPI_Comm comm;
  const MPI_Request* request = nullptr;  // nonblocking and persistent collectives
  CollectiveOp op;
  bool persistent = false;

  void after(RecordedCall& call) const noexcept;
  void left(const RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks
