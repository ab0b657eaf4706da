// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/local_ids.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace waitprof::archive {
namespace {

Event region_event(EventType type, std::uint32_t region) {
  Event event = event_at(type, 1);
  event.u.region = {region, 0};
  return event;
}

TEST(LocalIdsTest, TheMostFrequentRegionOfTheFirstEventsHasTheShortestId) {
  static LocalIds ids;  // static: in use until another test sets its own
  use_local_ids(ids);
  constexpr std::uint32_t kInit = 7, kSend = 900, kRecv = 901, kLater = 3;
  std::vector<Event> events = {region_event(EventType::Enter, kInit)};
  for (const std::uint32_t region : {kRecv, kSend, kSend, kRecv, kSend}) {
    events.push_back(region_event(EventType::Enter, region));
    events.push_back(region_event(EventType::Leave, region));
  }
  for (int leave = 0; leave < 9; ++leave) {
    events.push_back(region_event(EventType::Leave, kInit));
  }
  number_by_frequency(events);
  EXPECT_EQ(local_region_count(), 3u);
  EXPECT_EQ(local_region(kSend), 0u);
  EXPECT_EQ(local_region(kRecv), 1u);
  EXPECT_EQ(local_region(kInit), 2u);
  EXPECT_EQ(region_of_local(0), kSend);

  number_by_frequency(std::vector<Event>(99, region_event(EventType::Enter, kLater)));
  EXPECT_EQ(local_region(kRecv), 1u);
  EXPECT_EQ(local_region(kLater), 3u);
}

}  // namespace
}  // namespace waitprof::archive
