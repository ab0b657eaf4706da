// The port that holds a bundle of messages back most.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/shared_links.hpp"

namespace waitdiag {

void SharedLinks::find_lowest(Bundle& bundle) const {
  bundle.lowest = bundle.elsewhere = bundle.most;
  bundle.lowest_at = kNone;
  for (const Port& port : bundle.key) {
    const double level = level_[port.link];
    if (level < bundle.lowest) {
      bundle.elsewhere = bundle.lowest;
      bundle.lowest = level;
      bundle.lowest_at = port.link;
    } else if (level < bundle.elsewhere) {
      bundle.elsewhere = level;
    }
  }
}

// The same after the level of one port of its key has changed.
void SharedLinks::change_lowest(Bundle& bundle, std::uint32_t l, double level_before) const {
  const double level = level_[l];
  const bool was_lowest = bundle.lowest_at == l;
  if (was_lowest ? level > bundle.elsewhere : level_before <= bundle.elsewhere && level > level_before) {
    find_lowest(bundle);
  } else if (was_lowest) {
    bundle.lowest = level;
  } else if (level < bundle.lowest) {
    bundle.elsewhere = bundle.lowest;
    bundle.lowest = level;
    bundle.lowest_at = l;
  } else if (level < bundle.elsewhere) {
    bundle.elsewhere = level;
  }
}

}  // namespace waitdiag
