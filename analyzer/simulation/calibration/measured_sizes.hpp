// Times of messages of many sizes between two ranks, measured so that momentary disturbances do not remain in
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "analyzer/simulation/calibration/laboratory.hpp"

namespace waitdiag {

class MeasuredSizes {
 public:
  MeasuredSizes(Laboratory& laboratory, RankPair pair) : laboratory_(laboratory), pair_(pair) {}

  // Measures those that are not known yet, one after the other, and all of them several times: the shortest
  // time counts. Where times repeat exactly, once is enough.
  void add(std::span<const std::uint64_t> sizes);
  // Sizes that took longer than larger ones are measured again. Where the protocol changes this may be real:
  // then they take as long again. If they do not, the shorter time counts; sizes that stay longer but never
  // repeat their time are left out. Returns how many.
  std::size_t leave_out_disturbed();

  std::vector<TimedSize> list() const;  // ascending

 private:
  Laboratory& laboratory_;
  RankPair pair_;
  std::map<std::uint64_t, TimedSize> samples_;
  std::set<std::uint64_t> confirmed_;  // sizes that do take longer than larger ones
};

}  // namespace waitdiag
