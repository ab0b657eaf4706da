// Settings: good values are taken, bad ones refused, and for unknown names the probable one is suggested.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/settings.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "libwaitprof/settings/function_filter.hpp"

namespace waitprof {
namespace {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() { settings = Settings{}; }
  ~SettingsTest() override {
    unsetenv(name_.c_str());
    settings = Settings{};
  }

  // The message if the environment has this variable.
  std::string read_with(const char* name, const char* value, bool speak = true) {
    name_ = name;
    setenv(name, value, 1);
    testing::internal::CaptureStderr();
    read_settings(speak);
    return testing::internal::GetCapturedStderr();
  }

 private:
  std::string name_;
};

TEST_F(SettingsTest, GoodValuesAreTakenSilently) {
  EXPECT_EQ(read_with("WAITPROF_SAMPLING", "wall"), "");
  EXPECT_EQ(settings.sampling, SamplingMode::Wall);
}

TEST_F(SettingsTest, NumbersHaveLimits) {
  EXPECT_EQ(read_with("WAITPROF_SAMPLING_HZ", "10001"),
            "libwaitprof: WAITPROF_SAMPLING_HZ=10001 ignored: expected 1..10000; using 100.\n");
  EXPECT_EQ(settings.sampling_hz, 100);
  EXPECT_EQ(read_with("WAITPROF_SAMPLING_HZ", "10000"), "");
  EXPECT_EQ(settings.sampling_hz, 10'000);
  EXPECT_NE(read_with("WAITPROF_SAMPLING_HZ", "100x"), "");
  EXPECT_NE(read_with("WAITPROF_SAMPLING_HZ", ""), "");
}

TEST_F(SettingsTest, StepsAreARange) {
  EXPECT_EQ(read_with("WAITPROF_STEPS", "10..20"), "");
  EXPECT_TRUE(settings.steps.selected);
  EXPECT_EQ(settings.steps.first, 10u);
  EXPECT_EQ(settings.steps.last, 20u);
  EXPECT_EQ(read_with("WAITPROF_STEPS", "7.."), "");
  EXPECT_EQ(settings.steps.first, 7u);
  EXPECT_EQ(settings.steps.last, UINT64_MAX);
  for (const char* bad : {"", "7", "20..10", "..3", "-1..3", "1..3x", "1..-3"}) {
    EXPECT_NE(read_with("WAITPROF_STEPS", bad), "") << bad;
  }
  EXPECT_EQ(settings.steps.first, 7u);
}

TEST_F(SettingsTest, TheProblemIsNamesAndNumbers) {
  EXPECT_EQ(read_with("WAITPROF_PROBLEM", "n=256,steps=1e3"), "");
  EXPECT_STREQ(settings.problem, "n=256,steps=1e3");
  for (const char* bad : {"n", "n=", "=3", "n=x", "n=-1", "n=0", "a,b=2", "n=1;m=2"})
    EXPECT_NE(read_with("WAITPROF_PROBLEM", bad), "") << bad;
}

TEST_F(SettingsTest, RanksAreListedOneByOneAndAsRanges) {
  EXPECT_TRUE(settings.sampling_ranks.has(12345));
  EXPECT_EQ(read_with("WAITPROF_SAMPLING_RANKS", "0,4..7"), "");
  std::vector<int> chosen;
  for (int rank = 0; rank < 10; ++rank) {
    if (settings.sampling_ranks.has(rank)) chosen.push_back(rank);
  }
  EXPECT_THAT(chosen, testing::ElementsAre(0, 4, 5, 6, 7));
  for (const char* bad : {"", "0,", ",0", "7..4", "..3", "4..", "-1", "all", "1;2", "99999999999"}) {
    EXPECT_NE(read_with("WAITPROF_SAMPLING_RANKS", bad), "") << bad;
  }
  EXPECT_FALSE(settings.sampling_ranks.has(1));
}

TEST_F(SettingsTest, FunctionFilterIsTaken) {
  EXPECT_EQ(read_with("WAITPROF_FILTER_FUNCTIONS", "get_*"), "");
  EXPECT_TRUE(is_filtered_name("get_it"));
  EXPECT_THAT(
      read_with("WAITPROF_FILTER_FUNCTIONS", "@nonexistent"),
      testing::StartsWith("libwaitprof: WAITPROF_FILTER_FUNCTIONS=@nonexistent ignored: the file cannot be "
                          "read (No such file or directory); using none."));
  EXPECT_FALSE(is_filtered_name("get_it"));
}

TEST_F(SettingsTest, OneWrongGroupIsNamedAndTheOthersAreTaken) {
  EXPECT_EQ(
      read_with("WAITPROF_FILTER_MPI", "p2p,foo"),
      "libwaitprof: WAITPROF_FILTER_MPI=p2p,foo: there is no group \"foo\", the rest is left out; groups are "
      "p2p, collective, rma, io, comm and other.\n");
  EXPECT_EQ(settings.mpi_filter, 1u);
  EXPECT_EQ(read_with("WAITPROF_FILTER_MPI", "foo"),
            "libwaitprof: WAITPROF_FILTER_MPI=foo ignored: expected p2p,collective,rma,io,comm,other; using "
            "none.\n");
}

TEST_F(SettingsTest, UnknownVariableIsNamedWithItsNeighbour) {
  EXPECT_EQ(read_with("WAITPROF_SAMPLE_HZ", "10"),
            "libwaitprof: unknown setting WAITPROF_SAMPLE_HZ ignored; did you mean WAITPROF_SAMPLING_HZ?\n");
}

TEST_F(SettingsTest, OnlyOneRankSpeaks) {
  EXPECT_EQ(read_with("WAITPROF_DIRR", "x", false), "");
}

TEST_F(SettingsTest, DirectoryIsCopied) {
  read_with("WAITPROF_DIR", "/tmp/some where");
  EXPECT_STREQ(settings.directory, "/tmp/some where");
}

TEST_F(SettingsTest, TooLongDirectoryIsRefused) {
  EXPECT_NE(read_with("WAITPROF_DIR", std::string(5000, 'x').c_str()), "");
  EXPECT_STREQ(settings.directory, "");
}

}  // namespace
}  // namespace waitprof
