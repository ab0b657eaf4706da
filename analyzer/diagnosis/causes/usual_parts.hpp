// How much of a call path's time on a location is no more than usual: than it takes on the other locations that run it.
// Where the victim of a wait did other work meanwhile, that makes up for what is usual first: models that compute
// different functions are each other's victims, and of the slow one only what its own ranks do not all do is to blame.
//
//   ocean, rank 0, rank 1   advance_ocean.......|          waits for both
//   ice,   rank 2           advance_ice.........|
//   ice,   rank 3           advance_ice.........|refine....|     refine is the excess, not a part of advance_ice
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"

namespace waitdiag {

class UsualParts {
 public:
  UsualParts() = default;  // all is usual
  UsualParts(const Profile& profile, const Activities& activities);

  // 0..1, by slot of Activities.
  double of(std::size_t slot, Location location) const {
    return parts_.empty() ? 1 : parts_[slot * locations_ + index(location)];
  }

 private:
  std::size_t locations_ = 0;
  std::vector<float> parts_;  // by slot, then location
};

}  // namespace waitdiag
