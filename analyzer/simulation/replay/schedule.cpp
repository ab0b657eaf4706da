// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/schedule.hpp"

#include <algorithm>

namespace waitdiag {

void ScheduleBuilder::touch(std::uint32_t member) {
  const auto& items = items_[member];
  if (items.empty() || Schedule::what(items.back()) == Schedule::Do::EndRound ||
      Schedule::what(items.back()) == Schedule::Do::Combine)
    touched_.push_back(member);
}

void ScheduleBuilder::message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  if (from == to) return;
  touch(from);
  items_[from].push_back(Schedule::item(Schedule::Do::Send, messages_.size()));
  touch(to);
  items_[to].push_back(Schedule::item(Schedule::Do::Receive, messages_.size()));
  messages_.push_back({from, to, bytes});
}

void ScheduleBuilder::combine(std::uint32_t member, std::uint64_t bytes) {
  combined_.emplace_back(member, bytes);
}

void ScheduleBuilder::end_round() {
  for (const std::uint32_t member : touched_)
    items_[member].push_back(Schedule::item(Schedule::Do::EndRound, 0));
  constexpr std::uint64_t kMost = (std::uint64_t{1} << Schedule::kNumberBits) - 1;
  for (const auto& [member, bytes] : combined_)
    items_[member].push_back(
        Schedule::item(Schedule::Do::Combine, std::min(bytes / Schedule::kCombineUnit, kMost)));
  touched_.clear();
  combined_.clear();
}

Schedule ScheduleBuilder::build() {
  end_round();
  Schedule schedule;
  schedule.messages = std::move(messages_);
  schedule.first_item.push_back(0);
  for (const auto& items : items_) {
    schedule.items.insert(schedule.items.end(), items.begin(), items.end());
    schedule.first_item.push_back(static_cast<std::uint32_t>(schedule.items.size()));
  }
  return schedule;
}

}  // namespace waitdiag
