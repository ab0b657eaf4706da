// User regions: ids, nesting, recordings that start and pause in the middle, leaves that never come.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/regions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/entries/load_backend.hpp"
#include "libwaitprof/include/waitprof.h"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/regions/region_filter.hpp"
#include "libwaitprof/regions/region_stack.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

extern "C" void __cyg_profile_func_enter(void*, void*);
extern "C" void __cyg_profile_func_exit(void*, void*);

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Regions of the recorded events: "+name" for Enter, "-name" for Leave; functions by their address in hex.
std::vector<std::string> story(const test::Recording& recording) {
  std::vector<std::string> result;
  for (const Event& event : recording.events()) {
    const UserRegion region = user_region(event.u.region.region);
    std::string name = region.name != nullptr ? region.name : std::to_string(region.address);
    result.push_back((event.type == EventType::Enter ? "+" : "-") + name);
  }
  return result;
}

void* function(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

TEST(RegionIds, AreEqualForEqualNames) {
  const std::uint32_t solve = region_by_name("solve");
  std::string copy = "solve";
  EXPECT_EQ(region_by_name(copy.c_str()), solve);
  copy = "gone!";  // the table keeps its own copy
  EXPECT_STREQ(user_region(solve).name, "solve");
  EXPECT_NE(region_by_name("Solve"), solve);
}

TEST(RegionIds, AreEqualForEqualAddresses) {
  const std::uint32_t id = region_by_address(0x4711);
  EXPECT_EQ(region_by_address(0x4711), id);
  EXPECT_EQ(user_region(id).address, 0x4711U);
  EXPECT_EQ(user_region(id).name, nullptr);
  EXPECT_GE(id, kFirstUserRegion);
  EXPECT_LT(id, kFirstUserRegion + user_region_count());
}

TEST(Regions, AreRecordedAsTheyNest) {
  test::Recording recording;
  waitprof_region_begin("outer");
  {
    const Region inner("inner");
    __cyg_profile_func_enter(function(77), nullptr);
    __cyg_profile_func_exit(function(77), nullptr);
  }
  waitprof_region_end("outer");
  EXPECT_THAT(story(recording), ElementsAre("+outer", "+inner", "+77", "-77", "-inner", "-outer"));
}

void assemble() {
  WAITPROF_FUNCTION();
}

TEST(Regions, TakeTheirFunctionsName) {
  test::Recording recording;
  assemble();
  EXPECT_THAT(story(recording), ElementsAre("+assemble", "-assemble"));
}

TEST(Regions, OpenBeforeTheRecordingAreEnteredAtItsStart) {
  enter_function(1);
  enter_region("phase");
  test::Recording recording;
  open_regions(this_thread);
  EXPECT_THAT(story(recording), ElementsAre("+1", "+phase"));
  leave_region("phase");
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "+phase", "-phase", "-1"));
}

TEST(Regions, AreClosedForAPauseAndOpenedAfterIt) {
  test::Recording recording;
  open_regions(this_thread);
  enter_function(1);
  enter_function(2);
  close_regions(this_thread);
  recorder_state = RecorderState::Paused;
  leave_function(2);
  enter_function(3);
  recorder_state = RecorderState::Recording;
  open_regions(this_thread);
  leave_function(3);
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "+2", "-2", "-1", "+1", "+3", "-3", "-1"));
}

TEST(Regions, OfAnotherThreadAreStillLeftInAPause) {
  test::Recording recording;
  enter_function(1);
  recorder_state = RecorderState::Paused;  // by another thread, which closes its own regions only
  enter_function(2);
  leave_function(2);
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "-1"));
}

TEST(Regions, LeftByALongJumpAreLeftWithTheirCaller) {
  test::Recording recording;
  enter_function(1);
  enter_function(2);
  enter_region("deep");
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "+2", "+deep", "-deep", "-2", "-1"));
  EXPECT_FALSE(compiler_regions_open());
}

TEST(Regions, KnowRecursion) {
  test::Recording recording;
  enter_function(5);
  enter_function(5);
  leave_function(5);
  EXPECT_TRUE(compiler_regions_open());
  leave_function(5);
  EXPECT_FALSE(compiler_regions_open());
  EXPECT_THAT(story(recording), ElementsAre("+5", "+5", "-5", "-5"));
}

TEST(Regions, LeftWithoutAnEnterAreCountedOnly) {
  test::Recording recording;
  const std::uint64_t before = lost_regions();
  leave_function(9);
  waitprof_region_end("never begun");
  EXPECT_THAT(story(recording), IsEmpty());
  EXPECT_EQ(lost_regions() - before, 2U);
}

TEST(Regions, TooDeepAreCountedAndTheRestStaysRight) {
  test::Recording recording;
  const std::uint64_t before = lost_regions();
  constexpr std::uintptr_t kDeepest = RegionStack::kDepth + 10;
  for (std::uintptr_t i = 1; i <= kDeepest; ++i) enter_function(i);
  for (std::uintptr_t i = kDeepest; i >= 1; --i) leave_function(i);
  EXPECT_EQ(lost_regions() - before, 10U);
  EXPECT_THAT(recording.events(), SizeIs(2 * RegionStack::kDepth));
  EXPECT_EQ(story(recording).back(), "-1");
  EXPECT_FALSE(compiler_regions_open());
}

TEST(Regions, BeforeMpiInitAreCounted) {
  const std::uint64_t before = regions_without_mpi();
  waitprof_region_begin("early");
  waitprof_region_end("early");
  enter_function(3);  // of a static object
  leave_function(3);
  waitprof_region_begin("open at MPI_Init");
  EXPECT_EQ(regions_without_mpi() - before, 1U);
  test::Recording recording;
  open_regions(this_thread);
  waitprof_region_end("open at MPI_Init");
  EXPECT_THAT(story(recording), ElementsAre("+open at MPI_Init", "-open at MPI_Init"));
  EXPECT_EQ(regions_without_mpi() - before, 1U);
}

TEST(Regions, BeforeABackendIsLoadedAreKeptForIt) {
  const std::uint64_t before = regions_without_mpi();
  const Backend* const backend = loaded_backend.exchange(nullptr);
  const std::string written_elsewhere = "early";
  waitprof_region_begin("early");
  waitprof_region_end(written_elsewhere.c_str());
  waitprof_region_begin("phase");
  __cyg_profile_func_enter(function(5), nullptr);
  waitprof_region_begin("left by a jump");
  __cyg_profile_func_exit(function(5), nullptr);
  loaded_backend = backend;
  EXPECT_EQ(regions_without_mpi() - before, 1U);
  test::Recording recording;
  open_regions(this_thread);
  waitprof_region_end("phase");
  EXPECT_THAT(story(recording), ElementsAre("+phase", "-phase"));
}

TEST(Regions, InThreadsWithoutMpiAreCounted) {
  test::Recording recording;
  const std::uint64_t before = regions_without_mpi();
  const auto work = [] {
    for (int time = 0; time < 5; ++time) {
      waitprof_region_begin("in a thread");
      enter_function(3);
      leave_function(3);
      waitprof_region_end("in a thread");
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_EQ(regions_without_mpi() - before, 2U * 5 * 2);
  recorder_state = RecorderState::Paused;
  std::thread(work).join();
  EXPECT_EQ(regions_without_mpi() - before, 2U * 5 * 2);
  EXPECT_THAT(story(recording), IsEmpty());
}

TEST(Regions, InsideMpiAreNotRecorded) {
  test::Recording recording;
  enter_function(1);
  this_thread.mpi_depth = 1;
  enter_function(2);  // a reduction operation of the application
  leave_function(2);
  this_thread.mpi_depth = 0;
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "-1"));
}

TEST(Regions, LeftByAnExceptionOutOfMpiCloseTheCallFirst) {
  test::Recording recording;
  enter_function(1);
  Event call = event_at(EventType::Enter, now());
  call.u.region = {.region = 5, .call_path = 0};
  append(this_thread, call);
  this_thread.mpi_depth = 1;
  enter_function(2);  // an error handler, which throws
  leave_function(1);
  EXPECT_EQ(this_thread.mpi_depth, 0);
  ASSERT_THAT(recording.events(), SizeIs(4));
  EXPECT_EQ(recording.events()[2].type, EventType::Leave);
  EXPECT_EQ(recording.events()[2].u.region.region, 5U);
  EXPECT_EQ(recording.events()[3].type, EventType::Leave);
}

TEST(Regions, OfThreadsWithoutABufferAreNotRecorded) {
  test::Recording recording;
  std::thread other([] {
    enter_function(1);
    leave_function(1);
  });
  other.join();
  EXPECT_THAT(story(recording), IsEmpty());
}

TEST(Regions, FlushAFullBuffer) {
  test::Recording recording(64);
  for (int i = 0; i < 100; ++i) {
    enter_function(1);
    leave_function(1);
  }
  EXPECT_GT(test::flush_count(), 3);
  EXPECT_EQ(this_thread.left_out.dropped_events, 0U);
}

class FilteredRegions : public testing::Test {
 protected:
  FilteredRegions() {
    read_function_filter("small*");
    const std::uintptr_t left_out[] = {7, 8};
    filter_functions(left_out);
    this_thread.left_out.filtered_regions = 0;
  }
  ~FilteredRegions() override { functions_are_filtered = false; }
};

TEST_F(FilteredRegions, AreCountedAndTheRestNests) {
  test::Recording recording;
  enter_function(1);
  enter_function(7);
  EXPECT_TRUE(compiler_regions_open());
  enter_region("small step");
  enter_region("step");
  leave_region("step");
  leave_region("small step");
  leave_function(7);
  leave_function(1);
  EXPECT_THAT(story(recording), ElementsAre("+1", "+step", "-step", "-1"));
  EXPECT_EQ(this_thread.left_out.filtered_regions, 2U);
}

TEST_F(FilteredRegions, DoNotKeepSamplesAway) {
  test::Recording recording;
  enter_function(8);
  EXPECT_FALSE(compiler_regions_open());
  leave_function(8);
}

TEST_F(FilteredRegions, MayBeDeeperThanTheStack) {
  test::Recording recording;
  const std::uint64_t lost_before = lost_regions();
  for (std::uint32_t i = 0; i < 2 * RegionStack::kDepth; ++i) enter_function(7);
  enter_function(1);
  leave_function(1);
  for (std::uint32_t i = 0; i < 2 * RegionStack::kDepth; ++i) leave_function(7);
  EXPECT_THAT(story(recording), ElementsAre("+1", "-1"));
  EXPECT_EQ(lost_regions(), lost_before);
}

TEST_F(FilteredRegions, OpenBeforeTheFilterWasKnownAreForgotten) {
  functions_are_filtered = false;
  enter_function(7);
  enter_function(1);
  enter_region("small step");
  functions_are_filtered = true;
  test::Recording recording;
  open_regions(this_thread);
  EXPECT_THAT(story(recording), ElementsAre("+1"));
  leave_region("small step");
  leave_function(1);
  EXPECT_FALSE(compiler_regions_open());
  leave_function(7);
  EXPECT_THAT(story(recording), ElementsAre("+1", "-1"));
}

TEST_F(FilteredRegions, AreNotCountedInAPause) {
  test::Recording recording;
  recorder_state = RecorderState::Paused;
  enter_function(7);
  leave_function(7);
  EXPECT_EQ(this_thread.left_out.filtered_regions, 0U);
}

TEST(Regions, KeepTheSamplerOutWhileTheyWrite) {
  test::Recording recording;
  this_thread.busy = 1;  // as in the middle of another event
  enter_function(1);
  this_thread.busy = 0;
  EXPECT_THAT(story(recording), IsEmpty());
  leave_function(1);
  EXPECT_THAT(story(recording), IsEmpty());
}

// The last two: nothing new fits in afterwards.
TEST(RegionTable, KeepsNamesAsLongAsThereIsRoomForThem) {
  std::string name(1023, 'x');
  std::size_t kept = 0;
  while (kept < 10'000 && region_by_name((name + std::to_string(10'000 + kept)).c_str()) != 0) ++kept;
  EXPECT_LE(kept * 1029, kMostNameBytes);
  EXPECT_GT((kept + 2) * 1029, kMostNameBytes);  // other tests have some short ones
  EXPECT_EQ(region_by_name((name + "another").c_str()), 0U);
  EXPECT_NE(region_by_name((name + "10000").c_str()), 0U);
  EXPECT_NE(region_by_address(0x99), 0U);
}

TEST(RegionTable, GivesNoIdWhenItIsFull) {
  std::uint32_t id = 1;
  std::uintptr_t address = 0x100000;
  while (id != 0 && address < 0x300000) id = region_by_address(address++);
  EXPECT_EQ(id, 0U);
  EXPECT_EQ(user_region_count(), 65536U);
  EXPECT_NE(region_by_address(0x100000), 0U);  // known ones stay known
  EXPECT_EQ(region_by_name("one more"), 0U);
  test::Recording recording;
  const std::uint64_t before = lost_regions();
  for (int time = 0; time < 3; ++time) {
    enter_function(0x300000);
    leave_function(0x300000);
  }
  EXPECT_EQ(lost_regions() - before, 3U);
  EXPECT_THAT(story(recording), IsEmpty());
}

}  // namespace
}  // namespace waitprof
