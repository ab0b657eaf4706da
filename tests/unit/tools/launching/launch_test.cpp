// How a launch line is changed, and what it shows about the program.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/waitdiag/launching/launcher_fit.hpp"

namespace waitdiag::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

const Settings kSettings{{"LD_PRELOAD", "/lib/libwaitprof.so"}, {"WAITPROF_DIR", "/tmp/a b"}};

TEST(PlanLaunch, GivesTheSettingsToTheRanksAloneUnderHydra) {
  const Launch launch =
      plan_launch({"mpirun", "-n", "4", "./app", "[1,2]", "", "--"}, kSettings, Launcher::Hydra);
  EXPECT_THAT(launch.arguments,
              ElementsAre("mpirun", "-genv", "LD_PRELOAD", "/lib/libwaitprof.so", "-genv", "WAITPROF_DIR",
                          "/tmp/a b", "-n", "4", "./app", "[1,2]", "", "--"));
  EXPECT_THAT(launch.environment, IsEmpty());
}

TEST(PlanLaunch, LeavesOtherLaunchLinesAlone) {
  const Launch launch = plan_launch({"srun", "./app"}, kSettings, Launcher::Other);
  EXPECT_THAT(launch.arguments, ElementsAre("srun", "./app"));
  EXPECT_EQ(launch.environment, kSettings);
}

TEST(PlanLaunch, GivesTheSettingsToEachProgramUnderOpenMpi) {
  const Launch launch = plan_launch({"mpirun", "-n", "1", "./a", ":", "-n", "1", "./b"},
                                    {{"LD_PRELOAD", "/w.so"}}, Launcher::OpenMpi);
  EXPECT_THAT(launch.arguments, ElementsAre("mpirun", "-x", "LD_PRELOAD=/w.so", "-n", "1", "./a", ":", "-x",
                                            "LD_PRELOAD=/w.so", "-n", "1", "./b"));
  EXPECT_THAT(launch.environment, IsEmpty());
}

TEST(LauncherOf, LooksIntoTheFileOfACommonName) {
  EXPECT_EQ(launcher_of("/usr/bin/mpiexec.hydra", ""), Launcher::Hydra);
  EXPECT_EQ(launcher_of("/opt/intel/bin/mpirun", "#!/bin/sh\nexec mpiexec.hydra \"$@\"\n"), Launcher::Hydra);
  EXPECT_EQ(launcher_of("/opt/mpich/bin/mpiexec", "...HYDRA_HOST_FILE..."), Launcher::Hydra);
  EXPECT_EQ(launcher_of("/usr/bin/orterun", "hydra"), Launcher::OpenMpi);
  EXPECT_EQ(launcher_of("/opt/openmpi5/bin/mpirun", "prterun"), Launcher::OpenMpi);
  EXPECT_EQ(launcher_of("/usr/bin/srun", "hydra"), Launcher::Other);
  EXPECT_EQ(launcher_of("/usr/bin/solver", "hydra"), Launcher::None);
  EXPECT_EQ(launcher_of({"/bin/ls", "-l"}), Launcher::None);
}

TEST(LauncherFit, NamesTheLauncherOfTheProgramsMpi) {
  const ProgramProbe mpich{.elf = true, .dynamic = true, .libraries = {"libc.so.6", "libmpich.so.12"}};
  const ProgramProbe open_mpi{.elf = true, .dynamic = true, .libraries = {"libmpi_mpifh.so.40"}};
  const ProgramProbe neither{.elf = true, .dynamic = true, .libraries = {"libc.so.6"}};
  EXPECT_EQ(why_ranks_are_alone(Launcher::Hydra, "./app", mpich), "");
  EXPECT_EQ(why_ranks_are_alone(Launcher::OpenMpi, "./app", open_mpi), "");
  EXPECT_EQ(why_ranks_are_alone(Launcher::Other, "./app", mpich), "");
  EXPECT_EQ(why_ranks_are_alone(Launcher::Hydra, "./app", neither), "");
  EXPECT_THAT(
      why_ranks_are_alone(Launcher::OpenMpi, "./app", mpich),
      MatchesRegex("./app is linked with MPICH \\(libmpich.so.12\\), but its launcher is Open MPI's, so each "
                   "process is a job of one rank; start it with .*(mpi|hydra).*"));
  EXPECT_THAT(why_ranks_are_alone(Launcher::Hydra, "./app", open_mpi),
              MatchesRegex("./app is linked with Open MPI .*, but its launcher is MPICH's, .*"));
  EXPECT_EQ(hint_at_launcher(Launcher::None, "./app", neither), "");
  EXPECT_EQ(hint_at_launcher(Launcher::Hydra, "./app", mpich), "");
  EXPECT_THAT(hint_at_launcher(Launcher::None, "./app", mpich),
              MatchesRegex("./app was started without a launcher, .* for more ranks: .* -n 4 ..."));
}

TEST(WithPreloaded, AppendsOnceButComesBeforeMpiTools) {
  const auto is_tool = [](const std::string& name) { return name.starts_with("/tool"); };
  EXPECT_EQ(with_preloaded("", "/w.so", is_tool), "/w.so");
  EXPECT_EQ(with_preloaded("/a.so", "/w.so", is_tool), "/a.so:/w.so");
  EXPECT_EQ(with_preloaded("/a.so /w.so:/b.so", "/w.so", is_tool), "/a.so /w.so:/b.so");
  EXPECT_EQ(with_preloaded("/a.so /tool1.so:/b.so:/tool2.so", "/w.so", is_tool),
            "/a.so /w.so:/tool1.so:/b.so:/tool2.so");
}

TEST(RunName, FindsProgramAndRanksAfterTheLauncher) {
  EXPECT_EQ(run_name({"mpirun", "-n", "4", "/bin/ls", "-l"}), "ls-4p");
  EXPECT_EQ(run_name({"timeout", "60", "mpirun", "-np", "2", "/bin/ls"}), "ls-2p");
  EXPECT_EQ(run_name({"mpirun.openmpi", "-n", "2", "/bin/ls"}), "ls-2p");
  EXPECT_EQ(run_name({"/bin/ls", "/bin/cat"}), "ls");
  EXPECT_EQ(run_name({"mpirun", "-f", "hosts", "no-such-program"}), "mpirun");
}

}  // namespace
}  // namespace waitdiag::tool
