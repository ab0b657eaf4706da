// How a launch line is changed, and what it tells about the program.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waitdiag::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Settings kSettings{{"LD_PRELOAD", "/lib/libwaitprof.so"}, {"WAITPROF_DIR", "/tmp/a b"}};

TEST(PlanLaunch, GivesTheSettingsToTheRanksAloneUnderHydra) {
  const Launch launch = plan_launch({"mpirun", "-n", "4", "./app", "[1,2]", "", "--"}, kSettings, true);
  EXPECT_THAT(launch.arguments,
              ElementsAre("mpirun", "-genv", "LD_PRELOAD", "/lib/libwaitprof.so", "-genv", "WAITPROF_DIR",
                          "/tmp/a b", "-n", "4", "./app", "[1,2]", "", "--"));
  EXPECT_THAT(launch.environment, IsEmpty());
}

TEST(PlanLaunch, LeavesOtherLaunchLinesAlone) {
  const Launch launch = plan_launch({"srun", "./app"}, kSettings, false);
  EXPECT_THAT(launch.arguments, ElementsAre("srun", "./app"));
  EXPECT_EQ(launch.environment, kSettings);
}

TEST(IsHydra, LooksIntoTheFileBehindACommonName) {
  EXPECT_TRUE(is_hydra("/usr/bin/mpiexec.hydra", ""));
  EXPECT_TRUE(is_hydra("/opt/intel/bin/mpirun", "#!/bin/sh\nexec mpiexec.hydra \"$@\"\n"));
  EXPECT_TRUE(is_hydra("/opt/mpich/bin/mpiexec", "...HYDRA_HOST_FILE..."));
  EXPECT_FALSE(is_hydra("/usr/bin/orterun", "hydra"));
  EXPECT_FALSE(is_hydra("/opt/openmpi5/bin/mpirun", "prterun"));
  EXPECT_FALSE(is_hydra("/usr/bin/srun", "hydra"));
}

TEST(WithPreloaded, AppendsOnceButComesBeforeMpiTools) {
  const auto is_tool = [](const std::string& name) { return name.starts_with("/tool"); };
  EXPECT_EQ(with_preloaded("", "/w.so", is_tool), "/w.so");
  EXPECT_EQ(with_preloaded("/a.so", "/w.so", is_tool), "/a.so:/w.so");
  EXPECT_EQ(with_preloaded("/a.so /w.so:/b.so", "/w.so", is_tool), "/a.so /w.so:/b.so");
  EXPECT_EQ(with_preloaded("/a.so /tool1.so:/b.so:/tool2.so", "/w.so", is_tool),
            "/a.so /w.so:/tool1.so:/b.so:/tool2.so");
}

TEST(RunName, FindsProgramAndRanksBehindTheLauncher) {
  EXPECT_EQ(run_name({"mpirun", "-n", "4", "/bin/ls", "-l"}), "ls-4p");
  EXPECT_EQ(run_name({"timeout", "60", "mpirun", "-np", "2", "/bin/ls"}), "ls-2p");
  EXPECT_EQ(run_name({"mpirun.openmpi", "-n", "2", "/bin/ls"}), "ls-2p");
  EXPECT_EQ(run_name({"/bin/ls", "/bin/cat"}), "ls");
  EXPECT_EQ(run_name({"mpirun", "-f", "hosts", "no-such-program"}), "mpirun");
}

}  // namespace
}  // namespace waitdiag::tool
