// Early Scan: in a prefix operation (Scan, Exscan) process n needs data only from processes 0 to n, so it
// waits for the last of those.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

void scan_wait(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  std::uint32_t last = 0;
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    const Participant& mine = view.participants[me];
    if (mine.begin > view.participants[last].begin) last = me;
    if (mine.sends || mine.receives) found.push_back({me, last, waited_for(mine, view.participants[last])});
  }
}

}  // namespace

const WaitPattern early_scan{
    .id = "early_scan",
    .title = "Early Scan",
    .summary = "Processes waited in a prefix operation for one of the processes before them.",
    .advice = "Balance the work before the operation, most of all on the low ranks.",
    .rule = "min(last begin of the ranks up to the own one, own end) - own begin",
    .at = CallKind::Scan,
    .on_collective = scan_wait,
};

}  // namespace waitdiag
