// Partners that no rule gives, as in a mesh or a graph that was divided by chance: the target gets a graph that is like
// the recorded ones, drawn at random. Of those it keeps
// * how many partners a rank has: the distribution of the largest run, with the mean that the runs lead to;
// * how far away they are: offsets of the largest run, which grow with the ranks as their mean does over the runs;
// * the bytes to a partner, relative to the mean; and whether messages go both ways.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

struct DrawnPartner {
  int rank = 0;
  double ratio = 1;  // of the bytes to the mean
};

// By rank of the target; several messages to one partner are one after the other.
struct DrawnPartners {
  std::vector<std::vector<DrawnPartner>> of_rank{};
};

struct DrawnGraph {
  std::shared_ptr<const DrawnPartners> to{}, from{};
};

// The messages of one call, and of the one that receives them, by instance: from whom to whom, and the bytes of each.
using GraphEdges = std::map<std::pair<int, int>, std::vector<double>>;
struct RecordedGraph {
  Instances instances{};
  std::vector<GraphEdges> edges{};
};

// Of all messages; 0 where there are none, or nothing but empty ones.
double mean_bytes(const GraphEdges& edges);

// Graphs that were alike in the runs are alike in the target: in each step the same, or the same other way round.
class PartnerDraws {
 public:
  explicit PartnerDraws(const Study& study) : study_(study) {}
  // The same for the same study.draw.
  DrawnGraph draw(const RecordedGraph& recorded);

 private:
  const Study& study_;
  std::map<std::vector<GraphEdges>, DrawnGraph> known_;  // ratios for bytes
};

}  // namespace waitdiag
