// Instead of parallel.cpp under the thread sanitizer: Debian's oneTBB is not built with it, so it does not
// see how that synchronises and would report races everywhere. Plain threads take one index after the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr unsigned kThreads = 4;  // also where there are fewer cores
std::atomic<unsigned> most_threads = kThreads;

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(most_threads);
  const auto take_turns = [&](std::exception_ptr& error) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < errors.size(); ++i) others.emplace_back(take_turns, std::ref(errors[i]));
  take_turns(errors[0]);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

struct ThreadLimit::Limit {
  explicit Limit(unsigned threads) : before(most_threads.exchange(threads)) {}
  ~Limit() { most_threads = before; }
  unsigned before;
};

ThreadLimit::ThreadLimit(unsigned threads) {
  if (threads > 0) limit_ = std::make_unique<Limit>(threads);
}
ThreadLimit::~ThreadLimit() = default;

}  // namespace waitdiag
