// Call paths that our recorder left out because they follow from the calls before.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "analyzer/read/read.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "tests/support/archive_writer.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
namespace schema = waitprof::schema;
using testing::ArchiveWriter;
using ::testing::ElementsAre;

TEST(ExpectedCallPaths, AreFilledIn) {
  const fs::path directory = fs::path(::testing::TempDir()) / "archive_of_expected_call_paths";
  fs::remove_all(directory);
  {
    ArchiveWriter archive(directory, 1);
    const OTF2_RegionRef main = archive.region("main", OTF2_PARADIGM_SAMPLING);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive.string(schema::kUnexpectedCallPathAttribute),
                                          archive.string(""), OTF2_TYPE_CALLING_CONTEXT);
      OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, main, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                               OTF2_UNDEFINED_CALLING_CONTEXT);
    });
    OTF2_AttributeList* attributes = OTF2_AttributeList_New();
    const auto call = [&](OTF2_TimeStamp time, const char* function,
                          std::optional<OTF2_CallingContextRef> path) {
      if (path) OTF2_AttributeList_AddCallingContextRef(attributes, 0, *path);
      archive.enter(0, time, archive.mpi(function), attributes);
      archive.leave(0, time + 5, archive.mpi(function));
    };
    call(10, "MPI_Probe", {});  // never had one
    call(20, "MPI_Barrier", 0);
    call(30, "MPI_Wait", 0);
    call(40, "MPI_Barrier", 0);
    call(50, "MPI_Wait", {});
    call(60, "MPI_Barrier", OTF2_UNDEFINED_CALLING_CONTEXT);
    call(70, "MPI_Wait", {});
    OTF2_AttributeList_Delete(attributes);
    archive.close();
  }
  const Trace trace = read_archive(directory);
  fs::remove_all(directory);
  const Timeline& timeline = trace.timeline(trace.main_location(Rank{0}));
  std::vector<std::string> names;
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    names.push_back(trace.call_path_name(timeline.call_path(op)));
  EXPECT_THAT(names, ElementsAre("MPI_Probe", "main/MPI_Barrier", "main/MPI_Wait", "main/MPI_Barrier",
                                 "main/MPI_Wait", "MPI_Barrier", "main/MPI_Wait"));
}

}  // namespace
}  // namespace waitdiag
