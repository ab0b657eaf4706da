// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/row_offsets.hpp"

#include <gtest/gtest.h>

#include <random>

namespace waitdiag {
namespace {

// 100 rows of 0 to 3 entries, most of them empty, as plain offsets.
std::vector<std::uint32_t> plain_offsets() {
  std::mt19937 random(1);
  std::vector<std::uint32_t> offsets{0};
  for (int row = 0; row < 100; ++row) {
    const auto length = random() % 3 == 0 ? static_cast<std::uint32_t>(random() % 4) : 0U;
    offsets.push_back(offsets.back() + length);
  }
  return offsets;
}

RowOffsets row_offsets(const std::vector<std::uint32_t>& plain) {
  RowOffsets result;
  for (std::size_t row = 1; row < plain.size(); ++row) result.end_row(plain[row]);
  return result;
}

void expect_same(const RowOffsets& offsets, const std::vector<std::uint32_t>& plain) {
  ASSERT_EQ(offsets.rows() + 1, plain.size());
  EXPECT_EQ(offsets.entries(), plain.back());
  for (std::size_t row = 0; row < plain.size(); ++row) EXPECT_EQ(offsets[row], plain[row]) << row;
  for (std::size_t row = 0; row + 1 < plain.size(); ++row)
    EXPECT_EQ(offsets.row(row), std::pair(plain[row], plain[row + 1])) << row;
}

TEST(RowOffsets, AreThoseOfPlainOffsets) {
  expect_same(row_offsets(plain_offsets()), plain_offsets());
}

TEST(RowOffsets, ContinueAfterTheRowsThatAreKept) {
  for (const std::size_t kept : {0, 1, 31, 32, 33, 64, 99, 100}) {
    std::vector<std::uint32_t> plain = plain_offsets();
    RowOffsets offsets = row_offsets(plain);
    offsets.keep_rows(kept);
    plain.resize(kept + 1);
    expect_same(offsets, plain);
    for (const std::uint32_t more : {2, 0, 1}) {
      plain.push_back(plain.back() + more);
      offsets.end_row(plain.back());
    }
    expect_same(offsets, plain);
  }
}

}  // namespace
}  // namespace waitdiag
