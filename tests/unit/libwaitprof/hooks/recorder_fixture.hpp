// What the tests of the recorder share: a recorder that records into a small buffer, and its events as plain
// values.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>
#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/lifecycle/all_hooks.hpp"
#include "tests/unit/libwaitprof/hooks/mpi_stand_in.hpp"

namespace waitprof {

// What the stand-ins for the other rooms were asked to do.
struct RoomCalls {
  std::vector<std::string> order;
  bool archive_opens = true;
  bool flush_works = true;
};
RoomCalls& room_calls();

inline constexpr std::uintptr_t kReturnAddress = 4711;  // call_path_of_caller() of the stand-in returns it
inline constexpr std::uintptr_t kStack[] = {kReturnAddress, 0, kReturnAddress, 0};
inline constexpr Caller kCaller{.frame = &kStack[3], .frame_pointer = 0};
inline constexpr Caller kInnerCaller{.frame = &kStack[1], .frame_pointer = 0};
inline constexpr MPI_Comm kRowComm = 0x44000010;          // world ranks 0, 2, 4; this process is rank 0
inline constexpr MPI_Comm kInterComm = 0x44000011;        // local 0, 1; remote 2, 3, 4
inline constexpr MPI_Datatype kDerivedType = 0x7c000001;  // 24 bytes

class RecorderTest : public testing::Test {
 protected:
  RecorderTest();
  ~RecorderTest() override;

  std::vector<Event> events() const { return {this_thread.begin, this_thread.cursor}; }
  std::vector<EventType> types() const;
  // The only event of the type.
  Event the(EventType type) const;
  void clear() const {
    this_thread.cursor = this_thread.begin;
    this_thread.row = {};
    this_thread.left_out = {};
  }
};

// A status as MPICH fills it.
MPI_Status received(int source, int tag, std::uint64_t bytes);

// Calls a hook as a wrapper would; `real` gets the hook, so that it sees what the hook gives MPI.
template <class Hook, class Real>
int call(Hook hook, Real real) {
  return record_call(Call::Send, kCaller, std::move(hook), real);
}
template <class Hook>
int call(Hook hook) {
  return call(hook, [](auto&) { return MPI_SUCCESS; });
}

}  // namespace waitprof
