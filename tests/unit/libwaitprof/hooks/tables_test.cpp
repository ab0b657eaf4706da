// The tables under the hooks: the handle map, memory, threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <set>
#include <thread>

#include "libwaitprof/handles/handle_map.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/settings/nearest_name.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

TEST(HandleMapTest, KeepsManyKeysWhileItGrows) {
  HandleMap<int> map;
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) {
    ASSERT_NE(map.add(static_cast<std::uint64_t>(i) * 16, i), nullptr);
  }
  for (int i = 0; i < kMany; i += 2) {
    const auto key = static_cast<std::uint64_t>(i) * 16;
    map.remove(key, map.find(key));
  }
  EXPECT_EQ(map.size(), std::size_t{kMany / 2});
  for (int i = 0; i < kMany; ++i) {
    const int* value = map.find(static_cast<std::uint64_t>(i) * 16);
    ASSERT_EQ(value != nullptr, i % 2 == 1);
    ASSERT_TRUE(value == nullptr || *value == i);
  }
}

TEST(HandleMapTest, EqualKeysComeBackInOrderAlsoAfterGrowth) {
  HandleMap<int> map;
  for (int i = 0; i < 2000; ++i) {
    map.add(5, i);
  }
  for (int i = 0; i < 2000; ++i) {
    const int* oldest = map.find(5);
    ASSERT_NE(oldest, nullptr);
    ASSERT_EQ(*oldest, i);
    map.remove(5, oldest);
  }
  EXPECT_EQ(map.find(5), nullptr);
}

TEST(HandleMapTest, PreferenceBeatsAge) {
  HandleMap<int> map;
  for (int i = 0; i < 3; ++i) {
    map.add(5, i);
  }
  EXPECT_EQ(*map.find(5, [](int value) { return value == 2; }), 2);
  EXPECT_EQ(*map.find(5, [](int) { return false; }), 0);
}

TEST(NearestNameTest, FindsTheSlip) {
  static constexpr const char* kNames[] = {"WAITPROF_DIR", "WAITPROF_SAMPLING", "WAITPROF_SAMPLING_HZ"};
  const auto name_at = [](std::size_t i) { return kNames[i]; };
  EXPECT_STREQ(nearest_name("WAITPROF_SAMPLNG", 3, name_at), "WAITPROF_SAMPLING");
  EXPECT_STREQ(nearest_name("WAITPROF_HZ", 3, name_at), "WAITPROF_DIR");
  EXPECT_STREQ(nearest_name("", 3, name_at), "WAITPROF_DIR");
}

class ThreadsTest : public RecorderTest {};

TEST_F(ThreadsTest, EventsOutliveTheirThread) {
  std::uint32_t number = 0;
  std::thread([&number] {
    call(hooks::Region{});
    number = this_thread.thread;
  }).join();
  const ThreadState* kept = thread_list();
  while (kept != nullptr && kept->thread != number) {
    kept = kept->next;
  }
  ASSERT_NE(kept, nullptr);
  EXPECT_NE(number, 0U);
  EXPECT_EQ(kept->cursor - kept->begin, 2);
  EXPECT_EQ(kept->begin[0].type, EventType::Enter);
}

TEST_F(ThreadsTest, NewThreadsGetTheirRegionsAndSampler) {
  std::thread([] { call(hooks::Region{}); }).join();
  EXPECT_THAT(room_calls().order,
              testing::ElementsAre("open regions", "start sampling", "stop sampling", "close regions"));
}

TEST_F(ThreadsTest, ScratchMemoryGrows) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
    void* memory = scratch_memory(this_thread, bytes);
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 1, bytes);
  }
}

TEST_F(ThreadsTest, RequestIdsAreUniqueAmongThreads) {
  threads_call_mpi_together = true;
  constexpr int kEach = 20'000;
  std::vector<std::uint32_t> ids[2];
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&mine = ids[i]] {
      for (int k = 0; k < kEach; ++k) {
        mine.push_back(new_request_id(this_thread));
        (*NewRequest(5)).id = mine.back();
      }
    });
  }
  threads[0].join();
  threads[1].join();
  std::vector<bool> seen;
  for (int k = 0; k < 2 * kEach; ++k) {
    const auto request = complete_request(5, nullptr);
    ASSERT_TRUE(request.has_value());
    seen.resize(std::max(seen.size(), std::size_t{request->id} + 1));
    EXPECT_FALSE(seen[request->id]);
    seen[request->id] = true;
  }
  EXPECT_FALSE(complete_request(5, nullptr).has_value());
}

// Whatever the order in which they came back.
TEST_F(ThreadsTest, RequestIdsAreGivenOutAgainLowestFirstByTheirThread) {
  this_thread.free_requests = {};
  const std::uint32_t first = new_request_id(this_thread), second = new_request_id(this_thread);
  EXPECT_LT(first, second);
  free_request_id(this_thread, {.id = second, .thread = this_thread.thread});
  free_request_id(this_thread, {.id = first, .thread = this_thread.thread});
  EXPECT_EQ(new_request_id(this_thread), first);
  const std::uint32_t of_another_thread = first;
  free_request_id(this_thread, {.id = of_another_thread, .thread = this_thread.thread + 1});
  EXPECT_EQ(new_request_id(this_thread), second);
  const std::uint32_t fresh = new_request_id(this_thread);
  EXPECT_NE(fresh, first);
  EXPECT_NE(fresh, second);
}

// More requests than there is room for: the rest is lost, and no id is given out twice.
TEST_F(ThreadsTest, RequestIdsOfManyRequestsStayApart) {
  std::vector<std::uint32_t> ids(1000);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t& id : ids) id = new_request_id(this_thread);
    EXPECT_EQ(std::set<std::uint32_t>(ids.begin(), ids.end()).size(), ids.size());
    for (const std::uint32_t id : ids) free_request_id(this_thread, {.id = id, .thread = this_thread.thread});
  }
}

}  // namespace
}  // namespace waitprof
