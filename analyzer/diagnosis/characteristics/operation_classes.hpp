// What each class of operation cost: number of calls, time, waiting, desynchronisation before and after,
// overlap of what its calls started. A nonblocking or persistent collective belongs to the class of its
// blocking counterpart.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

struct OperationClass {
  std::string_view id;      // "messages", "reductions", "io" ...
  std::uint64_t count = 0;  // calls on all ranks
  Duration time{}, waiting{}, desynchronised_before{}, desynchronised_after{}, overlap{};
};

// Classes that occur, in a fixed order.
std::vector<OperationClass> operation_classes(const Trace& trace, const SyncPoints& sync,
                                              const WaitStates& states);

// By gap: a nonblocking message or collective of the location was under way throughout it.
std::vector<bool> gaps_with_overlap(const Timeline& timeline);

}  // namespace waitdiag
