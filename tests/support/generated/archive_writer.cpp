// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/generated/archive_writer.hpp"

namespace waitdiag::fixtures {
namespace {

constexpr std::uint64_t kChunk = 256 * 1024;  // the smallest: long traces have several

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp no_flush_record(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}
constexpr OTF2_FlushCallbacks kFlush{&flush, &no_flush_record};

}  // namespace

ArchiveWriter::ArchiveWriter(const std::filesystem::path& directory, std::uint32_t ranks,
                             ArchiveOptions options)
    : ranks_(ranks), options_(options) {
  archive_ = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kChunk, kChunk,
                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
  OTF2_Archive_SetCreator(archive_, "archive_writer");
  OTF2_Archive_OpenEvtFiles(archive_);
  if (options_.local_definitions) OTF2_Archive_OpenDefFiles(archive_);
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  std::vector<std::uint64_t> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) all.push_back(rank);
  comms_.push_back({"MPI_COMM_WORLD", OTF2_GROUP_TYPE_COMM_GROUP, all});
  comms_.push_back({"MPI_COMM_SELF", OTF2_GROUP_TYPE_COMM_SELF, {}});
}

ArchiveWriter::~ArchiveWriter() {
  close();
}

OTF2_StringRef ArchiveWriter::string(const std::string& text) {
  const auto [entry, is_new] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
  if (is_new) OTF2_GlobalDefWriter_WriteString(definitions_, entry->second, text.c_str());
  return entry->second;
}

OTF2_RegionRef ArchiveWriter::region(const std::string& name, OTF2_Paradigm paradigm, OTF2_RegionRole role) {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (regions_[i].name == name) return static_cast<OTF2_RegionRef>(i);
  }
  regions_.push_back({name, paradigm, role});
  return static_cast<OTF2_RegionRef>(regions_.size() - 1);
}

OTF2_CommRef ArchiveWriter::comm(const std::string& name, const std::vector<std::uint64_t>& members) {
  comms_.push_back({name, OTF2_GROUP_TYPE_COMM_GROUP, members});
  return static_cast<OTF2_CommRef>(comms_.size() - 1);
}

void ArchiveWriter::property(const char* name, const std::string& value) {
  OTF2_Archive_SetProperty(archive_, name, value.c_str(), true);
}

void ArchiveWriter::enter(std::uint32_t rank, std::uint64_t time, OTF2_RegionRef region,
                          OTF2_AttributeList* attributes) {
  OTF2_EvtWriter_Enter(events(rank), attributes, time, region);
}

void ArchiveWriter::leave(std::uint32_t rank, std::uint64_t time, OTF2_RegionRef region) {
  OTF2_EvtWriter_Leave(events(rank), nullptr, time, region);
}

void ArchiveWriter::write_places(OTF2_GlobalDefWriter* writer) {
  OTF2_GlobalDefWriter_WriteClockProperties(writer, options_.resolution, options_.clock_offset, 1'000'000,
                                            OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string("cluster"), string("machine"),
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 1, string("host1"), string("node"), 0);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    std::uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(events(rank), &count);
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, string("MPI Rank " + std::to_string(rank)),
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(writer, rank, string("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                       count, rank);
  }
}

void ArchiveWriter::write_code(OTF2_GlobalDefWriter* writer) {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    OTF2_GlobalDefWriter_WriteRegion(writer, static_cast<OTF2_RegionRef>(i), string(region.name),
                                     string(region.name), string(""), region.role, region.paradigm,
                                     OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
  }
}

void ArchiveWriter::write_groups(OTF2_GlobalDefWriter* writer) {
  const std::vector<std::uint64_t>& all = comms_.front().members;
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, ranks_, all.data());
  for (std::size_t i = 0; i < comms_.size(); ++i) {
    OTF2_GlobalDefWriter_WriteGroup(
        writer, static_cast<OTF2_GroupRef>(i + 1), string(""), comms_[i].type, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(comms_[i].members.size()), comms_[i].members.data());
  }
}

void ArchiveWriter::write_comms(OTF2_GlobalDefWriter* writer) {
  for (std::size_t i = 0; i < comms_.size(); ++i) {
    OTF2_GlobalDefWriter_WriteComm(writer, static_cast<OTF2_CommRef>(i), string(comms_[i].name),
                                   static_cast<OTF2_GroupRef>(i + 1), OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  }
}

void ArchiveWriter::close() {
  if (archive_ == nullptr) return;
  write_places(definitions_);
  write_code(definitions_);
  if (!options_.groups_last) write_groups(definitions_);
  write_comms(definitions_);
  if (options_.groups_last) write_groups(definitions_);
  for (const auto& definition : extra_) definition(definitions_);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    OTF2_Archive_CloseEvtWriter(archive_, events(rank));
    if (options_.local_definitions) OTF2_Archive_CloseDefWriter(archive_, local_definitions(rank));
  }
  for (const OTF2_LocationRef location : further_) {
    OTF2_Archive_CloseEvtWriter(archive_, OTF2_Archive_GetEvtWriter(archive_, location));
  }
  OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_);
  OTF2_Archive_CloseEvtFiles(archive_);
  if (options_.local_definitions) OTF2_Archive_CloseDefFiles(archive_);
  OTF2_Archive_Close(archive_);
  archive_ = nullptr;
}

}  // namespace waitdiag::fixtures
