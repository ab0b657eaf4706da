// What every callback for an event of an archive has in common.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/formats/read/archive_events.hpp"

namespace waitdiag {

// OTF2 callbacks have the location, the time and the event's position first and the attribute list after the
// user's pointer. `Event` turns one into calls of the builder; this is the rest, the same for all.
template <auto Event, typename... Fields>
OTF2_CallbackCode on_event(OTF2_LocationRef, OTF2_TimeStamp ticks, std::uint64_t, void* user,
                           OTF2_AttributeList* attributes, Fields... fields) {
  EventContext& context = *static_cast<EventContext*>(user);
  const Time time = to_time(ticks, context.definitions.clock_offset, context.definitions.resolution);
  if (time > context.limit) {
    context.stopped = true;
    return OTF2_CALLBACK_INTERRUPT;
  }
  context.last = time;
  Event(context, time, attributes, fields...);
  return OTF2_CALLBACK_SUCCESS;
}

using Attributes = const OTF2_AttributeList*;

}  // namespace waitdiag
