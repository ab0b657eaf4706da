// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_definitions.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

namespace schema = waitprof::schema;
using Definitions = ArchiveDefinitions;

Definitions& into(void* definitions) {
  return *static_cast<Definitions*>(definitions);
}

struct DeleteCallbacks {
  void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  }
};
using Callbacks = std::unique_ptr<OTF2_GlobalDefReaderCallbacks, DeleteCallbacks>;

void set_place_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      callbacks,
      [](void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t, std::uint64_t) {
        into(user).told_resolution = resolution;
        if (resolution != 0) into(user).resolution = resolution;
        into(user).clock_offset = offset;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks,
                                                  [](void* user, OTF2_StringRef id, const char* text) {
                                                    into(user).strings[id] = text;
                                                    return OTF2_CALLBACK_SUCCESS;
                                                  });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
      callbacks, [](void* user, OTF2_SystemTreeNodeRef id, OTF2_StringRef name, OTF2_StringRef class_name,
                    OTF2_SystemTreeNodeRef parent) {
        into(user).nodes[id] = {name, class_name, parent};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(
      callbacks, [](void* user, OTF2_SystemTreeNodeRef id, OTF2_SystemTreeDomain domain) {
        Definitions::SystemNode& node = into(user).nodes[id];
        node.package = node.package || domain == OTF2_SYSTEM_TREE_DOMAIN_SOCKET;
        node.core = node.core || domain == OTF2_SYSTEM_TREE_DOMAIN_CORE;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(
      callbacks, [](void* user, OTF2_SystemTreeNodeRef id, OTF2_StringRef name, OTF2_Type type,
                    OTF2_AttributeValue value) {
        if (type == OTF2_TYPE_UINT32 && into(user).string(name) == schema::kProcessors)
          into(user).nodes[id].processors = value.uint32;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      callbacks, [](void* user, OTF2_LocationGroupRef id, OTF2_StringRef, OTF2_LocationGroupType type,
                    OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef) {
        into(user).location_groups.push_back({id, type, node});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(
      callbacks, [](void* user, OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_Type type,
                    OTF2_AttributeValue value) {
        auto& groups = into(user).location_groups;
        const auto group =
            std::find_if(groups.rbegin(), groups.rend(), [id](const auto& g) { return g.id == id; });
        if (group == groups.rend() || type != OTF2_TYPE_UINT64) return OTF2_CALLBACK_SUCCESS;
        if (into(user).string(name) == schema::kFailedPolls) group->failed_polls = value.uint64;
        if (into(user).string(name) == schema::kPathWalks) group->path_walks_ns = value.uint64;
        if (into(user).string(name) == schema::kUpkeep) group->upkeep_ns = value.uint64;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      callbacks, [](void* user, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type,
                    std::uint64_t events, OTF2_LocationGroupRef group) {
        into(user).locations.push_back({id, name, type, events, group});
        return OTF2_CALLBACK_SUCCESS;
      });
}

void set_communicator_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
      callbacks, [](void* user, OTF2_GroupRef id, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                    OTF2_GroupFlag flags, std::uint32_t count, const std::uint64_t* members) {
        into(user).groups[id] = {type, paradigm, flags, {members, members + count}};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      callbacks, [](void* user, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group,
                    OTF2_CommRef parent, OTF2_CommFlag) {
        into(user).comms.push_back({id, name, group, OTF2_UNDEFINED_GROUP, parent});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
      callbacks, [](void* user, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group_a,
                    OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag) {
        into(user).comms.push_back({id, name, group_a, group_b, common});
        return OTF2_CALLBACK_SUCCESS;
      });
}

void set_window_callback(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
      callbacks, [](void* user, OTF2_RmaWinRef id, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag) {
        into(user).windows.push_back({id, name, comm});
        return OTF2_CALLBACK_SUCCESS;
      });
}

void set_code_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      callbacks, [](void* user, OTF2_RegionRef id, OTF2_StringRef name, OTF2_StringRef canonical_name,
                    OTF2_StringRef, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                    OTF2_StringRef file, std::uint32_t line, std::uint32_t) {
        into(user).regions.push_back({id, name, canonical_name, file, role, paradigm, line});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(
      callbacks, [](void* user, OTF2_SourceCodeLocationRef id, OTF2_StringRef file, std::uint32_t line) {
        into(user).source_lines[id] = {file, line};
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
      callbacks, [](void* user, OTF2_CallingContextRef id, OTF2_RegionRef region,
                    OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent) {
        into(user).calling_contexts.push_back({id, region, source, parent});
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(
      callbacks, [](void* user, OTF2_CallingContextRef context, OTF2_StringRef name, OTF2_Type type,
                    OTF2_AttributeValue value) {
        if (type != OTF2_TYPE_STRING) return OTF2_CALLBACK_SUCCESS;
        Definitions::CodePlace& place = into(user).code_places[context];
        const std::string& key = into(user).string(name);
        if (key == schema::kModule) place.module = value.stringRef;
        if (key == schema::kBuildId) place.build_id = value.stringRef;
        if (key == schema::kInstructionOffset) place.offset = value.stringRef;
        return OTF2_CALLBACK_SUCCESS;
      });
}

void set_attribute_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, [](void* user, OTF2_AttributeRef id,
                                                                   OTF2_StringRef name, OTF2_StringRef,
                                                                   OTF2_Type type) {
    const std::string& called = into(user).string(name);
    if (type == OTF2_TYPE_CALLING_CONTEXT && called == schema::kCallPathAttribute) {
      into(user).call_path_attribute = id;
    } else if (type == OTF2_TYPE_UINT8 && called == schema::kNeighbourhoodAttribute) {
      into(user).neighbourhood_attribute = id;
    } else if (type == OTF2_TYPE_UINT8 && called == schema::kAnySourceAttribute) {
      into(user).any_source_attribute = id;
    } else if (type == OTF2_TYPE_STRING && called == schema::kPeersAttribute) {
      into(user).peers_attribute = id;
    } else if (type == OTF2_TYPE_UINT64 && called == schema::kFileBytesAttribute) {
      into(user).file_bytes_attribute = id;
    } else if (type == OTF2_TYPE_UINT64 && called == schema::kRepeatAttribute) {
      into(user).repeat_attribute = id;
    } else if (type == OTF2_TYPE_UINT64 && called == schema::kPollsAttribute) {
      into(user).polls_attribute = id;
    } else if (type == OTF2_TYPE_UINT64 && called == schema::kTurnsAttribute) {
      into(user).turns_attribute = id;
    }
    for (std::size_t which = 0; which < std::size(schema::kParallelAttributes); ++which)
      if (called == schema::kParallelAttributes[which]) into(user).parallel_attributes[which] = id;
    const auto total =
        std::find(std::begin(schema::kTotalAttributes), std::end(schema::kTotalAttributes), called);
    if (total != std::end(schema::kTotalAttributes)) {
      into(user).total_attributes[static_cast<std::size_t>(total - std::begin(schema::kTotalAttributes))] =
          id;
    }
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(
      callbacks, [](void* user, OTF2_ParameterRef id, OTF2_StringRef name, OTF2_ParameterType type) {
        if (type != OTF2_PARAMETER_TYPE_UINT64) return OTF2_CALLBACK_SUCCESS;
        const std::string& text = into(user).string(name);
        if (text == schema::kSampleParameter) into(user).sample_parameter = id;
        if (text == schema::kStepParameter) into(user).step_parameter = id;
        if (text == schema::kLastSeenParameter) into(user).last_seen_parameter = id;
        if (text == schema::kExcerptParameter) into(user).excerpt_parameter = id;
        if (text == schema::kTotalParameter) into(user).total_parameter = id;
        if (text == schema::kStepsPassedParameter) into(user).steps_passed_parameter = id;
        if (text == schema::kParallelParameter) into(user).parallel_parameter = id;
        if (text == schema::kPresenceParameter) into(user).presence_parameter = id;
        for (std::size_t reason = 0; reason < std::size(schema::kOffProcessorParameters); ++reason)
          if (text == schema::kOffProcessorParameters[reason])
            into(user).off_processor_parameters[reason] = id;
        return OTF2_CALLBACK_SUCCESS;
      });
}

using MetricMembers = std::span<const OTF2_MetricMemberRef>;

bool are_named(const Definitions& definitions, MetricMembers members, std::span<const char* const> names) {
  return members.size() <= names.size() && std::equal(members.begin(), members.end(), names.begin(),
                                                      [&](OTF2_MetricMemberRef member, const char* name) {
                                                        const auto known =
                                                            definitions.metric_members.find(member);
                                                        return known != definitions.metric_members.end() &&
                                                               definitions.string(known->second) == name;
                                                      });
}

// Only the metrics that the recorder writes have a meaning here.
bool is_usage(const Definitions& definitions, MetricMembers members) {
  const char* const names[] = {schema::kProcessorTimeMetric, schema::kResidentMemoryMetric,
                               schema::kNodeLoadMetric,      schema::kMinorFaultsMetric,
                               schema::kMajorFaultsMetric,   schema::kMigrationsMetric,
                               schema::kStolenMetric,        schema::kNodeBusyMetric};
  return has_usage_members(members.size()) && are_named(definitions, members, names);
}

bool is_counters(const Definitions& definitions, MetricMembers members) {
  const char* const names[] = {schema::kInstructionsMetric, schema::kCyclesMetric};
  return members.size() == std::size(names) && are_named(definitions, members, names);
}

void set_metric_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
      callbacks, [](void* user, OTF2_MetricMemberRef id, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
                    OTF2_MetricMode, OTF2_Type type, OTF2_Base, std::int64_t, OTF2_StringRef) {
        if (type == OTF2_TYPE_UINT64) into(user).metric_members[id] = name;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
      callbacks, [](void* user, OTF2_MetricRef id, std::uint8_t count, const OTF2_MetricMemberRef* members,
                    OTF2_MetricOccurrence, OTF2_RecorderKind) {
        if (is_usage(into(user), {members, count})) into(user).usage_metric = id;
        if (is_counters(into(user), {members, count})) into(user).counters_metric = id;
        return OTF2_CALLBACK_SUCCESS;
      });
}

}  // namespace

const std::string& ArchiveDefinitions::string(OTF2_StringRef id) const {
  static const std::string kNone;
  const auto found = strings.find(id);
  return found == strings.end() ? kNone : found->second;
}

bool read_definitions(OTF2_Reader* reader, std::uint64_t count, ArchiveDefinitions& definitions) {
  const Callbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
  set_place_callbacks(callbacks.get());
  set_communicator_callbacks(callbacks.get());
  set_window_callback(callbacks.get());
  set_code_callbacks(callbacks.get());
  set_attribute_callbacks(callbacks.get());
  set_metric_callbacks(callbacks.get());
  OTF2_GlobalDefReader* const definition_reader = OTF2_Reader_GetGlobalDefReader(reader);
  if (definition_reader == nullptr) return false;
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definition_reader, callbacks.get(), &definitions);
  std::uint64_t read = 0;
  return OTF2_Reader_ReadGlobalDefinitions(reader, definition_reader, count, &read) == OTF2_SUCCESS &&
         read == count;
}

void doubt_clock(std::uint64_t told_resolution, Anomalies& anomalies) {
  constexpr std::uint64_t kFemtoseconds = 1'000'000'000'000'000;
  if (told_resolution == 0)
    anomalies.add("clock_resolution_unknown", Gravity::Serious,
                  "the archive does not say how many ticks its clock makes in a second: its time stamps are "
                  "taken for nanoseconds, so all times may be wrong by one factor");
  if (told_resolution > kFemtoseconds)
    anomalies.add("clock_resolution_implausible", Gravity::Serious,
                  "the archive says that its clock makes " + std::to_string(told_resolution) +
                      " ticks in a second, which no clock does: all times are too short");
}

}  // namespace waitdiag
