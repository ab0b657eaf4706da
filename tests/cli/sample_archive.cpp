// Writes a tiny OTF2 archive of two ranks, which the command line tests read as it is, or damage first.
//
//   sample_archive DIRECTORY late_sender|init_and_finalize|no_mpi|no_events
//
//   rank 0   MPI_Init 0..10   solve 10..40   MPI_Send 40..50   MPI_Finalize 60..70      (ms)
//   rank 1   MPI_Init 0..10   MPI_Recv 10..50                  MPI_Finalize 60..70
//
// SPDX-License-Identifier: BSD-3-Clause
#include <otf2/otf2.h>

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

namespace {

constexpr OTF2_TimeStamp kMillisecond = 1'000'000;
constexpr std::uint64_t kRanks = 2;
constexpr std::uint64_t kChunk = 1 << 18;
constexpr std::uint64_t kBytes = 64;

using EventCounts = std::array<std::uint64_t, kRanks>;

enum RegionRef : OTF2_RegionRef { Main, Solve, Init, Finalize, Send, Recv };

struct RegionName {
  const char* name;
  bool mpi;
};
constexpr std::array<RegionName, 6> kRegions{{{"main", false},
                                              {"solve", false},
                                              {"MPI_Init", true},
                                              {"MPI_Finalize", true},
                                              {"MPI_Send", true},
                                              {"MPI_Recv", true}}};

void check(OTF2_ErrorCode code, const char* step) {
  if (code == OTF2_SUCCESS) return;
  std::cerr << "sample_archive: " << step << ": " << OTF2_Error_GetDescription(code) << '\n';
  std::exit(1);
}

// Definitions reference strings by number; this hands the numbers out.
class Definitions {
 public:
  explicit Definitions(OTF2_GlobalDefWriter* writer) : writer_(writer) { string(""); }

  OTF2_StringRef string(const std::string& text) {
    check(OTF2_GlobalDefWriter_WriteString(writer_, strings_, text.c_str()), "string");
    return strings_++;
  }

  void write(const EventCounts& events) {
    OTF2_GlobalDefWriter_WriteClockProperties(writer_, 1'000'000'000, 0, 100 * kMillisecond,
                                              OTF2_UNDEFINED_TIMESTAMP);
    for (OTF2_RegionRef region = 0; region < kRegions.size(); ++region) write_region(region);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, string("host1"), string("node"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    std::array<std::uint64_t, kRanks> members{};
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const std::string name = "MPI Rank " + std::to_string(rank);
      OTF2_GlobalDefWriter_WriteLocationGroup(writer_, rank, string(name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                              0, OTF2_UNDEFINED_LOCATION_GROUP);
      OTF2_GlobalDefWriter_WriteLocation(writer_, rank, string("Master thread"),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, events[rank], rank);
      members[rank] = rank;
    }
    OTF2_GlobalDefWriter_WriteGroup(writer_, 0, string("MPI ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, kRanks, members.data());
    OTF2_GlobalDefWriter_WriteGroup(writer_, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, kRanks, members.data());
    OTF2_GlobalDefWriter_WriteComm(writer_, 0, string("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  }

 private:
  void write_region(OTF2_RegionRef region) {
    const OTF2_StringRef name = string(kRegions[region].name);
    const OTF2_StringRef file = string(kRegions[region].mpi ? "MPI" : "solver.c");
    OTF2_GlobalDefWriter_WriteRegion(writer_, region, name, name, 0, OTF2_REGION_ROLE_FUNCTION,
                                     kRegions[region].mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, file, 33, 0);
  }

  OTF2_GlobalDefWriter* writer_;
  OTF2_StringRef strings_ = 0;
};

void region(OTF2_EvtWriter* writer, OTF2_RegionRef id, OTF2_TimeStamp begin, OTF2_TimeStamp end) {
  OTF2_EvtWriter_Enter(writer, nullptr, begin * kMillisecond, id);
  if (id == Send) OTF2_EvtWriter_MpiSend(writer, nullptr, begin * kMillisecond, 1, 0, 3, kBytes);
  if (id == Recv) OTF2_EvtWriter_MpiRecv(writer, nullptr, end * kMillisecond, 0, 0, 3, kBytes);
  OTF2_EvtWriter_Leave(writer, nullptr, end * kMillisecond, id);
}

void write_events(OTF2_EvtWriter* writer, std::uint64_t rank, std::string_view kind) {
  if (kind == "no_events") return;
  OTF2_EvtWriter_Enter(writer, nullptr, 0, Main);
  if (kind != "no_mpi") region(writer, Init, 0, 10);
  if (kind == "late_sender" && rank == 0) {
    region(writer, Solve, 10, 40);
    region(writer, Send, 40, 50);
  }
  if (kind == "late_sender" && rank == 1) region(writer, Recv, 10, 50);
  if (kind != "no_mpi") region(writer, Finalize, 60, 70);
  OTF2_EvtWriter_Leave(writer, nullptr, 80 * kMillisecond, Main);
}

OTF2_FlushType flush_before(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

void write_archive(const char* directory, std::string_view kind) {
  const std::unique_ptr<OTF2_Archive, OTF2_ErrorCode (*)(OTF2_Archive*)> archive(
      OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, kChunk, kChunk, OTF2_SUBSTRATE_POSIX,
                        OTF2_COMPRESSION_NONE),
      OTF2_Archive_Close);
  if (!archive) check(OTF2_ERROR_INVALID, "open");
  const OTF2_FlushCallbacks flush{flush_before, nullptr};
  check(OTF2_Archive_SetFlushCallbacks(archive.get(), &flush, nullptr), "flush callbacks");
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()), "collective callbacks");
  check(OTF2_Archive_OpenEvtFiles(archive.get()), "event files");
  EventCounts events{};
  for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive.get(), rank);
    write_events(writer, rank, kind);
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[rank]), "count events");
    check(OTF2_Archive_CloseEvtWriter(archive.get(), writer), "close events");
  }
  check(OTF2_Archive_CloseEvtFiles(archive.get()), "close event files");
  check(OTF2_Archive_OpenDefFiles(archive.get()), "local definition files");
  for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive.get(), rank);
    check(OTF2_Archive_CloseDefWriter(archive.get(), writer), "close local definitions");
  }
  check(OTF2_Archive_CloseDefFiles(archive.get()), "close local definition files");
  Definitions(OTF2_Archive_GetGlobalDefWriter(archive.get())).write(events);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: sample_archive DIRECTORY late_sender|init_and_finalize|no_mpi|no_events\n";
    return 2;
  }
  write_archive(argv[1], argv[2]);
  return 0;
}
