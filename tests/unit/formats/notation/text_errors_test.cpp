// What the text notation refuses: line number, reason and the line itself, in one line.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_text(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "accepted";
}

struct Refused {
  const char* line;
  const char* reason;
};

class TextErrors : public ::testing::TestWithParam<Refused> {};

TEST_P(TextErrors, NameLineReasonAndText) {
  const std::string text = std::string("rank 0\n  0..10  solve\n  ") + GetParam().line + "  \n";
  EXPECT_EQ(complaint(text),
            std::string("text trace, line 3: ") + GetParam().reason + ": " + GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    All, TextErrors,
    ::testing::Values(
        Refused{"5..20  solve", "begins before the line above has ended"},
        Refused{"20..15  solve", "ends before it begins"},
        Refused{"20..x  solve", "a time must be a number, not 'x'"},
        Refused{"20..9223372036854775808  solve", "a time must be a number, not '9223372036854775808'"},
        Refused{"nonsense", "expected 'begin..end what', 'rank N' or a definition"},
        Refused{"20..30", "a region is missing"},
        Refused{"20..30  main//solve", "a name in a call path is empty"},
        Refused{"20..30  \"solve", "a quote is not closed"},
        Refused{"20..30  solve to 1", "did not expect 'to'"},
        Refused{"20..30  MPI_Send  too 1", "unknown word 'too' after MPI_Send"},
        Refused{"20..30  MPI_Send  to", "a rank is missing"},
        Refused{"20..30  MPI_Send  to 0 comm row", "communicator 'row' is not defined"},
        Refused{"20..30  MPI_Send  to 0 at 31", "a time lies outside its call"},
        Refused{"20..30  MPI_Wait  completes 7", "request 7 was not posted on this rank"},
        Refused{"20..30  MPI_Wait  completes", "'completes' needs a request"},
        Refused{"20..30  MPI_Irecv  request 7 request 7", "request 7 is already in flight on this rank"},
        Refused{"20..30  MPI_Wait  request 7 completes 7", "request 7 is a receive: say 'from' which rank"},
        Refused{"20..30  MPI_Barrier  at 25 until 22", "the collective ends before it begins"},
        Refused{"20..30  MPI_Init  collective tea", "unknown kind of collective 'tea'"},
        Refused{"20..30  samples solve", "a sample is written 'call/path:weight'"},
        Refused{"unit h", "the unit must be ns, us, ms or s"},
        Refused{"comm row = 0 1", "the text has no such rank"},
        Refused{"region solve", "region 'solve' was already used or defined"},
        Refused{"region other kind tea", "unknown word 'tea' for the kind"}));

TEST(TextErrors, ARankComesFirst) {
  EXPECT_EQ(complaint("0..10 solve"),
            "text trace, line 1: say first whose line this is ('rank N'): 0..10 solve");
}

TEST(TextErrors, TooLargeTimesAndRanks) {
  EXPECT_EQ(complaint("unit s\nrank 0\n0..9223372036854775807 solve"),
            "text trace, line 3: a time is too large: 0..9223372036854775807 solve");
  EXPECT_NE(complaint("rank 2000000000\n"), "accepted");
  EXPECT_NE(complaint("rank -1\n"), "accepted");
}

}  // namespace
}  // namespace waitdiag
