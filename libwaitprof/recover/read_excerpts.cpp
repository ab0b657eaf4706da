// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/read_excerpts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace waitprof::archive {
namespace {

// The events before the first one that is all zeros.
std::span<const Event> events_in(std::span<const Event> slot) {
  const auto end = std::find_if(slot.begin(), slot.end(), [](const Event& event) {
    return event.time == 0 && event.type == EventType{};
  });
  return slot.first(static_cast<std::size_t>(end - slot.begin()));
}

std::span<const crash_safe::ExcerptSlot> slots_of(const crash_safe::EventArea& area) {
  return {area.excerpts.slot, std::min<std::size_t>(area.excerpts.count, std::size(area.excerpts.slot))};
}

// Whether all ranks have this excerpt: the first one, and the slot for what happens between excerpts.
bool is_of_all(std::uint64_t number) {
  return number == crash_safe::kFirstExcerpt || number == crash_safe::kLastExcerpt;
}

}  // namespace

void CommonExcerpts::add(std::span<const std::byte> file) {
  crash_safe::EventArea area;
  if (file.size() < sizeof area) {
    return;
  }
  std::memcpy(&area, file.data(), sizeof area);
  if (area.mark != crash_safe::kEventsMark || area.version != crash_safe::kVersion ||
      slots_of(area).empty()) {
    return;
  }
  ++ranks_;
  std::uint64_t newest = crash_safe::kFirstExcerpt;
  for (const crash_safe::ExcerptSlot& slot : slots_of(area)) {
    if (slot.number != crash_safe::kNoExcerpt && !is_of_all(slot.number)) {
      ++ranks_with_[slot.number];
      newest = std::max(newest, slot.number);
    }
  }
  newest_.insert(newest);
}

bool CommonExcerpts::has(std::uint64_t number) const {
  if (is_of_all(number) || newest_.contains(number)) {
    return true;
  }
  const auto with = ranks_with_.find(number);
  return with != ranks_with_.end() && with->second == ranks_;
}

std::size_t CommonExcerpts::left_out() const {
  return static_cast<std::size_t>(std::count_if(ranks_with_.begin(), ranks_with_.end(),
                                                [this](const auto& entry) { return !has(entry.first); }));
}

void join_excerpts(std::span<const Event> all, const CommonExcerpts& common, BufferedEvents& buffer) {
  std::vector<crash_safe::ExcerptSlot> slots;
  for (const crash_safe::ExcerptSlot& slot : slots_of(buffer.area)) {
    if (common.has(slot.number) && slot.first <= all.size() && slot.room <= all.size() - slot.first) {
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
