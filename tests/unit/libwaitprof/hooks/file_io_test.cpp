// Bytes of file accesses: from the status, even if the application ignores it, or as requested; and which
// ranks take part in calls on a file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/communicator_key.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::StrEq;
using enum EventType;

// A file that MPI_File_open made.
class FileIoTest : public RecorderTest {
 protected:
  ~FileIoTest() override { forget_file(file()); }

  static MPI_File file() { return reinterpret_cast<MPI_File>(&there_); }
  static std::uint32_t open(MPI_Comm comm, int result = MPI_SUCCESS) {
    MPI_File handle = MPI_FILE_NULL;
    call(hooks::FileOpen{.comm = comm, .filename = "/far/away/results.dat", .fh = &handle}, [&](auto&) {
      handle = result == MPI_SUCCESS ? file() : MPI_FILE_NULL;
      return result;
    });
    return communicator_of(file());
  }

 private:
  static inline char there_ = 0;
};

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

TEST_F(FileIoTest, FileHasACommunicatorOfItsOwn) {
  const std::uint32_t id = open(kRowComm);
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CommCreate, CollectiveEnd, Leave));
  EXPECT_EQ(the(CommCreate).u.collective.comm, id);
  EXPECT_EQ(the(CollectiveEnd).u.collective.comm, id);
  EXPECT_THAT(communicator(id).members, ElementsAre(0, 2, 4));
  EXPECT_EQ(communicator(id).parent_key, communicator(communicator_of(kRowComm)).key);
  EXPECT_THAT(communicator(id).name, StrEq("results.dat"));
}

TEST_F(FileIoTest, CallsOfAllMembersAreCollectives) {
  const std::uint32_t id = open(kRowComm);
  clear();
  call(hooks::FileCollective{.fh = file()});
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_EQ(the(CollectiveEnd).u.collective.comm, id);
  clear();
  call(hooks::FileAccess{.status = MPI_STATUS_IGNORE, .fh = file()});
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, FileBytes, Leave));
  clear();
  call(hooks::FileAccess{.status = MPI_STATUS_IGNORE});
  EXPECT_THAT(types(), ElementsAre(Enter, FileBytes, Leave));
}

TEST_F(FileIoTest, ClosedFileIsUnknown) {
  const std::uint32_t id = open(kRowComm);
  clear();
  MPI_File handle = file();
  call(hooks::FileClose{.fh = &handle}, [&handle](auto&) {
    handle = MPI_FILE_NULL;
    return MPI_SUCCESS;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CommDestroy, CollectiveEnd, Leave));
  EXPECT_EQ(the(CommDestroy).u.collective.comm, id);
  EXPECT_EQ(communicator_of(file()), kUnknownComm);
  clear();
  call(hooks::FileCollective{.fh = file()});
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(FileIoTest, FileOfOneProcessIsNoCollective) {
  EXPECT_EQ(open(MPI_COMM_SELF), kUnknownComm);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

// Processes that could not open a file give later communicators the same keys as those that could.
TEST_F(FileIoTest, FilesDoNotNumberCommunicators) {
  constexpr MPI_Comm kCopy = 0x44000021;
  const auto copy = [] {
    const Communicator made = communicator(add_copy(kCopy, kWorldComm));
    forget_communicator(kCopy);
    return made;
  };
  const Communicator before = copy();
  const std::uint64_t common = common_key(before, 0);
  std::uint32_t number = 1;
  while (numbered_key(common, number) != before.key) ++number;
  const std::uint64_t file_key = communicator(open(MPI_COMM_WORLD)).key;
  EXPECT_EQ(copy().key, numbered_key(common, number + 1));
  forget_file(file());
  EXPECT_NE(communicator(open(MPI_COMM_WORLD)).key, file_key);
}

TEST_F(FileIoTest, NonblockingIsWhatWasAskedFor) {
  const MPI_Request request = 4712;
  call(hooks::FileRequest{.count = 10, .datatype = kDerivedType, .request = &request});
  ASSERT_THAT(types(), ElementsAre(Enter, FileBytes, Leave));
  EXPECT_EQ(the(FileBytes).u.message.bytes, 240U);
}

}  // namespace
}  // namespace waitprof
