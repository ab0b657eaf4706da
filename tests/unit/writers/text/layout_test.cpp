// Wrapping and shortening count characters, not bytes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/layout.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

constexpr TextStyle kAscii{.width = 80, .utf8 = false, .colour = false};
constexpr TextStyle kUtf8{.width = 80, .utf8 = true, .colour = false};

TEST(DisplayWidth, CountsCharacters) {
  EXPECT_EQ(display_width("solver"), 6U);
  EXPECT_EQ(display_width("Löser·"), 6U);
}

TEST(Shorten, KeepsTheTellingEnd) {
  EXPECT_EQ(shorten_end("assemble_rhs", 20, kAscii), "assemble_rhs");
  EXPECT_EQ(shorten_end("assemble_rhs", 8, kAscii), "assemb..");
  EXPECT_EQ(shorten_end("Lösungsschritt", 5, kUtf8), "Lösu…");
  EXPECT_EQ(shorten_start("src/physics/rhs.f90:212", 13, kAscii), "..rhs.f90:212");
}

TEST(Wrap, BreaksAtSpacesAndIndentsEveryLine) {
  EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three");
  EXPECT_EQ(wrap("incomprehensibilities are long", 10, 0), "incomprehensibilities\nare long");
  EXPECT_EQ(wrap("", 10, 0), "");
  EXPECT_EQ(wrap("it waits 12 %, or 3 s.", 11, 0), "it waits\n12 %, or\n3 s.");
}

TEST(Paint, IsSilentWithoutColour) {
  EXPECT_EQ(kAscii.paint(Ink::Bad, "late"), "late");
  const TextStyle coloured{.width = 80, .utf8 = false, .colour = true};
  EXPECT_EQ(coloured.paint(Ink::Bad, "late"), "\x1b[31mlate\x1b[0m");
  EXPECT_EQ(coloured.paint(Ink::Plain, "late"), "late");
}

}  // namespace
}  // namespace waitdiag
