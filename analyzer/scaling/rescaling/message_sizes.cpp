// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/message_sizes.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

void widen(RescalingReport::Sizes& sizes, const SentSizes::Class& by) {
  sizes.least = std::min(sizes.least, by.least);
  sizes.most = std::max(sizes.most, by.most);
}

}  // namespace

std::optional<RescalingReport::Outside> outside_recorded(const SentSizes& recorded, const SentSizes& target) {
  RescalingReport::Outside outside{.recorded = {UINT64_MAX, 0}, .target = {UINT64_MAX, 0}};
  double all = 0, count = 0;
  for (std::size_t c = 1; c < SentSizes::kClasses; ++c) {
    if (recorded[c].messages > 0) widen(outside.recorded, recorded[c]);
    const auto messages = static_cast<double>(target[c].messages);
    all += messages;
    if (messages == 0 || recorded[c].messages > 0) continue;
    widen(outside.target, target[c]);
    count += messages;
  }
  if (count == 0 || outside.recorded.most == 0) return std::nullopt;
  outside.share = count / all;
  return outside;
}

}  // namespace waitdiag
