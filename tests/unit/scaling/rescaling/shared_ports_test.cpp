// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/shared_ports.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

MachineLevel level(const char* name, std::uint32_t units, Sharing sharing) {
  return {.name = name, .units = units, .sharing = sharing};
}

TEST(SharedPorts, ABackplaneHasAllNodes) {
  Machine machine;
  machine.levels = {level("backplane", 0, Sharing::Bus), level("node", 1, Sharing::Duplex)};
  EXPECT_EQ(more_on_a_port(machine, 32, 128), 2);
  machine.levels[0].sharing = Sharing::Duplex;
  EXPECT_EQ(more_on_a_port(machine, 32, 128), 0);
}

TEST(SharedPorts, ABusOfACrowdedNodeIsAsCrowdedInALargerRun) {
  Machine machine;
  machine.levels = {level("node", 0, Sharing::Duplex), level("core", 8, Sharing::Bus)};
  EXPECT_EQ(more_on_a_port(machine, 32, 128), 0);
  EXPECT_EQ(more_on_a_port(machine, 4, 128), 1);
}

TEST(SharedPorts, NodesHaveSeveralRanks) {
  Machine machine;
  machine.levels = {level("node", 0, Sharing::Bus), level("core", 8, Sharing::Duplex)};
  EXPECT_EQ(more_on_a_port(machine, 8, 32), 2);
  machine.ranks_per_node = 4;
  EXPECT_EQ(more_on_a_port(machine, 4, 32), 3);
}

}  // namespace
}  // namespace waitdiag
