// Control sequences for terminals must not come out of a trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/printable.hpp"

#include <gtest/gtest.h>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {
namespace {

TEST(Printable, LeavesUtf8AndShowsAllElseAsNumbers) {
  EXPECT_EQ(printable("solve<int>(\\) é × 日本 😀"), "solve<int>(\\) é × 日本 😀");
  EXPECT_EQ(printable(std::string_view("a\0\x01\t\n\x1b[2J\x7f", 9)), "a\\x00\\x01\\x09\\x0a\\x1b[2J");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m\x9b"),
            "\\xc2\\x9b1m\\x9b");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xe9t\xe9 \xc0\xaf \xe0\x80\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82"),
            "\\xe9t\\xe9 \\xc0\\xaf \\xe0\\x80\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xe2\\x82");
}

TEST(Printable, IsEveryNameInATrace) {
  const std::string odd = "a\x1b[31m\n", shown = "a\\x1b[31m\\x0a";
  TraceBuilder builder;
  const RegionId region = builder.region({.name = odd, .file = odd});
  const CommId comm = builder.communicator({.name = odd, .members = {Rank{0}}});
  const Location here = builder.location({.rank = Rank{0}, .name = odd, .node = odd});
  builder.enter(here, at(0), region);
  builder.leave(here, at(1), region);
  builder.facts() = {.program = odd, .mpi = odd, .creator = odd, .properties = {{"key", odd}}};
  builder.anomalies().add("odd", Gravity::Info, odd);
  const Trace trace = builder.build();
  for (const std::string& name :
       {trace.region(region).name, trace.region(region).file, trace.communicator(comm).name,
        trace.locations()[0].name, trace.locations()[0].node, trace.facts().program, trace.facts().mpi,
        trace.facts().creator, trace.facts().properties.at("key"), trace.anomalies().all()[0].text})
    EXPECT_EQ(name, shown);
}

}  // namespace
}  // namespace waitdiag
