// Which service comes next.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/service_queue.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

Service from(std::uint32_t client, std::size_t messages = 1) {
  return {.clients = {Location{client}}, .needs = std::vector<OpRef>(messages)};
}

TEST(ServiceQueue, WhoseMessageComesFirstIsServedFirst) {
  const Services services{.in_order = {from(1), from(2)}};
  ServiceQueue queue(services);
  EXPECT_EQ(queue.first_ready(), std::nullopt);
  queue.came(1);
  EXPECT_EQ(queue.first_ready(), 1u);
  EXPECT_EQ(&queue.take(1), &services.in_order[1]);
  EXPECT_EQ(queue.first_ready(), std::nullopt);
  EXPECT_FALSE(queue.done());
  queue.came(0);
  queue.take(0);
  EXPECT_TRUE(queue.done());
}

TEST(ServiceQueue, OfMessagesThatAreThereTheOrderIsTheRecordedOne) {
  const Services services{.in_order = {from(1), from(2)}};
  ServiceQueue queue(services);
  queue.came(1);
  queue.came(0);
  EXPECT_EQ(queue.first_ready(), 0u);
}

TEST(ServiceQueue, AClientIsServedInItsOwnOrder) {
  const Services services{.in_order = {from(1), from(2), from(1)}};
  ServiceQueue queue(services);
  queue.came(2);
  EXPECT_EQ(queue.first_ready(), std::nullopt);
  queue.came(0);
  EXPECT_EQ(queue.first_ready(), 0u);
  queue.take(0);
  EXPECT_EQ(queue.first_ready(), 2u);
}

TEST(ServiceQueue, AllMessagesOfAServiceHaveToCome) {
  const Services services{.in_order = {from(1, 2), from(2)}};
  ServiceQueue queue(services);
  queue.came(0);
  EXPECT_EQ(queue.first_ready(), std::nullopt);
  queue.came(0);
  EXPECT_EQ(queue.first_ready(), 0u);
}

}  // namespace
}  // namespace waitdiag
