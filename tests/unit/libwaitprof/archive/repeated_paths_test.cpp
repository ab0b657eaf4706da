// Call paths that are left out because calls repeat: the reader finds the same as were written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/schema/repeated_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace waitprof::schema {
namespace {

constexpr std::uint32_t kNone = 0;

struct Enter {
  std::optional<std::uint32_t> path;  // as its attribute; nullopt: it has none
  std::uint32_t repeat = 0;
};

// As LocationWriter does.
Enter write(PathsToWrite& paths, std::uint32_t path) {
  Enter enter;
  if (!paths.is_next(path)) {
    enter = {path, paths.repetition(path)};
  }
  paths.add(path);
  if (enter.repeat != 0) {
    paths.repeat_from(enter.repeat);
  }
  return enter;
}

std::vector<Enter> write_all(PathsToWrite& paths, const std::vector<std::uint32_t>& calls) {
  std::vector<Enter> written;
  for (const std::uint32_t path : calls) {
    written.push_back(write(paths, path));
  }
  return written;
}

std::vector<std::uint32_t> read_all(const std::vector<Enter>& written, std::uint32_t merged = UINT32_MAX) {
  RepeatedPaths<std::uint32_t, kNone> paths;
  std::vector<std::uint32_t> read;
  for (const Enter& enter : written) {
    const std::uint32_t path = std::min(enter.path.value_or(paths.next()), merged);
    paths.add(path);
    if (enter.repeat != 0) {
      paths.repeat_from(enter.repeat);
    }
    read.push_back(path);
  }
  return read;
}

std::size_t paths_in(const std::vector<Enter>& written) {
  return static_cast<std::size_t>(
      std::ranges::count_if(written, [](const Enter& e) { return e.path.has_value(); }));
}

std::vector<std::uint32_t> steps(std::uint32_t count, const std::vector<std::uint32_t>& step) {
  std::vector<std::uint32_t> calls;
  for (std::uint32_t i = 0; i < count; ++i) {
    calls.insert(calls.end(), step.begin(), step.end());
  }
  return calls;
}

// A loop of loops whose bodies and lengths change now and then, some calls without a path.
std::vector<std::uint32_t> random_program(std::mt19937& random) {
  std::vector<std::uint32_t> calls;
  const auto below = [&random](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  while (calls.size() < 5000) {
    std::vector<std::uint32_t> body(1 + below(below(8) == 0 ? 1200 : 12));
    for (std::uint32_t& path : body) {
      path = below(below(2) == 0 ? 3 : 5000);
    }
    const auto loop = steps(1 + below(9), body);
    const std::uint32_t times = 1 + below(4);
    for (std::uint32_t i = 0; i < times; ++i) {
      calls.insert(calls.end(), loop.begin(), loop.end());
      calls.resize(calls.size() + below(2), below(3));
    }
  }
  return calls;
}

TEST(RepeatedPathsTest, ALoopIsWrittenAFewTimesOnly) {
  for (const std::vector<std::uint32_t>& step :
       {std::vector<std::uint32_t>{7}, {1, 2, 3, 4, 5}, {1, 1, 1, 1, 2}, {1, 2, 1, 3, 1, 2, 1, 4}}) {
    PathsToWrite paths;
    const auto calls = steps(100, step);
    const auto enters = write_all(paths, calls);
    EXPECT_EQ(read_all(enters), calls);
    EXPECT_LE(paths_in(enters), 4 * step.size()) << step.size();
  }
}

TEST(RepeatedPathsTest, WhatInterruptsALoopCostsOneRoundOfIt) {
  PathsToWrite paths;
  const std::vector<std::uint32_t> step = {1, 2, 3, 4, 5};
  write_all(paths, steps(10, step));
  EXPECT_EQ(paths_in(write_all(paths, {9})), 1U);
  EXPECT_LE(paths_in(write_all(paths, steps(50, step))), step.size());
}

TEST(RepeatedPathsTest, AnyOrderOfCallsIsReadAsItWasWritten) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto calls = random_program(random);
    PathsToWrite paths;
    EXPECT_EQ(read_all(write_all(paths, calls)), calls) << seed;
  }
}

// As after the mappings of an archive, where two ids of a process may be one.
TEST(RepeatedPathsTest, PathsThatBecomeOneLater) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    auto calls = random_program(random);
    PathsToWrite paths;
    const auto written = write_all(paths, calls);
    for (std::uint32_t& path : calls) {
      path = std::min(path, 2U);
    }
    EXPECT_EQ(read_all(written, 2), calls) << seed;
  }
}

// Recovery continues the file of a killed process without knowing what was in it.
TEST(RepeatedPathsTest, AFileThatAnotherWriterContinues) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto calls = random_program(random);
    const auto half = calls.begin() + static_cast<std::ptrdiff_t>(random() % calls.size());
    PathsToWrite first, second;
    auto written = write_all(first, {calls.begin(), half});
    second.forget();
    const auto rest = write_all(second, {half, calls.end()});
    written.insert(written.end(), rest.begin(), rest.end());
    EXPECT_EQ(read_all(written), calls) << seed;
  }
}

TEST(RepeatedPathsTest, ARepetitionThatCannotBeMeansNoPath) {
  RepeatedPaths<std::uint32_t, kNone> paths;
  paths.add(5);
  paths.repeat_from(UINT64_MAX);
  EXPECT_EQ(paths.next(), kNone);
  paths.repeat_from(900);  // before the first
  EXPECT_EQ(paths.next(), kNone);
  paths.repeat_from(1);
  EXPECT_EQ(paths.next(), 5U);
}

}  // namespace
}  // namespace waitprof::schema
