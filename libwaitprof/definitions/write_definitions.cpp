// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/write_definitions.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

std::vector<std::uint32_t> identity(std::size_t size) {
  std::vector<std::uint32_t> ids(size);
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

}  // namespace

void write_clock(GlobalWriter& writer, const Definitions& definitions) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const Rank& rank : definitions.ranks) {
    first = std::min(first, rank.first_time);
    last = std::max(last, rank.last_time);
  }
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
  first = std::min(first, last);
  writer.check(OTF2_GlobalDefWriter_WriteClockProperties(
      writer.otf2, kTicksPerSecond, first, last - first,
      first + static_cast<std::uint64_t>(definitions.recording.realtime_offset)));
}

// Definitions for WAITPROF_PROFILE=light.
void define_totals(GlobalWriter& writer) {
  OTF2_AttributeRef attribute = kFirstTotalAttributeRef;
  for (const char* name : schema::kTotalAttributes) {
    const bool function = attribute == kFirstTotalAttributeRef;
    writer.check(OTF2_GlobalDefWriter_WriteAttribute(writer.otf2, attribute++, writer.string(name),
                                                     writer.string("over all calls of the run"),
                                                     function ? OTF2_TYPE_REGION : OTF2_TYPE_UINT64));
  }
  struct Parameter {
    OTF2_ParameterRef ref;
    const char* name;
  };
  for (const auto& [ref, name] : {Parameter{kExcerptParameterRef, schema::kExcerptParameter},
                                  Parameter{kTotalParameterRef, schema::kTotalParameter},
                                  Parameter{kStepsPassedParameterRef, schema::kStepsPassedParameter}}) {
    writer.check(OTF2_GlobalDefWriter_WriteParameter(writer.otf2, ref, writer.string(name),
                                                     OTF2_PARAMETER_TYPE_UINT64));
  }
}

void define_teams(GlobalWriter& writer) {
  OTF2_AttributeRef attribute = kFirstParallelAttributeRef;
  for (const char* name : schema::kParallelAttributes) {
    writer.check(OTF2_GlobalDefWriter_WriteAttribute(writer.otf2, attribute++, writer.string(name),
                                                     writer.string("of teams of threads"), OTF2_TYPE_UINT64));
  }
  writer.check(OTF2_GlobalDefWriter_WriteParameter(writer.otf2, kParallelParameterRef,
                                                   writer.string(schema::kParallelParameter),
                                                   OTF2_PARAMETER_TYPE_UINT64));
}

void define_presence(GlobalWriter& writer) {
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kTurnsAttributeRef, writer.string(schema::kTurnsAttribute),
      writer.string("times off the processor that it sums up"), OTF2_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteParameter(writer.otf2, kPresenceParameterRef,
                                                   writer.string(schema::kPresenceParameter),
                                                   OTF2_PARAMETER_TYPE_UINT64));
  OTF2_ParameterRef parameter = kFirstOffProcessorParameterRef;
  for (const char* name : schema::kOffProcessorParameters) {
    writer.check(OTF2_GlobalDefWriter_WriteParameter(writer.otf2, parameter++, writer.string(name),
                                                     OTF2_PARAMETER_TYPE_UINT64));
  }
}

void write_fixed_definitions(GlobalWriter& writer, const Definitions& definitions) {
  const OTF2_StringRef empty = writer.string("");
  writer.check(OTF2_GlobalDefWriter_WriteParadigm(writer.otf2, OTF2_PARADIGM_MPI, writer.string("MPI"),
                                                  OTF2_PARADIGM_CLASS_PROCESS));
  struct Property {
    OTF2_ParadigmProperty property;
    const char* text;
  };
  for (const auto& [property, text] : {Property{OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, "Comm ${id}"},
                                       Property{OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, "Win ${id}"}}) {
    writer.check(OTF2_GlobalDefWriter_WriteParadigmProperty(writer.otf2, OTF2_PARADIGM_MPI, property,
                                                            OTF2_TYPE_STRING, writer.string_value(text)));
  }
  OTF2_AttributeValue no;
  no.uint8 = OTF2_FALSE;
  writer.check(OTF2_GlobalDefWriter_WriteParadigmProperty(
      writer.otf2, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, no));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kCallPathAttributeRef, writer.string(schema::kCallPathAttribute),
      writer.string("call path of the caller"), OTF2_TYPE_CALLING_CONTEXT));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(writer.otf2, kProcessIdAttributeRef,
                                                   writer.string("ProcessId"), empty, OTF2_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kNeighbourhoodAttributeRef, writer.string(schema::kNeighbourhoodAttribute),
      writer.string("only neighbours took part"), OTF2_TYPE_UINT8));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kPeersAttributeRef, writer.string(schema::kPeersAttribute),
      writer.string("bytes to and from each rank"), OTF2_TYPE_STRING));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(writer.otf2, kFileBytesAttributeRef,
                                                   writer.string(schema::kFileBytesAttribute),
                                                   writer.string("bytes read or written"), OTF2_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kPollsAttributeRef, writer.string(schema::kPollsAttribute),
      writer.string("polls before it that found nothing"), OTF2_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kAnySourceAttributeRef, writer.string(schema::kAnySourceAttribute),
      writer.string("asked for from MPI_ANY_SOURCE"), OTF2_TYPE_UINT8));
  writer.check(OTF2_GlobalDefWriter_WriteAttribute(
      writer.otf2, kRepeatAttributeRef, writer.string(schema::kRepeatAttribute),
      writer.string("without a callpath: that of the call so many before"), OTF2_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteParameter(
      writer.otf2, kSampleParameterRef, writer.string(schema::kSampleParameter), OTF2_PARAMETER_TYPE_UINT64));
  writer.check(OTF2_GlobalDefWriter_WriteParameter(
      writer.otf2, kStepParameterRef, writer.string(schema::kStepParameter), OTF2_PARAMETER_TYPE_UINT64));
  define_presence(writer);
  define_teams(writer);
  const bool light = !definitions.recording.profile.empty();
  if (!definitions.finished || light) {  // ids without a gap
    writer.check(OTF2_GlobalDefWriter_WriteParameter(writer.otf2, kLastSeenParameterRef,
                                                     writer.string(schema::kLastSeenParameter),
                                                     OTF2_PARAMETER_TYPE_UINT64));
  }
  if (light) {
    define_totals(writer);
  }
}

struct Member {
  const char *name, *description, *unit;
  OTF2_MetricMode mode;
  std::int64_t exponent;
};

void write_metric_class(GlobalWriter& writer, OTF2_MetricRef metric, std::span<const Member> members,
                        OTF2_MetricMemberRef first) {
  std::vector<OTF2_MetricMemberRef> refs;
  for (const Member& member : members) {
    refs.push_back(first + static_cast<OTF2_MetricMemberRef>(refs.size()));
    writer.check(OTF2_GlobalDefWriter_WriteMetricMember(
        writer.otf2, refs.back(), writer.string(member.name), writer.string(member.description),
        OTF2_METRIC_TYPE_OTHER, member.mode, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, member.exponent,
        writer.string(member.unit)));
  }
  writer.check(OTF2_GlobalDefWriter_WriteMetricClass(writer.otf2, metric,
                                                     static_cast<std::uint8_t>(refs.size()), refs.data(),
                                                     OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

// Synchronous, of one class: some readers take no other metrics of a location.
void write_usage_metric(GlobalWriter& writer) {
  const Member members[kUsageMembers] = {
      {schema::kProcessorTimeMetric, "of the process and all its threads", "s", OTF2_METRIC_ACCUMULATED_START,
       -9},
      {schema::kResidentMemoryMetric, "of the process", "B", OTF2_METRIC_ABSOLUTE_POINT, 0},
      {schema::kNodeLoadMetric, "threads of the node that run or want to", "#", OTF2_METRIC_ABSOLUTE_POINT,
       0},
      {schema::kMinorFaultsMetric, "pages that the process touched first", "#", OTF2_METRIC_ACCUMULATED_START,
       0},
      {schema::kMajorFaultsMetric, "pages that it had to wait for, from a disk", "#",
       OTF2_METRIC_ACCUMULATED_START, 0},
      {schema::kMigrationsMetric, "of recorded threads to another processor", "#",
       OTF2_METRIC_ACCUMULATED_START, 0},
      {schema::kStolenMetric, "from the node's processors, by the host of a virtual machine", "s",
       OTF2_METRIC_ACCUMULATED_START, -9},
      {schema::kNodeBusyMetric, "of the node's processors together, whoever ran", "s",
       OTF2_METRIC_ACCUMULATED_START, -9}};
  write_metric_class(writer, kUsageMetricRef, members, 0);
}

// Only where there are some.
void write_counters_metric(GlobalWriter& writer, const std::string& counters) {
  if (!counters.starts_with(schema::kInstructionsMetric)) {
    return;
  }
  const Member members[] = {
      {schema::kInstructionsMetric, "of the thread, in the program's code", "#",
       OTF2_METRIC_ACCUMULATED_START, 0},
      {schema::kCyclesMetric, "of the thread, in the program's code", "#", OTF2_METRIC_ACCUMULATED_START, 0}};
  write_metric_class(writer, kCountersMetricRef, members, kUsageMembers);
}

std::uint64_t definition_chunk(const Definitions& definitions) {
  // OTF2 allocates memory for a whole chunk at once, and fills it. A string must fit, and a demangled name is
  // longer than its symbol.
  constexpr std::uint64_t kSmallest = 256 * 1024, kForLongStrings = 4 * 1024 * 1024;
  constexpr std::size_t kShortString = 2048;
  constexpr std::uint64_t kLargest = 16 * 1024 * 1024;
  constexpr std::uint64_t kEntryBytes = 10;  // of a group or an id table, at most
  const std::uint64_t entries = std::max<std::uint64_t>(definitions.longest_table, definitions.world_size);
  const auto is_long = [](const std::string& text) { return text.size() > kShortString; };
  const bool any_long =
      std::any_of(definitions.texts.begin(), definitions.texts.end(), is_long) ||
      std::any_of(definitions.places.begin(), definitions.places.end(),
                  [&](const CodePlace& place) { return is_long(place.function); }) ||
      std::any_of(
          definitions.regions.begin(), definitions.regions.end(),
          [&](const Region& region) { return is_long(region.name) || is_long(region.place.function); }) ||
      std::any_of(definitions.communicators.begin(), definitions.communicators.end(),
                  [&](const Communicator& communicator) {
                    return is_long(communicator.name) || communicator.edges.size() > kShortString ||
                           communicator.neighbours.size() > kShortString / 8;
                  });
  return std::clamp(1024 + kEntryBytes * entries, any_long ? kForLongStrings : kSmallest, kLargest);
}

GlobalIds write_global_definitions(OTF2_Archive* archive, const Definitions& definitions) {
  GlobalIds ids;
  ids.maps.definition_chunk = definition_chunk(definitions);
  ids.good = set_definition_chunk(ids.maps.definition_chunk);
  GlobalWriter writer(OTF2_Archive_GetGlobalDefWriter(archive));
  write_clock(writer, definitions);
  write_fixed_definitions(writer, definitions);
  write_usage_metric(writer);
  write_counters_metric(writer, definitions.recording.counters);
  write_places(writer, definitions);
  ids.maps.regions = write_code(writer, definitions);
  ids.maps.groups = write_communicators(writer, definitions);
  ids.maps.call_paths = identity(definitions.call_paths.size());
  ids.maps.communicators = identity(definitions.communicators.size());
  ids.maps.windows = identity(definitions.windows.size());
  for (const std::string& text : definitions.texts) {
    ids.maps.texts.push_back(writer.string(text));
  }
  ids.good =
      ids.good && writer.good() && OTF2_Archive_CloseGlobalDefWriter(archive, writer.otf2) == OTF2_SUCCESS;
  return ids;
}

}  // namespace waitprof::archive
