// Bytes of accesses to files: from the status, also where the application ignores it, or as asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/recorder/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using enum EventType;

using FileIoTest = RecorderTest;

TEST_F(FileIoTest, MovedIsWhatTheStatusSays) {
  call(hooks::FileAccess{.status = MPI_STATUS_IGNORE}, [](auto& given) {
    *given.status = received(0, 0, 1000);
    return MPI_SUCCESS;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, FileBytes, Leave));
  EXPECT_EQ(the(FileBytes).u.message.bytes, 1000U);
}

TEST_F(FileIoTest, NothingIsMadeUpIfMpiLeavesTheStatusAlone) {
  call(hooks::FileAccess{.status = MPI_STATUS_IGNORE});
  EXPECT_EQ(the(FileBytes).u.message.bytes, 0U);
}

TEST_F(FileIoTest, FailuresMoveNothing) {
  call(hooks::FileAccess{.status = MPI_STATUS_IGNORE}, [](auto&) { return MPI_ERR_IO; });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(FileIoTest, NonblockingIsWhatWasAskedFor) {
  call(hooks::FileRequest{.count = 10, .datatype = kDerivedType});
  ASSERT_THAT(types(), ElementsAre(Enter, FileBytes, Leave));
  EXPECT_EQ(the(FileBytes).u.message.bytes, 240U);
}

}  // namespace
}  // namespace waitprof
