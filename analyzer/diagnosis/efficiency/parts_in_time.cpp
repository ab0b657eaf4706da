// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/efficiency/parts_in_time.hpp"

namespace waitdiag {
namespace {

// Adds the next stretch of a location, or extends the last one.
void append(std::vector<PartStretch>& stretches, std::uint32_t part, Time begin, Time end) {
  if (stretches.empty() || stretches.back().part != part) stretches.push_back({part, begin, end});
  stretches.back().end = end;
}

}  // namespace

PartsInTime::PartsInTime(const Trace& trace, const Steps& steps, std::uint32_t most_groups) {
  const Parts parts(steps, most_groups);
  run_.parts = static_cast<std::uint32_t>(parts.rows().size());
  if (steps.count() > 0) add_steps(trace, parts);
  add_regions(trace);
}

void PartsInTime::add_steps(const Trace& trace, const Parts& parts) {
  const Part& group = parts.rows()[Parts::kFirstGroup];
  steps_per_group_ = group.last_step - group.first_step + 1;
  PartStretches phases(trace.timelines().size()), groups = phases;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location main = trace.main_location(Rank(rank));
    const Timeline& timeline = trace.timeline(main);
    parts.for_each_part(trace, main, [&](const GapPart& part, std::size_t row) {
      const Time end = part.last && part.gap < timeline.size() ? timeline.leave(part.gap) : part.end;
      const bool in_steps = row >= Parts::kFirstGroup;
      const std::size_t phase = in_steps ? Parts::row_of(Part::Kind::Steps) : row;
      append(phases[index(main)], static_cast<std::uint32_t>(phase), part.begin, end);
      if (in_steps) append(groups[index(main)], static_cast<std::uint32_t>(row), part.begin, end);
    });
  }
  run_.divisions.push_back(std::move(phases));
  run_.divisions.push_back(std::move(groups));
}

void PartsInTime::add_regions(const Trace& trace) {
  PartStretches regions(trace.timelines().size());
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location main = trace.main_location(Rank(rank));
    for (const UserRegion& region : trace.timeline(main).user_regions()) {
      const auto [number, is_new] = regions_.try_emplace(region.region, run_.parts);
      run_.parts += is_new;
      regions[index(main)].push_back({number->second, region.begin, region.end});
    }
  }
  if (!regions_.empty()) run_.divisions.push_back(std::move(regions));
}

std::uint32_t PartsInTime::number(const Part& part) const {
  if (part.kind == Part::Kind::Region) return regions_.at(part.region);
  const auto row = static_cast<std::uint32_t>(Parts::row_of(part.kind));
  return part.kind == Part::Kind::SomeSteps ? row + part.first_step / steps_per_group_ : row;
}

}  // namespace waitdiag
