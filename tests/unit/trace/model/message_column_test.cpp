// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/message_column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace waitdiag {
namespace {

MessageEnd an_end(std::int64_t time, std::uint64_t bytes, std::uint32_t posted = 1) {
  MessageEnd end;
  end.time = at(time);
  end.bytes = bytes;
  end.posted = end.completed = posted;
  end.peer = Rank(3);
  end.tag = -7;
  end.comm = CommId(2);
  return end;
}

std::vector<MessageEnd> all(const MessageColumn& column) {
  return {column.begin(), column.end()};
}

TEST(MessageColumn, EndsAreAsTheyWereAdded) {
  MessageColumn column;
  MessageEnd posted;  // a receive before it is complete
  posted.posted = 4;
  posted.any_source = true;
  const std::vector<MessageEnd> ends = {an_end(-5, 8), posted, an_end(0, 8),
                                        an_end(1'000'000'000'000, 1U << 31)};
  for (const MessageEnd& end : ends) column.push_back(end);
  EXPECT_EQ(all(column), ends);
  EXPECT_EQ(column.posted(1), 4U);
  EXPECT_EQ(column.completed(1), kNoOp);
}

TEST(MessageColumn, TimesFarApartAreKept) {
  MessageColumn column;
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const std::vector<MessageEnd> ends = {an_end(1, 8), an_end(kDay, 8), an_end(-kDay, 8, 9), an_end(2, 8)};
  for (const MessageEnd& end : ends) column.push_back(end);
  EXPECT_EQ(all(column), ends);
  column.complete(1, 12);
  EXPECT_EQ(column[1].completed, 12U);
  EXPECT_EQ(column.completed(1), 12U);
  column.set(1, an_end(3, 8));  // near again
  EXPECT_EQ(column[1], an_end(3, 8));
}

TEST(MessageColumn, EndsBeyondTheMostEnvelopesAreKept) {
  MessageColumn column(2);
  std::vector<MessageEnd> ends;
  for (std::uint64_t bytes = 0; bytes < 5; ++bytes)
    ends.push_back(an_end(static_cast<std::int64_t>(bytes), bytes));
  ends.push_back(an_end(9, 0));
  for (const MessageEnd& end : ends) column.push_back(end);
  EXPECT_EQ(all(column), ends);
}

TEST(MessageColumn, RandomChangesAreAsInAVector) {
  std::mt19937_64 random(11);
  const auto any_end = [&] {
    MessageEnd end = an_end(static_cast<std::int64_t>(random() % 3'000'000'000'000), random() % 50,
                            static_cast<std::uint32_t>(random() % 100));
    end.cancelled = random() % 16 == 0;
    if (random() % 8 == 0) end.time = {};
    return end;
  };
  MessageColumn column;
  std::vector<MessageEnd> ends;
  for (int i = 0; i < 1000; ++i) {
    ends.push_back(any_end());
    column.push_back(ends.back());
    const std::size_t which = random() % ends.size();
    ends[which] = any_end();
    column.set(which, ends[which]);
  }
  column.trim();
  EXPECT_EQ(all(column), ends);
  const auto is_cancelled = [](const MessageEnd& end) { return end.cancelled; };
  EXPECT_EQ(column.erase_if(is_cancelled), std::erase_if(ends, is_cancelled));
  const auto later = [](MessageEnd& end) { end.time += Duration(600'000'000'000); };
  column.change(later);
  std::ranges::for_each(ends, later);
  EXPECT_EQ(all(column), ends);
  column.push_back(an_end(1, 77));  // after trim()
  EXPECT_EQ(column[ends.size()], an_end(1, 77));
}

}  // namespace
}  // namespace waitdiag
