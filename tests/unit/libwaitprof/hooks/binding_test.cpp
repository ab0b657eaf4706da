// Where a process may run: masks of processors against a description of a node with two chips of two cores
// with two hardware threads each.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/binding.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "libwaitprof/presence/metrics.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof {
namespace {

namespace fs = std::filesystem;

class BindingTest : public testing::Test {
 protected:
  BindingTest() {
    for (int processor = 0; processor < 8; ++processor) {
      const fs::path topology = node_.path() / ("cpu" + std::to_string(processor)) / "topology";
      fs::create_directories(topology);
      std::ofstream(topology / "physical_package_id") << processor / 4 << '\n';
      std::ofstream(topology / "core_id") << processor / 2 % 2 << '\n';
    }
  }

  Binding bound_to(std::uint64_t processors) const {
    return binding_of({&processors, 1}, node_.path().c_str());
  }

  const TemporaryDirectory node_;
};

TEST_F(BindingTest, OneProcessorIsOnACore) {
  EXPECT_EQ(bound_to(0b0000'0001), (Binding{0, 0}));
  EXPECT_EQ(bound_to(0b0100'0000), (Binding{1, 1}));
}

TEST_F(BindingTest, HardwareThreadsOfACoreAreThatCore) {
  EXPECT_EQ(bound_to(0b0000'1100), (Binding{0, 1}));
}

TEST_F(BindingTest, CoresOfAPackageAreThatPackage) {
  EXPECT_EQ(bound_to(0b1111'0000), (Binding{1, Binding::kNone}));
}

TEST_F(BindingTest, CoresWithOneNumberInTwoPackagesAreNoBinding) {
  EXPECT_EQ(bound_to(0b0001'0001), Binding{});
}

TEST_F(BindingTest, WhatIsNotDescribedIsNoBinding) {
  EXPECT_EQ(bound_to(0), Binding{});
  EXPECT_EQ(bound_to(std::uint64_t{1} << 40), Binding{});
}

TEST(Usage, IsOfThisProcess) {
  const UsageData before = current_usage();
  volatile double sum = 0;
  for (int i = 0; i < 2'000'000; ++i) sum = sum + i;
  errno = 77;
  const UsageData after = current_usage();
  EXPECT_EQ(errno, 77);
  EXPECT_GT(after.processor_time, before.processor_time);
  EXPECT_GT(after.resident, std::uint64_t{1} << 20);
  EXPECT_LT(after.resident, std::uint64_t{1} << 40);
  EXPECT_GE(after.runnable, 1u);
}

}  // namespace
}  // namespace waitprof
