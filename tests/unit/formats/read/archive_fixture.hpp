// Reads archives that a test wrote.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "analyzer/formats/read/read.hpp"
#include "tests/support/generated/archive_writer.hpp"

namespace waitdiag {

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory = std::filesystem::path(::testing::TempDir()) /
                ("archive_" + std::to_string(::getpid()) + test->name());
    std::filesystem::remove_all(directory);
  }
  ~ArchiveTest() override { std::filesystem::remove_all(directory); }

  static const Timeline& of_rank(const Trace& trace, int rank) {
    return trace.timeline(trace.main_location(Rank{rank}));
  }
  static std::string anomaly(const Trace& trace, std::string_view id) {
    for (const Anomaly& found : trace.anomalies().all()) {
      if (found.id == id) return found.text;
    }
    return "";
  }
  // One barrier on every rank.
  static void barrier(fixtures::ArchiveWriter& archive, std::uint32_t rank, std::uint64_t enter,
                      std::uint64_t leave) {
    const OTF2_RegionRef region = archive.mpi("MPI_Barrier");
    archive.enter(rank, enter, region);
    OTF2_EvtWriter_MpiCollectiveBegin(archive.events(rank), nullptr, enter);
    OTF2_EvtWriter_MpiCollectiveEnd(archive.events(rank), nullptr, leave, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    archive.leave(rank, leave, region);
  }

  std::filesystem::path directory;
};

}  // namespace waitdiag
