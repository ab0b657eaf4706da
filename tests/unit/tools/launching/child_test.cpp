// The end of a child is reported as a shell reports it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/child.hpp"

#include <gtest/gtest.h>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/launching/no_archive.hpp"

namespace waitdiag::tool {
namespace {

int status_of(const std::string& script) {
  return run_child({{"sh", "-c", script}, {{"WAITPROF_WORD", "heard"}}});
}

TEST(RunChild, ReturnsTheProgramsStatus) {
  EXPECT_EQ(status_of("exit 0"), 0);
  EXPECT_EQ(status_of("exit 42"), 42);
  EXPECT_EQ(status_of("kill -TERM $$"), 128 + 15);
  EXPECT_EQ(status_of("test \"$WAITPROF_WORD\" = heard"), 0);
}

TEST(RunChild, PassesOnSignalsSentToUs) {
  EXPECT_EQ(status_of("trap 'exit 7' USR1; kill -USR1 $PPID; sleep 5 & wait"), 7);
}

TEST(RunChild, SaysThatItCouldNotStart) {
  EXPECT_THROW(run_child({{"no-such-program"}, {}}), CannotStart);
}

TEST(WhyNoArchive, FindsTheLikeliestReason) {
  const ProgramProbe mpich{.elf = true, .dynamic = true, .libraries = {"libmpich.so.12", "libc.so.6"}};
  const ProgramProbe standard_abi{.elf = true, .dynamic = true, .libraries = {"libmpi_abi.so.0"}};
  const auto reason = [](const ProgramProbe& probe, int status = 0) {
    return why_no_archive("./app", probe, status);
  };
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  EXPECT_TRUE(has(reason(mpich), "never called MPI_Init"));
  EXPECT_TRUE(has(reason(mpich, 1), "before MPI_Init"));
  EXPECT_TRUE(has(reason(standard_abi), "cannot be recorded"));
  EXPECT_TRUE(has(reason({.elf = true}), "statically"));
  EXPECT_TRUE(has(reason({.elf = true, .dynamic = true, .privileged = true}), "setuid"));
  EXPECT_TRUE(has(reason({.elf = true, .dynamic = true}), "not linked with an MPI library"));
  EXPECT_TRUE(has(reason({}), "script"));
  EXPECT_TRUE(has(why_no_archive("", {}, 0), "the program was not found"));
  EXPECT_TRUE(has(why_no_archive("", {}, 0, "./ap"), "./ap was not found"));
}

TEST(ProbeProgram, KnowsMpiLibrariesByTheirNames) {
  const auto library = [](const char* name) { return mpi_library({.libraries = {"libm.so.6", name}}); };
  EXPECT_EQ(library("libmpich.so.12"), MpiLibrary::Mpich);
  EXPECT_EQ(library("libmpichfort.so.12"), MpiLibrary::Mpich);
  EXPECT_EQ(library("libmpi.so.12"), MpiLibrary::Mpich);
  EXPECT_EQ(library("libmpi_gnu_112.so.12"), MpiLibrary::Mpich);
  EXPECT_EQ(library("libmpi.so.40"), MpiLibrary::OpenMpi);
  EXPECT_EQ(library("libmpi_usempif08.so.40"), MpiLibrary::OpenMpi);
  EXPECT_EQ(library("libmpi_abi.so.0"), MpiLibrary::Other);
  EXPECT_EQ(library("libc.so.6"), MpiLibrary::None);
}

TEST(ProbeProgram, SeesLibraries) {
  const ProgramProbe probe = probe_program("/proc/self/exe");
  EXPECT_TRUE(probe.elf);
  EXPECT_TRUE(probe.dynamic);
  EXPECT_FALSE(probe.privileged);
  EXPECT_FALSE(probe.libraries.empty());
  EXPECT_FALSE(probe_program("/no/such/file").elf);
}

}  // namespace
}  // namespace waitdiag::tool
