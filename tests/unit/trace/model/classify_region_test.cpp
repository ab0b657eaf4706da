// What MPI functions do, by name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/trace/model/definitions.hpp"

namespace waitdiag {
namespace {

Region classified(const char* name) {
  Region region{.name = name};
  classify_region(region);
  return region;
}

TEST(ClassifyRegion, KnowsTheFamiliesThatWait) {
  const std::pair<const char*, CallKind> expected[] = {
      {"MPI_Send", CallKind::Send},
      {"MPI_Sendrecv_replace", CallKind::Sendrecv},
      {"MPI_Mrecv", CallKind::Recv},
      {"MPI_Startall", CallKind::Start},
      {"MPI_Recv_init", CallKind::PersistentInit},
      {"MPI_Waitsome", CallKind::Waitsome},
      {"MPI_Testany", CallKind::Testany},
      {"MPI_Request_get_status", CallKind::GetStatus},
      {"MPI_Parrived", CallKind::GetStatus},
      {"MPI_Scatterv", CallKind::OneToAll},
      {"MPI_Gatherv", CallKind::AllToOne},
      {"MPI_Reduce_scatter_block", CallKind::AllToAll},
      {"MPI_Alltoallw", CallKind::AllToAllVariable},
      {"MPI_Exscan", CallKind::Scan},
      {"MPI_Init_thread", CallKind::Init},
      {"MPI_Finalize", CallKind::Finalize},
      {"MPI_Comm_split", CallKind::CommConstruct},
      {"TRACE BUFFER FLUSH", CallKind::Artificial},
      {"solve", CallKind::Computation},
  };
  for (const auto& [name, kind] : expected) EXPECT_EQ(classified(name).kind, kind) << name;
}

TEST(ClassifyRegion, LargeCountAndProfilingNamesMeanTheSame) {
  EXPECT_EQ(classified("MPI_Bcast_c").kind, CallKind::OneToAll);
  EXPECT_EQ(classified("PMPI_Barrier").kind, CallKind::Barrier);
}

TEST(ClassifyRegion, OtherMpiFunctionsAreMpiTimeWithoutAMeaning) {
  for (const char* name :
       {"MPI_Comm_rank", "MPI_Ibarrier", "MPI_Put", "MPI_File_read", "MPI_Vendor_extension"}) {
    EXPECT_EQ(classified(name).kind, CallKind::OtherMpi) << name;
    EXPECT_TRUE(classified(name).mpi());
  }
  EXPECT_FALSE(classified("MPICH_is_no_MPI_function").mpi());
}

TEST(ClassifyRegion, ACallOfTheLibraryWaitsForSomething) {
  const std::pair<const char*, WaitedFor> expected[] = {
      {"write (checkpoint.*.dat)", WaitedFor::Io},
      {"read", WaitedFor::Io},  // as __read_chk
      {"sync", WaitedFor::Io},
      {"select", WaitedFor::Io},
      {"select (no descriptors)", WaitedFor::Sleep},
      {"futex", WaitedFor::Threads},
      {"OpenMP critical section", WaitedFor::Threads},
      {"mq_receive (work)", WaitedFor::Processes},
  };
  for (const auto& [name, waited_for] : expected) {
    Region region;
    region.name = name;
    region.library = true;
    EXPECT_EQ(region.waits_for(), waited_for) << name;
    region.library = false;
    EXPECT_EQ(region.waits_for(), std::nullopt) << name;
  }
}

TEST(ClassifyRegion, KnowsHowASendIsSent) {
  EXPECT_EQ(classified("MPI_Ssend").mode, SendMode::Synchronous);
  EXPECT_EQ(classified("MPI_Ibsend").mode, SendMode::Buffered);
  EXPECT_EQ(classified("MPI_Rsend_c").mode, SendMode::Ready);
  EXPECT_EQ(classified("MPI_Isend").mode, SendMode::Standard);
}

}  // namespace
}  // namespace waitdiag
