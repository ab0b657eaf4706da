// Start, pause and end of a recording: what happens in which order, and that all ranks agree.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/lifecycle/recording.hpp"
#include "libwaitprof/lifecycle/steps.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

extern "C" int entered_MPI_Pcontrol(const int level, ...);

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum EventType;

class RecordingTest : public RecorderTest {
 protected:
  RecordingTest() {
    recorder_state = RecorderState::Idle;
    setenv("WAITPROF_EVERY_RANK", "on", 1);  // there is no launcher here
  }
  ~RecordingTest() override {
    unsetenv("WAITPROF_ENABLE");
    unsetenv("WAITPROF_EVERY_RANK");
    settings.every_rank = false;
    settings.enabled = true;
  }

  static int init(int result = MPI_SUCCESS) {
    return record_call(Call::Init, kCaller, hooks::Init{}, [result](auto&) { return result; });
  }
  static int finalize() {
    return record_call(Call::Finalize, kCaller, hooks::Finalize{}, [](auto&) {
      room_calls().order.emplace_back("PMPI_Finalize");
      return MPI_SUCCESS;
    });
  }
};

TEST_F(RecordingTest, FromInitToFinalize) {
  init();
  EXPECT_TRUE(recording());
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_EQ(static_cast<CollectiveOp>(the(CollectiveEnd).u.collective.op), CollectiveOp::Init);
  clear();
  const int barriers = stand_in::state().barriers;
  finalize();
  EXPECT_EQ(stand_in::state().barriers, barriers + 3) << "one before the archive is completed, two behind";
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_EQ(static_cast<CollectiveOp>(the(CollectiveEnd).u.collective.op), CollectiveOp::Finalize);
  EXPECT_EQ(recorder_state, RecorderState::Stopped);
  EXPECT_GT(world.call_cost, 0u);
  EXPECT_GT(world.poll_cost, 0u);
  EXPECT_EQ(this_thread.left_out.failed_polls, 0u) << "nobody made those that were timed";
  std::vector<std::string> order = room_calls().order;
  std::erase(order, "stop sampling");  // once for each thread that ever existed
  std::erase(order, "close regions");
  EXPECT_THAT(order, ElementsAre("open archive", "start call paths", "open regions", "start sampling",
                                 "close archive", "PMPI_Finalize"));
}

TEST_F(RecordingTest, FromTheFirstSessionToTheLast) {
  const auto open = [] {
    return record_call(Call::Session_init, kCaller, hooks::SessionInit{}, [](auto&) { return MPI_SUCCESS; });
  };
  const auto close = [] {
    return record_call(Call::Session_finalize, kCaller, hooks::SessionFinalize{},
                       [](auto&) { return MPI_SUCCESS; });
  };
  const int barriers = stand_in::state().barriers;
  open();
  open();
  EXPECT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave));
  EXPECT_EQ(world.size, 5);
  close();
  EXPECT_TRUE(recording());
  close();
  EXPECT_EQ(recorder_state, RecorderState::Stopped);
  std::vector<std::string> order = room_calls().order;
  std::erase(order, "stop sampling");
  std::erase(order, "close regions");
  EXPECT_THAT(order, ElementsAre("open archive alone", "start call paths", "open regions", "start sampling",
                                 "end archive alone"));
  EXPECT_EQ(stand_in::state().barriers, barriers) << "nobody waits for others";
  EXPECT_EQ(stand_in::state().open_sessions, 0) << "our own";
}

TEST_F(RecordingTest, OfASpawnedJobKnowsThatItIsOne) {
  stand_in::state().parent = kInterComm;
  init();
  EXPECT_EQ(other_jobs().parents, 3u);
  finalize();
  stand_in::state().parent = MPI_COMM_NULL;
  recorder_state = RecorderState::Idle;
  init();
  EXPECT_EQ(other_jobs().parents, 0u);
  finalize();
}

TEST_F(RecordingTest, FailedInitStartsNothing) {
  EXPECT_EQ(init(MPI_ERR_OTHER), MPI_ERR_OTHER);
  EXPECT_EQ(recorder_state, RecorderState::Idle);
  finalize();
  EXPECT_THAT(room_calls().order, ElementsAre("PMPI_Finalize"));
}

TEST_F(RecordingTest, DisabledEverywhereIsSilent) {
  setenv("WAITPROF_ENABLE", "off", 1);
  stand_in::state().other_ranks_ready = false;
  testing::internal::CaptureStderr();
  init();
  finalize();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(room_calls().order, ElementsAre("PMPI_Finalize"));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(RecordingTest, NothingIsRecordedIfItIsUnknownWhichRanksHaveTheLibrary) {
  setenv("WAITPROF_EVERY_RANK", "off", 1);
  testing::internal::CaptureStderr();
  init();
  finalize();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("set WAITPROF_EVERY_RANK=on"));
  EXPECT_THAT(room_calls().order, ElementsAre("PMPI_Finalize"));
}

TEST_F(RecordingTest, NoRankRecordsUnlessAllCan) {
  stand_in::state().other_ranks_ready = false;
  testing::internal::CaptureStderr();
  init();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("only 1 of 5 ranks"));
  EXPECT_EQ(recorder_state, RecorderState::Stopped);
}

TEST_F(RecordingTest, NoArchiveNoRecording) {
  room_calls().archive_opens = false;
  init();
  finalize();
  EXPECT_THAT(room_calls().order, ElementsAre("open archive", "PMPI_Finalize"));
}

TEST_F(RecordingTest, RankThatGaveUpStillComesToTheEnd) {
  init();
  testing::internal::CaptureStderr();
  give_up("disk full");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("disk full"));
  clear();
  finalize();
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(room_calls().order, testing::Contains("close archive"));
}

TEST_F(RecordingTest, PauseAndResume) {
  init();
  clear();
  entered_MPI_Pcontrol(0);
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 1, .tag = 0, .comm = MPI_COMM_WORLD});
  entered_MPI_Pcontrol(0);
  entered_MPI_Pcontrol(-1);
  entered_MPI_Pcontrol(1);
  entered_MPI_Pcontrol(1);
  EXPECT_THAT(types(), ElementsAre(MeasurementOff, MeasurementOn));
  finalize();
}

TEST_F(RecordingTest, StepsBeginByPcontrolToo) {
  init();
  clear();
  entered_MPI_Pcontrol(2);
  const std::uint64_t number = the(Step).u.step;
  clear();
  begin_step();
  EXPECT_EQ(the(Step).u.step, number + 1);
  finalize();
}

TEST_F(RecordingTest, TheStepInWhichTheRecordingResumesIsRecordedAgain) {
  init();
  entered_MPI_Pcontrol(2);
  const std::uint64_t number = the(Step).u.step;
  entered_MPI_Pcontrol(0);
  entered_MPI_Pcontrol(2);
  clear();
  entered_MPI_Pcontrol(1);
  EXPECT_THAT(types(), ElementsAre(MeasurementOn, Step));
  EXPECT_EQ(the(Step).u.step, number + 1);
  clear();
  entered_MPI_Pcontrol(1);  // nothing was paused
  EXPECT_THAT(types(), IsEmpty());
  finalize();
}

TEST_F(RecordingTest, APauseOfTheUserOutlastsTheStepsThatAreLeftOut) {
  init();
  entered_MPI_Pcontrol(0);
  clear();
  pause_recording(PauseReason::Steps);
  resume_recording(PauseReason::Steps);
  EXPECT_THAT(types(), IsEmpty());
  pause_recording(PauseReason::Steps);
  entered_MPI_Pcontrol(1);
  EXPECT_THAT(types(), IsEmpty());
  resume_recording(PauseReason::Steps);
  EXPECT_THAT(types(), ElementsAre(MeasurementOn));
  finalize();
}

TEST_F(RecordingTest, AbortIsNotedFirstAndNeverLeft) {
  init();
  clear();
  room_calls().order.clear();
  record_call(Call::Abort, kCaller, hooks::Abort{.errorcode = 3}, [](auto&) {
    room_calls().order.emplace_back("PMPI_Abort");
    return MPI_SUCCESS;
  });
  EXPECT_THAT(types(), ElementsAre(Enter));
  EXPECT_THAT(room_calls().order, ElementsAre("stop sampling", "abandon 3", "PMPI_Abort"));
}

}  // namespace
}  // namespace waitprof
