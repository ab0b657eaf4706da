// The global definitions of an OTF2 archive that matter here, as plain data; ids are the archive's own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/model/anomalies.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {

// As recorders wrote them over time, each with what the ones before have.
inline constexpr std::uint8_t kFirstUsageMembers = 3, kUsageMembersWithFaults = 6,
                              kUsageMembersWithStolen = 7, kUsageMembers = 8;

constexpr bool has_usage_members(std::size_t count) {
  return count == kFirstUsageMembers || (count >= kUsageMembersWithFaults && count <= kUsageMembers);
}

struct ArchiveDefinitions {
  struct SystemNode {
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent;
    std::uint32_t processors = 0;  // 0: not known
    bool package = false, core = false;
  };
  struct LocationGroup {
    OTF2_LocationGroupRef id;
    OTF2_LocationGroupType type;
    OTF2_SystemTreeNodeRef node;
    std::uint64_t failed_polls = 0, path_walks_ns = 0, upkeep_ns = 0;
  };
  struct Location {
    OTF2_LocationRef id;
    OTF2_StringRef name;
    OTF2_LocationType type;
    std::uint64_t events;
    OTF2_LocationGroupRef group;
  };
  struct Region {
    OTF2_RegionRef id;
    OTF2_StringRef name, canonical_name, file;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
    std::uint32_t line;
  };
  struct Group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    OTF2_CommRef id;
    OTF2_StringRef name;
    OTF2_GroupRef group, remote_group;  // remote_group: inter-communicators only
    OTF2_CommRef parent;
  };
  struct Window {
    OTF2_RmaWinRef id;
    OTF2_StringRef name;
    OTF2_CommRef comm;
  };
  struct SourceLine {
    OTF2_StringRef file;
    std::uint32_t line;
  };
  struct CallingContext {
    OTF2_CallingContextRef id;
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef source;
    OTF2_CallingContextRef parent;
  };
  // Where a calling context's code is; strings are references.
  struct CodePlace {
    OTF2_StringRef module = OTF2_UNDEFINED_STRING, build_id = OTF2_UNDEFINED_STRING,
                   offset = OTF2_UNDEFINED_STRING;
  };

  std::uint64_t told_resolution = 0;         // ticks per second; 0: the archive does not say
  std::uint64_t resolution = 1'000'000'000;  // what is reckoned with
  std::uint64_t clock_offset = 0;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_SystemTreeNodeRef, SystemNode> nodes;
  std::vector<LocationGroup> location_groups;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::unordered_map<OTF2_GroupRef, Group> groups;
  std::vector<Comm> comms;
  std::vector<Window> windows;
  std::unordered_map<OTF2_SourceCodeLocationRef, SourceLine> source_lines;
  std::vector<CallingContext> calling_contexts;
  std::unordered_map<OTF2_CallingContextRef, CodePlace> code_places;
  std::unordered_map<OTF2_MetricMemberRef, OTF2_StringRef> metric_members;  // names
  OTF2_MetricRef counters_metric = OTF2_UNDEFINED_METRIC;
  OTF2_MetricRef usage_metric = OTF2_UNDEFINED_METRIC;  // of as many members as in one of the following
  OTF2_AttributeRef call_path_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef neighbourhood_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef any_source_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef peers_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef repeat_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef file_bytes_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef polls_attribute = OTF2_UNDEFINED_ATTRIBUTE;
  // The references of schema::kTotalAttributes; zeros if there are none, and then they are not used.
  std::array<OTF2_AttributeRef, std::size(waitprof::schema::kTotalAttributes)> total_attributes{};
  OTF2_ParameterRef sample_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef step_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef last_seen_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef excerpt_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef total_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef steps_passed_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef presence_parameter = OTF2_UNDEFINED_PARAMETER;
  OTF2_ParameterRef parallel_parameter = OTF2_UNDEFINED_PARAMETER;
  std::array<OTF2_AttributeRef, std::size(waitprof::schema::kParallelAttributes)> parallel_attributes{
      OTF2_UNDEFINED_ATTRIBUTE, OTF2_UNDEFINED_ATTRIBUTE, OTF2_UNDEFINED_ATTRIBUTE, OTF2_UNDEFINED_ATTRIBUTE,
      OTF2_UNDEFINED_ATTRIBUTE};
  std::array<OTF2_ParameterRef, std::size(waitprof::schema::kOffProcessorParameters)>
      off_processor_parameters{OTF2_UNDEFINED_PARAMETER, OTF2_UNDEFINED_PARAMETER, OTF2_UNDEFINED_PARAMETER,
                               OTF2_UNDEFINED_PARAMETER};
  OTF2_AttributeRef turns_attribute = OTF2_UNDEFINED_ATTRIBUTE;

  const std::string& string(OTF2_StringRef id) const;  // empty if there is none
};

// Reads the first `count`; what comes before a damaged place is kept. False: not all could be read.
bool read_definitions(OTF2_Reader* reader, std::uint64_t count, ArchiveDefinitions& definitions);

// Adds an anomaly if no clock can have this resolution (ticks per second, as in the archive).
void doubt_clock(std::uint64_t told_resolution, Anomalies& anomalies);

}  // namespace waitdiag
