// What the writer leaves out the reader fills in, whatever numbers the two have for the regions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/schema/expected_paths.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace waitprof::schema {
namespace {

constexpr int kNone = 0;

class Writer {
 public:
  std::optional<int> attribute(std::size_t region, int path) {
    int* const expected = paths_.at_enter(region, path != kNone);
    if (expected == nullptr || *expected == path) return {};
    return *expected = path;
  }

 private:
  ExpectedPaths<int> paths_;
};

class Reader {
 public:
  int path(std::size_t region, std::optional<int> attribute) {
    int* const expected = paths_.at_enter(region, attribute.has_value());
    if (expected == nullptr) return kNone;
    if (attribute) *expected = *attribute;
    return *expected;
  }

 private:
  ExpectedPaths<int> paths_;
};

TEST(ExpectedPaths, AreWhatWasLeftOut) {
  std::mt19937 random(17);
  Writer writer;
  Reader reader;
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t region = random() % 40;
    const int path = region < 5 ? kNone : static_cast<int>(random() % 4);
    ASSERT_EQ(reader.path(1000 - 7 * region, writer.attribute(region, path)), path) << i;
  }
}

TEST(ExpectedPaths, LeaveNothingToSayInALoop) {
  Writer writer;
  int said = 0;
  for (int step = 0; step < 10; ++step) {
    constexpr struct {
      std::size_t region;
      int path;
    } kHalo[] = {{1, 11}, {1, 12}, {1, 13}, {2, 21}, {2, 22}, {2, 23}, {3, 31}, {4, 41}, {1, 14}, {3, 32}};
    for (const auto& [region, path] : kHalo) {
      const bool given = writer.attribute(region, path).has_value();
      said += given && step > 1 ? 1 : 0;
    }
  }
  EXPECT_EQ(said, 0);
}

}  // namespace
}  // namespace waitprof::schema
