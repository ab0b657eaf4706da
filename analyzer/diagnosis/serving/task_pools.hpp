// Tasks that are handed out one by one: by a server that takes whoever comes first (services.hpp), or by a counter in a
// window.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/serving/services.hpp"

namespace waitdiag {

// Some workers, from one collective operation to the next.
struct TaskPool {
  struct Worker {
    Location location{};
    std::uint32_t first = 0, last = 0;  // gaps
    std::uint32_t requests = 0;         // for a task
  };
  std::vector<Worker> workers;
  bool has_server = false;
  Location server{};
};

std::vector<TaskPool> find_task_pools(const Trace& trace, const SyncPoints& sync,
                                      const std::vector<std::vector<Services>>& services);

}  // namespace waitdiag
