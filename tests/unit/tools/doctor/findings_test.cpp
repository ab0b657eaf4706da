// What doctor says about a machine, a launcher and a program, given the facts about them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tools/waitdiag/doctor/machine_findings.hpp"
#include "tools/waitdiag/doctor/program_findings.hpp"

namespace waitdiag::tool {
namespace {

using ::testing::HasSubstr;

// The first finding about a subject, or nullptr.
const Finding* about(const Findings& findings, const std::string& subject) {
  for (const Finding& finding : findings)
    if (finding.subject == subject) return &finding;
  return nullptr;
}

Grade mpi_grade(const ProgramProbe& probe) {
  const Findings findings = program_findings("./app", probe);
  return about(findings, "MPI")->grade;
}

TEST(ClockFinding, IsFineOnlyWithTheCounterOfTheProcessor) {
  EXPECT_EQ(clock_finding("tsc", 20).grade, Grade::Ok);
  EXPECT_EQ(clock_finding("hpet", 900).grade, Grade::Note);
  EXPECT_THAT(clock_finding("hpet", 900).text, HasSubstr("hpet (900 ns a reading)"));
}

TEST(BackendsFinding, NamesTheMpisThatAreRecorded) {
  const InstalledBackend mpich{"libwaitprof-mpich.so", "MPICH 4.0.2", "1.0.0"};
  const InstalledBackend older{"libwaitprof-openmpi.so", "Open MPI 4.1.4", "0.9.0"};
  EXPECT_EQ(backends_finding({mpich}, "lib/waitprof", "1.0.0").grade, Grade::Ok);
  EXPECT_THAT(backends_finding({mpich}, "lib/waitprof", "1.0.0").text, HasSubstr("MPICH 4.0.2"));
  EXPECT_EQ(backends_finding({mpich, older}, "lib/waitprof", "1.0.0").grade, Grade::Note);
  EXPECT_THAT(backends_finding({mpich, older}, "lib/waitprof", "1.0.0").text,
              HasSubstr("MPICH 4.0.2; libwaitprof-openmpi.so of another build"));
  EXPECT_EQ(backends_finding({older}, "lib/waitprof", "1.0.0").grade, Grade::Problem);
  EXPECT_EQ(backends_finding({}, "lib/waitprof", "1.0.0").grade, Grade::Problem);
}

TEST(PresenceFinding, SaysWhatWouldLetTheKernelTell) {
  EXPECT_EQ(presence_finding(0, "2").grade, Grade::Ok);
  EXPECT_THAT(presence_finding(EACCES, "3").text, HasSubstr("kernel.perf_event_paranoid=2 instead of 3"));
  EXPECT_THAT(presence_finding(EPERM, "2").text, HasSubstr("seccomp"));
  EXPECT_THAT(presence_finding(ENOMEM, "2").text, HasSubstr("perf_event_mlock_kb"));
  EXPECT_THAT(presence_finding(ENOENT, "").text, HasSubstr("CONFIG_PERF_EVENTS"));
}

TEST(ProcessorsFinding, SaysWhenRanksTakeTurns) {
  EXPECT_EQ(processors_finding(2, 2).grade, Grade::Ok);
  EXPECT_EQ(processors_finding(3, 2).grade, Grade::Note);
}

TEST(LauncherFinding, KnowsHydraOpenMpiAndSlurm) {
  EXPECT_EQ(launcher_finding({"mpirun", "./app"}, Launcher::OpenMpi, "").grade, Grade::Ok);
  EXPECT_EQ(launcher_finding({"nice", "mpirun", "./app"}, Launcher::OpenMpi, "").grade, Grade::Note);
  EXPECT_EQ(launcher_finding({"mpirun", "./app"}, Launcher::Hydra, "").grade, Grade::Ok);
  EXPECT_EQ(launcher_finding({"srun", "./app"}, Launcher::Other, "").grade, Grade::Ok);
  EXPECT_EQ(launcher_finding({"srun", "--export=ALL,A=1", "./app"}, Launcher::Other, "NONE").grade,
            Grade::Ok);
  EXPECT_EQ(launcher_finding({"srun", "--export=NONE", "./app"}, Launcher::Other, "").grade, Grade::Note);
  EXPECT_EQ(launcher_finding({"srun", "./app"}, Launcher::Other, "PATH").grade, Grade::Note);
  EXPECT_EQ(launcher_finding({"flux", "run", "./app"}, Launcher::Other, "").grade, Grade::Note);
}

TEST(ProgramFindings, TellReachableProgramsFromOthers) {
  ProgramProbe probe{.elf = true, .dynamic = true, .libraries = {"libmpich.so.12"}};
  EXPECT_EQ(mpi_grade(probe), Grade::Ok);
  probe.privileged = true;
  EXPECT_EQ(mpi_grade(probe), Grade::Problem);
  EXPECT_EQ(mpi_grade({.elf = true, .dynamic = false}), Grade::Problem);
  EXPECT_EQ(mpi_grade({.elf = true, .dynamic = true, .holds_mpi = true}), Grade::Problem);
  EXPECT_EQ(mpi_grade({.elf = true, .dynamic = true, .libraries = {"libmpi_abi.so.0"}}), Grade::Problem);
  EXPECT_EQ(mpi_grade({.elf = true, .dynamic = true, .libraries = {"libc.so.6"}}), Grade::Note);
}

TEST(LauncherFindings, TellAForeignLauncherAndNone) {
  const ProgramProbe mpich{.elf = true, .dynamic = true, .libraries = {"libmpich.so.12"}};
  EXPECT_EQ(launcher_findings(Launcher::OpenMpi, "./app", mpich).front().grade, Grade::Problem);
  EXPECT_EQ(launcher_findings(Launcher::None, "./app", mpich).front().grade, Grade::Note);
  EXPECT_TRUE(launcher_findings(Launcher::Hydra, "./app", mpich).empty());
}

TEST(ProgramFindings, NameBindingsSymbolsAndOtherTools) {
  const Findings findings = program_findings("./app", {.elf = true,
                                                       .dynamic = true,
                                                       .libraries = {"libmpich.so.12", "libmpiP.so"},
                                                       .symbols = true,
                                                       .calls_c = true,
                                                       .calls_f08 = true,
                                                       .defines = {"MPI_Init", "MPI_Send"}});
  EXPECT_EQ(about(findings, "MPI")->text, "libmpich.so.12, called from C, Fortran (use mpi_f08)");
  EXPECT_THAT(about(findings, "symbols")->text, HasSubstr("compile with -g"));
  EXPECT_THAT(about(findings, "MPI tools")->text, HasSubstr("libmpiP.so"));
  EXPECT_EQ(findings.back().grade, Grade::Problem);  // MPI_Init itself does not reach the recorder
  EXPECT_THAT(findings.back().text, HasSubstr("MPI_Init and 1 more"));
}

}  // namespace
}  // namespace waitdiag::tool
