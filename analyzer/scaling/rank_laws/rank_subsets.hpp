// Some of the ranks, by rules that hold for any number of ranks: ranks in a row, one of each group, a part of each quarter.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

struct RankSubset {
  std::string text{};  // of equal rules
  std::function<bool(int rank, int ranks)> has{};
};

// What these ranks may be, by rank of one run; simple rules first.
std::vector<RankSubset> ranks_in_a_row(const std::vector<bool>& chosen);
std::vector<RankSubset> one_of_each_group(const std::vector<bool>& chosen);
std::vector<RankSubset> parts_of_ranks(const std::vector<bool>& chosen);

// The ranks of a subset, numbered in order, in all runs and in the target. Programs that leave some ranks out (leaders,
// or what does not fit a power of two) count the others so.
class NumberedRanks {
 public:
  // `around`: the first one follows the last one.
  NumberedRanks(const Study& study, const RankSubset& subset, bool around);
  // The rank that `law` gives a member: a function of its number, of how many there are, and of their line. Nothing: the
  // rank is none of them, or has no partner.
  using Law = std::function<std::optional<int>(int number, int count, const Grid& line)>;
  std::optional<int> peer(int rank, int ranks, const Law& law) const;
  std::optional<int> number_of(int rank, int ranks) const;
  const std::string& text() const { return text_; }

 private:
  struct Line {
    std::vector<int> members{}, numbers{};  // -1: it is none of them
    Grid grid{};
  };
  std::string text_;
  std::map<int, Line> lines_;  // by number of ranks
};

}  // namespace waitdiag
