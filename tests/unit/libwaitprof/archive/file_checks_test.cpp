// The checksums of an archive's files, as text and back.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/schema/file_checks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace waitprof::schema {
namespace {

std::uint32_t crc_of(const std::string& text) {
  Crc32 crc;
  crc.add(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return crc.value();
}

TEST(FileChecks, TheCrcIsThatOfGzip) {
  EXPECT_EQ(crc_of("123456789"), 0xcbf43926);
  EXPECT_EQ(crc_of("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
}

TEST(FileChecks, TheCrcIsTheSameByTablesAndByProducts) {
  if (!detail::has_products()) {
    GTEST_SKIP() << "this processor does not multiply polynomials";
  }
  std::mt19937 random(1);
  std::vector<unsigned char> bytes(3000);
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(random());
  }
  for (std::size_t size = detail::kFewestForProducts; size < bytes.size() - 16; ++size) {
    const std::uint32_t before = static_cast<std::uint32_t>(random());
    const unsigned char* const begin = bytes.data() + size % 16;
    ASSERT_EQ(detail::crc_by_products(before, begin, size), detail::crc_by_tables(before, begin, size))
        << size;
  }
}

TEST(FileChecks, AreReadAsTheyWereWritten) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "traces");
  std::ofstream(directory.path() / "traces/4294967299.evt") << "123456789";
  const std::string text = location_checks(directory.path().string(), 4294967299);
  const char* rest = text.c_str();
  LocationChecks checks;
  ASSERT_TRUE(take_location_checks(rest, checks));
  EXPECT_EQ(checks.location, 4294967299U);
  EXPECT_EQ(checks.events, (FileCheck{9, 0xcbf43926}));
  EXPECT_EQ(checks.definitions, FileCheck{});
  EXPECT_FALSE(take_location_checks(rest, checks));
}

TEST(FileChecks, PropertiesHoldWholeEntries) {
  std::string all;
  for (std::uint64_t location = 0; location < 2000; ++location) {
    all += detail::checks_entry(location, {location, 1}, {location, 2});
  }
  std::vector<std::string> names;
  std::uint64_t expected = 0;
  for_each_checks_property(all, [&](const std::string& name, const std::string& value) {
    names.push_back(name);
    EXPECT_LE(value.size(), 16U * 1024);
    LocationChecks checks;
    for (const char* text = value.c_str(); take_location_checks(text, checks); ++expected) {
      EXPECT_EQ(checks.location, expected);
    }
  });
  EXPECT_EQ(expected, 2000U);
  EXPECT_GT(names.size(), 1U);
  EXPECT_EQ(names.front(), "WAITPROF::FILE_CHECKS_0");
}

}  // namespace
}  // namespace waitprof::schema
