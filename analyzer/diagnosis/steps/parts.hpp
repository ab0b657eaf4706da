// The parts of a run that are examined separately: the whole, the time before, in and after the time steps,
// and the steps one by one, or in groups where there are many. Outermost user regions are parts as well, but
// are not among these.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

struct Part {
  enum class Kind : std::uint8_t { Run, BeforeSteps, Steps, AfterSteps, SomeSteps, Region };
  Kind kind = Kind::Run;
  std::uint32_t first_step = 0, last_step = 0;  // SomeSteps
  RegionId region = kNoRegion;                  // Region
};

class Parts {
 public:
  static constexpr std::size_t kFirstGroup = 4;
  static constexpr std::size_t row_of(Part::Kind kind) { return static_cast<std::size_t>(kind); }

  // `most_groups`: the steps are divided into at most that many rows of equally many steps.
  Parts(const Steps& steps, std::uint32_t most_groups) : steps_(steps) {
    const std::uint32_t groups = std::min(steps.count(), most_groups);
    if (groups > 0) per_group_ = (steps.count() + groups - 1) / groups;
    for (const Part::Kind kind :
         {Part::Kind::Run, Part::Kind::BeforeSteps, Part::Kind::Steps, Part::Kind::AfterSteps})
      rows_.push_back({kind});
    for (std::uint32_t first = 0; first < steps.count(); first += per_group_)
      rows_.push_back({Part::Kind::SomeSteps, first, std::min(first + per_group_, steps.count()) - 1});
  }

  // The first four by their kind, then groups of steps.
  const std::vector<Part>& rows() const { return rows_; }

  // Calls visit(part, row) for all gaps of a location in order, divided as by Steps::for_each_part(), with
  // the smallest part of the run that each belongs to; the operation after a gap belongs to the same one as
  // the gap's last part.
  template <typename Visit>
  void for_each_part(const Trace& trace, Location location, Visit visit) const {
    Part::Kind kind = Part::Kind::BeforeSteps;
    steps_.for_each_part(trace, location, [&](const GapPart& part, std::uint32_t step) {
      if (step != Steps::kOutside) kind = Part::Kind::Steps;
      if (step == Steps::kOutside && kind == Part::Kind::Steps) kind = Part::Kind::AfterSteps;
      visit(part, step == Steps::kOutside ? row_of(kind) : kFirstGroup + step / per_group_);
    });
  }

  // Calls visit(row) for a smallest part and all parts that it lies in.
  template <typename Visit>
  static void for_each_row(std::size_t smallest, Visit visit) {
    visit(row_of(Part::Kind::Run));
    visit(smallest);
    if (smallest >= kFirstGroup) visit(row_of(Part::Kind::Steps));
  }

 private:
  const Steps& steps_;
  std::uint32_t per_group_ = 1;
  std::vector<Part> rows_;
};

}  // namespace waitdiag
