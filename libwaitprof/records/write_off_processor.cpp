// When a thread was not on a processor -> the parameter events of schema.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <span>

#include "libwaitprof/records/location_writer.hpp"

namespace waitprof::archive {

// A switch that reached the buffer after a later event is only known to lie before that event.
void LocationWriter::write_off_processor(const Event& event) {
  const OffProcessorData& off = event.u.off_processor;
  const bool late = event.time < last_time_;
  last_time_ = std::max<std::uint64_t>(last_time_, event.time);
  const std::uint64_t turns = late && off.turns == 0 ? 1 : off.turns, length = off.time;
  const EventAttribute sum[] = {{kTurnsAttributeRef, OTF2_TYPE_UINT64, turns}};
  file_.add_with(std::span(sum).first(turns > 0 ? 1 : 0), EventRecord::ParameterUnsignedInt, last_time_,
                 kFirstOffProcessorParameterRef + off.reason, length);
}

}  // namespace waitprof::archive
