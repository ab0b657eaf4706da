// Independent pieces of work on all cores.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace waitdiag {

// Calls work(i) for every i below `count`, several at a time and in no particular order. work(i) may write
// only what belongs to i. The first exception ends the rest and is rethrown.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

// The same for small pieces of work: calls work(first, last) for consecutive blocks [first, last), which do
// not depend on the number of threads.
template <typename Work>
void for_each_block(std::size_t count, const Work& work, std::size_t block = std::size_t{1} << 14) {
  for_each_index((count + block - 1) / block,
                 [&](std::size_t i) { work(i * block, std::min((i + 1) * block, count)); });
}

// During its lifetime, for_each_index uses at most that many threads; 0: as many as there are cores.
class ThreadLimit {
 public:
  explicit ThreadLimit(unsigned threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Limit;
  std::unique_ptr<Limit> limit_;
};

}  // namespace waitdiag
