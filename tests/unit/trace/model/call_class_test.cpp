// Classes of MPI functions: how a call is counted, drawn and filtered.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/call_class.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {
namespace {

CallClass class_of(const std::string& name) {
  Region region{.name = name};
  classify_region(region);
  return call_class(region);
}

TEST(CallClass, FollowsTheFunctionNotTheBeginningOfItsName) {
  const std::pair<const char*, CallClass> expected[] = {
      {"MPI_Get", CallClass::Access},
      {"MPI_Get_accumulate", CallClass::Access},
      {"MPI_Compare_and_swap", CallClass::Access},
      {"MPI_Get_processor_name", CallClass::Other},
      {"MPI_Get_count", CallClass::Other},
      {"MPI_Win_unlock", CallClass::Access},
      {"MPI_Win_fence", CallClass::Window},
      {"MPI_File_get_size", CallClass::File},
      {"MPI_Parrived", CallClass::Poll},
      {"MPI_Psend_init", CallClass::PersistentInit},
      {"MPI_Comm_idup", CallClass::Communicator},
      {"MPI_Neighbor_alltoallw", CallClass::Neighbours},
  };
  for (const auto& [name, call_class] : expected) EXPECT_EQ(class_of(name), call_class) << name;
}

TEST(CallClass, OfEveryFormOfACollectiveIsTheSame) {
  for (const char* name : {"MPI_Allreduce", "MPI_Allreduce_c", "MPI_Iallreduce", "MPI_Allreduce_init",
                           "MPI_Allreduce_init_c", "PMPI_Iallreduce_c"})
    EXPECT_EQ(class_of(name), CallClass::AllToAll) << name;
}

TEST(CallClass, OfAVendorsFunctionIsThatOfItsKind) {
  EXPECT_EQ(call_class({.name = "MPIX_Fast_barrier", .kind = CallKind::Barrier}), CallClass::Barrier);
  EXPECT_EQ(call_class({.name = "MPIX_Query_ulfm", .kind = CallKind::OtherMpi}), CallClass::Other);
}

TEST(CallClass, ColumnsHaveEachWordOnce) {
  const CallClassColumn counted(&waitprof::schema::CallClassNames::counted);
  EXPECT_EQ(counted.words().front(), "sends");
  EXPECT_EQ(counted.words().back(), "others");
  EXPECT_EQ(counted.of(CallClass::Neighbours), counted.of(CallClass::Barrier));
}

}  // namespace
}  // namespace waitdiag
