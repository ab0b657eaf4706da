// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/write/write_archive.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "analyzer/formats/read/otf2_session.hpp"
#include "analyzer/formats/write/archive_ids.hpp"
#include "analyzer/formats/write/one_sided_events.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "libwaitprof/schema/file_checks.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

namespace schema = waitprof::schema;

constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp no_flush_record(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}
constexpr OTF2_FlushCallbacks kFlush{&flush, &no_flush_record};

class ArchiveOfTrace {
 public:
  ArchiveOfTrace(const Trace& trace, const std::string& directory, const std::string& creator)
      : trace_(trace), one_sided_(trace) {
    archive_ = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kChunk, kChunk,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr)
      throw TraceError("cannot create " + directory +
                       ": check that the directory above it exists, is writable and has space left");
    ids_.check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    ids_.check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    ids_.check(OTF2_Archive_SetCreator(archive_, creator.c_str()));
    for (const char* property : {schema::kProgram, schema::kMpi, schema::kSampling, schema::kSamplingHz,
                                 schema::kPredictedFor, schema::kCommunicationComplete}) {
      const auto known = trace.facts().properties.find(property);
      if (known != trace.facts().properties.end())
        ids_.check(OTF2_Archive_SetProperty(archive_, property, known->second.c_str(), true));
    }
    ids_.definitions = OTF2_Archive_GetGlobalDefWriter(archive_);
    ids_.zero = std::max<std::int64_t>(0, -trace.begin().time_since_epoch().count());
  }
  ~ArchiveOfTrace() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }
  ArchiveOfTrace(const ArchiveOfTrace&) = delete;
  ArchiveOfTrace& operator=(const ArchiveOfTrace&) = delete;

  std::uint64_t write(const std::string& directory) {
    write_clock();
    write_attributes();
    write_places();
    write_code();
    write_communicators();
    write_windows();
    const std::uint64_t left_out = write_locations();
    ids_.check(OTF2_Archive_CloseGlobalDefWriter(archive_, ids_.definitions));
    std::string checks = schema::global_checks(directory);
    for (std::uint32_t l = 0; l < trace_.locations().size(); ++l)
      checks += schema::location_checks(directory, l);
    schema::for_each_checks_property(checks, [this](const std::string& name, const std::string& value) {
      ids_.check(OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true));
    });
    ids_.check(OTF2_Archive_Close(archive_));
    archive_ = nullptr;
    if (ids_.failed)
      throw TraceError("cannot write all of " + directory +
                       ": check that the disk has space left; what is there "
                       "is of no use");
    return left_out;
  }

 private:
  void write_clock() {
    const auto length = static_cast<std::uint64_t>((trace_.end() - trace_.begin()).count());
    ids_.check(OTF2_GlobalDefWriter_WriteClockProperties(ids_.definitions, 1'000'000'000,
                                                         static_cast<std::uint64_t>(ids_.zero), length,
                                                         OTF2_UNDEFINED_TIMESTAMP));
  }

  void write_attributes() {
    const auto attribute = [this](OTF2_AttributeRef id, const char* name, OTF2_Type type) {
      ids_.check(OTF2_GlobalDefWriter_WriteAttribute(ids_.definitions, id, ids_.string(name), ids_.string(""),
                                                     type));
    };
    attribute(ArchiveIds::kCallPath, schema::kCallPathAttribute, OTF2_TYPE_CALLING_CONTEXT);
    attribute(ArchiveIds::kNeighbourhood, schema::kNeighbourhoodAttribute, OTF2_TYPE_UINT8);
    attribute(ArchiveIds::kPeers, schema::kPeersAttribute, OTF2_TYPE_STRING);
    attribute(ArchiveIds::kFileBytes, schema::kFileBytesAttribute, OTF2_TYPE_UINT64);
    attribute(ArchiveIds::kPolls, schema::kPollsAttribute, OTF2_TYPE_UINT64);
    attribute(ArchiveIds::kAnySource, schema::kAnySourceAttribute, OTF2_TYPE_UINT8);
    const auto parameter = [this](OTF2_ParameterRef id, const char* name) {
      ids_.check(OTF2_GlobalDefWriter_WriteParameter(ids_.definitions, id, ids_.string(name),
                                                     OTF2_PARAMETER_TYPE_UINT64));
    };
    parameter(ArchiveIds::kSample, schema::kSampleParameter);
    parameter(ArchiveIds::kStep, schema::kStepParameter);
    parameter(ArchiveIds::kPreempted,
              schema::kOffProcessorParameters[static_cast<int>(OffReason::Preempted)]);
  }

  void write_places() {
    ids_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(ids_.definitions, 0, ids_.string("machine"),
                                                        ids_.string("machine"),
                                                        OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
    std::set<Rank> ranks;
    for (const LocationInfo& location : trace_.locations()) {
      const auto id = static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1);
      const auto [node, is_new] = nodes.try_emplace(location.node, id);
      if (is_new) {
        ids_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            ids_.definitions, node->second, ids_.string(location.node), ids_.string("node"), 0));
      }
      if (!ranks.insert(location.rank).second) continue;
      const auto group = static_cast<OTF2_LocationGroupRef>(index(location.rank));
      ids_.check(OTF2_GlobalDefWriter_WriteLocationGroup(
          ids_.definitions, group, ids_.string("MPI Rank " + std::to_string(group)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second, OTF2_UNDEFINED_LOCATION_GROUP));
    }
  }

  static OTF2_Paradigm paradigm_of(const Region& region) {
    if (region.mpi()) return OTF2_PARADIGM_MPI;
    if (region.kind == CallKind::ThreadBarrier) return OTF2_PARADIGM_OPENMP;
    if (region.kind == CallKind::Artificial) return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    if (region.library) return OTF2_PARADIGM_UNKNOWN;
    if (region.kind == CallKind::ThreadSync) return OTF2_PARADIGM_PTHREAD;
    return region.divisible ? OTF2_PARADIGM_USER : OTF2_PARADIGM_COMPILER;
  }

  static OTF2_RegionRole role_of(const Region& region) {
    if (region.kind == CallKind::Artificial) return OTF2_REGION_ROLE_ARTIFICIAL;
    if (region.library) return OTF2_REGION_ROLE_WRAPPER;
    return region.kind == CallKind::ThreadBarrier ? OTF2_REGION_ROLE_BARRIER : OTF2_REGION_ROLE_FUNCTION;
  }

  void write_code() {
    for (std::uint32_t r = 0; r < trace_.regions().size(); ++r) {
      const Region& region = trace_.regions()[r];
      const OTF2_StringRef name = ids_.string(region.name);
      ids_.check(OTF2_GlobalDefWriter_WriteRegion(ids_.definitions, r, name, name, ids_.string(""),
                                                  role_of(region), paradigm_of(region), OTF2_REGION_FLAG_NONE,
                                                  ids_.string(region.file), region.line, 0));
    }
    std::map<std::pair<std::string, std::uint32_t>, OTF2_SourceCodeLocationRef> lines;
    for (std::uint32_t p = 0; p < trace_.call_paths().size(); ++p) {
      const CallPathNode& node = trace_.call_paths()[p];
      OTF2_SourceCodeLocationRef place = OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
      if (node.line > 0) {
        const std::string& file = trace_.region(node.region).file;
        const auto [line, is_new] =
            lines.try_emplace({file, node.line}, static_cast<OTF2_SourceCodeLocationRef>(lines.size()));
        place = line->second;
        if (is_new)
          ids_.check(OTF2_GlobalDefWriter_WriteSourceCodeLocation(ids_.definitions, place, ids_.string(file),
                                                                  node.line));
      }
      const OTF2_CallingContextRef parent = node.parent == kNoCallPath
                                                ? OTF2_UNDEFINED_CALLING_CONTEXT
                                                : static_cast<OTF2_CallingContextRef>(index(node.parent));
      ids_.check(OTF2_GlobalDefWriter_WriteCallingContext(
          ids_.definitions, p, static_cast<OTF2_RegionRef>(index(node.region)), place, parent));
    }
  }

  OTF2_GroupRef write_group(const std::vector<Rank>& ranks, OTF2_GroupType type) {
    std::vector<std::uint64_t> members;
    for (const Rank rank : ranks) members.push_back(index(rank));
    ids_.check(OTF2_GlobalDefWriter_WriteGroup(ids_.definitions, groups_, ids_.string(""), type,
                                               OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                               static_cast<std::uint32_t>(members.size()), members.data()));
    return groups_++;
  }

  void write_communicators() {
    std::vector<std::uint64_t> main_locations;
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank)
      main_locations.push_back(index(trace_.main_location(Rank(rank))));
    ids_.check(OTF2_GlobalDefWriter_WriteGroup(
        ids_.definitions, groups_++, ids_.string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(main_locations.size()), main_locations.data()));
    for (std::uint32_t c = 0; c < trace_.communicators().size(); ++c) {
      const Communicator& comm = trace_.communicators()[c];
      if (one_sided_.is_window_alone(trace_, CommId(c))) continue;
      const OTF2_CommRef parent =
          comm.parent == kNoComm ? OTF2_UNDEFINED_COMM : static_cast<OTF2_CommRef>(index(comm.parent));
      const OTF2_GroupRef group =
          write_group(comm.self ? std::vector<Rank>{} : comm.members,
                      comm.self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP);
      if (comm.remote_members.empty()) {
        ids_.check(OTF2_GlobalDefWriter_WriteComm(ids_.definitions, c, ids_.string(comm.name), group, parent,
                                                  OTF2_COMM_FLAG_NONE));
      } else {
        const OTF2_GroupRef remote = write_group(comm.remote_members, OTF2_GROUP_TYPE_COMM_GROUP);
        ids_.check(OTF2_GlobalDefWriter_WriteInterComm(ids_.definitions, c, ids_.string(comm.name), group,
                                                       remote, parent, OTF2_COMM_FLAG_NONE));
      }
    }
  }

  void write_windows() {
    for (std::uint32_t c = 0; c < trace_.communicators().size(); ++c) {
      if (!one_sided_.window[c]) continue;
      const Communicator& comm = trace_.communicators()[c];
      const CommId over = one_sided_.is_window_alone(trace_, CommId(c)) ? comm.parent : CommId(c);
      ids_.check(OTF2_GlobalDefWriter_WriteRmaWin(ids_.definitions, c, ids_.string(comm.name),
                                                  static_cast<OTF2_CommRef>(index(over)),
                                                  OTF2_RMA_WIN_FLAG_NONE));
    }
    for (std::uint32_t g = 0; g < trace_.peer_lists().size(); ++g) {
      if (!one_sided_.group[g]) continue;
      std::vector<Rank> ranks;
      for (const PeerRun& run : trace_.peer_lists()[g].sent) {
        for (std::uint32_t rank = run.first; rank <= run.last; ++rank) ranks.push_back(Rank(rank));
      }
      ids_.groups[PeerListId(g)] = write_group(ranks, OTF2_GROUP_TYPE_COMM_GROUP);
    }
  }

  std::uint64_t write_locations() {
    std::uint64_t left_out = 0;
    ids_.check(OTF2_Archive_OpenEvtFiles(archive_));
    for (std::uint32_t l = 0; l < trace_.locations().size(); ++l) {
      OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, l);
      left_out += write_events(trace_, Location(l), writer, ids_);
      std::uint64_t count = 0;
      ids_.check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count));
      const LocationInfo& info = trace_.locations()[l];
      ids_.check(OTF2_GlobalDefWriter_WriteLocation(
          ids_.definitions, l, ids_.string(info.name.empty() ? "Master thread" : info.name),
          OTF2_LOCATION_TYPE_CPU_THREAD, count, static_cast<OTF2_LocationGroupRef>(index(info.rank))));
      ids_.check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    }
    ids_.check(OTF2_Archive_CloseEvtFiles(archive_));
    ids_.check(OTF2_Archive_OpenDefFiles(archive_));
    for (std::uint32_t l = 0; l < trace_.locations().size(); ++l)
      ids_.check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, l)));
    ids_.check(OTF2_Archive_CloseDefFiles(archive_));
    return left_out;
  }

  const Trace& trace_;
  const OneSidedUse one_sided_;
  Otf2Complaints quiet_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GroupRef groups_ = 0;
  ArchiveIds ids_;
};

}  // namespace

std::uint64_t write_archive(const Trace& trace, const std::string& directory, const std::string& creator) {
  std::error_code trouble;
  if (std::filesystem::exists(directory, trouble))
    throw TraceError(directory + " exists already: name a directory that does not");
  return ArchiveOfTrace(trace, directory, creator).write(directory);
}

}  // namespace waitdiag
