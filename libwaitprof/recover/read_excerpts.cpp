// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/read_excerpts.hpp"

#include <algorithm>
#include <iterator>

namespace waitprof::archive {
namespace {

// Up to the event of zeros.
std::span<const Event> events_in(std::span<const Event> slot) {
  const auto end = std::find_if(slot.begin(), slot.end(), [](const Event& event) {
    return event.time == 0 && event.type == EventType{};
  });
  return slot.first(static_cast<std::size_t>(end - slot.begin()));
}

}  // namespace

void join_excerpts(std::span<const Event> all, BufferedEvents& buffer) {
  const crash_safe::ExcerptSlots& excerpts = buffer.area.excerpts;
  std::vector<crash_safe::ExcerptSlot> slots;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(excerpts.count, std::size(excerpts.slot)); ++i) {
    const crash_safe::ExcerptSlot& slot = excerpts.slot[i];
    if (slot.number != crash_safe::kNoExcerpt && slot.first <= all.size() &&
        slot.room <= all.size() - slot.first) {
      slots.push_back(slot);
    }
  }
  std::sort(slots.begin(), slots.end(),
            [](const auto& one, const auto& other) { return one.number < other.number; });
  for (const crash_safe::ExcerptSlot& slot : slots) {
    const auto events = events_in(all.subspan(slot.first, slot.room));
    buffer.joined.insert(buffer.joined.end(), events.begin(), events.end());
  }
  buffer.rest = buffer.joined;
}

std::span<const CallTotals> totals_in(std::span<const std::byte> file, const crash_safe::EventArea& area) {
  const std::size_t offset = std::size_t{area.excerpts.totals_offset} * crash_safe::kPage;
  if (offset == 0 || offset > file.size() || file.size() - offset < sizeof(CallTotals)) {
    return {};
  }
  return {reinterpret_cast<const CallTotals*>(file.data() + offset), 1};
}

}  // namespace waitprof::archive
