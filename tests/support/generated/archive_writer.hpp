// Writes small OTF2 archives for the reader's tests: definitions by name, events one by one, everything else
// as a recorder would write it. Ticks are nanoseconds unless another resolution is asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace waitdiag::fixtures {

struct ArchiveOptions {
  std::uint64_t resolution = 1'000'000'000;
  std::uint64_t clock_offset = 0;
  bool groups_last = false;  // communicators before the groups that they refer to
  bool local_definitions = true;
};

class ArchiveWriter {
 public:
  ArchiveWriter(const std::filesystem::path& directory, std::uint32_t ranks, ArchiveOptions options = {});
  ~ArchiveWriter();  // closes
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  OTF2_StringRef string(const std::string& text);
  OTF2_RegionRef region(const std::string& name, OTF2_Paradigm paradigm,
                        OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION);
  OTF2_RegionRef mpi(const std::string& name) { return region(name, OTF2_PARADIGM_MPI); }
  OTF2_RegionRef function(const std::string& name) { return region(name, OTF2_PARADIGM_COMPILER); }
  // Communicator 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF.
  OTF2_CommRef comm(const std::string& name, const std::vector<std::uint64_t>& members);
  void property(const char* name, const std::string& value);
  // For other definitions: `define` is called with the definition writer when the archive is closed.
  void define(std::function<void(OTF2_GlobalDefWriter*)> definition) {
    extra_.push_back(std::move(definition));
  }

  // Events of a rank's main thread; `enter` and `leave` for the common ones, the writer for the rest.
  void enter(std::uint32_t rank, std::uint64_t time, OTF2_RegionRef region,
             OTF2_AttributeList* attributes = nullptr);
  void leave(std::uint32_t rank, std::uint64_t time, OTF2_RegionRef region);
  OTF2_EvtWriter* events(std::uint32_t rank) { return OTF2_Archive_GetEvtWriter(archive_, rank); }
  // Events of a further location, which `define` has to define.
  OTF2_EvtWriter* further_events(OTF2_LocationRef location) {
    further_.push_back(location);
    return OTF2_Archive_GetEvtWriter(archive_, location);
  }
  OTF2_DefWriter* local_definitions(std::uint32_t rank) { return OTF2_Archive_GetDefWriter(archive_, rank); }

  void close();

 private:
  struct Region {
    std::string name;
    OTF2_Paradigm paradigm;
    OTF2_RegionRole role;
  };
  struct Comm {
    std::string name;
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };
  void write_places(OTF2_GlobalDefWriter* writer);
  void write_code(OTF2_GlobalDefWriter* writer);
  void write_groups(OTF2_GlobalDefWriter* writer);
  void write_comms(OTF2_GlobalDefWriter* writer);

  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::uint32_t ranks_;
  ArchiveOptions options_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::vector<Region> regions_;
  std::vector<Comm> comms_;
  std::vector<std::function<void(OTF2_GlobalDefWriter*)>> extra_;
  std::vector<OTF2_LocationRef> further_;
};

}  // namespace waitdiag::fixtures
