// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/wait_for_graph/call_numbers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

TEST(CallNumbers, AreCheckedOverAllLocations) {
  // 3 ranks with 100 calls each: those of one rank fit, those of all ranks do not.
  std::string text;
  for (int rank = 0; rank < 3; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    for (int call = 0; call < 100; ++call)
      text += std::to_string(10 * call) + ".." + std::to_string(10 * call + 5) + " MPI_Barrier alone\n";
  }
  const Trace trace = parse_text(text);
  const BasicCallNumbers<std::uint16_t> wide(trace);
  EXPECT_EQ(wide.size(), 300u);
  EXPECT_EQ(wide.call(wide.number({Location(2), 99})), (OpRef{Location(2), 99}));
  EXPECT_THROW(BasicCallNumbers<std::uint8_t>{trace}, TraceError);
}

}  // namespace
}  // namespace waitdiag
