// The waits of a call are found wherever they are.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/wait_places.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

Trace trace_with_calls(int calls) {
  std::string text = "rank 0\n";
  for (int i = 0; i < calls; ++i)
    text += std::to_string(2 * i) + ".." + std::to_string(2 * i + 1) + " MPI_Barrier\n";
  return parse_text(text);
}

WaitStates waits_in(const std::vector<std::uint32_t>& calls) {
  WaitStates states;
  for (const std::uint32_t op : calls) states.waits.push_back({.victim = {Location{0}, op}, .cause = {}});
  states.first_wait = {0, static_cast<std::uint32_t>(calls.size())};
  return states;
}

TEST(WaitPlaces, OfACallOrOfTheNextThatWaited) {
  const Trace trace = trace_with_calls(100);
  const WaitStates none = waits_in({}), some = waits_in({90, 91, 91, 99});
  EXPECT_EQ(WaitPlaces(trace, none).first_from(Location{0}, 0), 0U);
  const WaitPlaces places(trace, some);
  EXPECT_EQ(places.first_from(Location{0}, 0), 0U);
  EXPECT_EQ(places.first_from(Location{0}, 91), 1U);
  EXPECT_EQ(places.first_from(Location{0}, 92), 3U);
  EXPECT_EQ(places.first_from(Location{0}, 99), 3U);
  EXPECT_EQ(places.first_from(Location{0}, 100), 4U);
}

// More than a byte can count.
TEST(WaitPlaces, OfCallsAfterOneThatWaitedForHundreds) {
  const Trace trace = trace_with_calls(200);
  std::vector<std::uint32_t> calls(300, 70);
  calls.insert(calls.end(), {80, 81, 150});
  const WaitStates states = waits_in(calls);
  const WaitPlaces places(trace, states);
  EXPECT_EQ(places.first_from(Location{0}, 70), 0U);
  EXPECT_EQ(places.first_from(Location{0}, 71), 300U);
  EXPECT_EQ(places.first_from(Location{0}, 81), 301U);
  EXPECT_EQ(places.first_from(Location{0}, 82), 302U);
  EXPECT_EQ(places.first_from(Location{0}, 150), 302U);
  EXPECT_EQ(places.first_from(Location{0}, 151), 303U);
}

}  // namespace
}  // namespace waitdiag
