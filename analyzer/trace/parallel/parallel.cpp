// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/parallel/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

namespace waitdiag {

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  tbb::parallel_for(std::size_t{0}, count, work);
}

// TBB knows a limit by its address: it must be constructed in place.
struct ThreadLimit::Limit {
  explicit Limit(unsigned threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(unsigned threads) {
  if (threads == 0) return;
  limit_ = std::make_unique<Limit>(threads);
}
ThreadLimit::~ThreadLimit() = default;

}  // namespace waitdiag
