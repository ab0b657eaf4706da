// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "analyzer/formats/read/archive_events.hpp"
#include "analyzer/formats/read/event_attribute.hpp"

namespace waitdiag {
namespace {

std::optional<OTF2_CallingContextRef> written_path(const EventContext& c,
                                                   const OTF2_AttributeList* attributes) {
  OTF2_CallingContextRef context = OTF2_UNDEFINED_CALLING_CONTEXT;
  const OTF2_AttributeRef attribute = c.definitions.call_path_attribute;
  const bool found = attribute != OTF2_UNDEFINED_ATTRIBUTE &&
                     OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
                     OTF2_AttributeList_GetCallingContextRef(attributes, attribute, &context) == OTF2_SUCCESS;
  return found ? std::optional(context) : std::nullopt;
}

}  // namespace

CallPathId path_of_enter(EventContext& c, const OTF2_AttributeList* attributes) {
  const auto written = written_path(c, attributes);
  const CallPathId path = written ? c.code.call_path(*written) : c.paths.next();
  c.paths.add(path);
  if (const std::uint64_t before = number_in(c.definitions.repeat_attribute, attributes)) {
    c.paths.repeat_from(before);
  }
  return path;
}

CallPathId recorded_path(EventContext& c, const OTF2_AttributeList* attributes) {
  const auto written = written_path(c, attributes);
  return written ? c.code.call_path(*written) : kNoCallPath;
}

}  // namespace waitdiag
