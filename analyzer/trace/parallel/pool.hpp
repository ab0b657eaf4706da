// Expensive objects that are reused, each by one thread at a time: so there are never more of them than
// threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace waitdiag {

template <typename Thing>
class Pool {
 public:
  // make() is called by one thread at a time.
  explicit Pool(std::function<std::unique_ptr<Thing>()> make) : make_(std::move(make)) {}

  // Calls use(thing) with a thing that no other thread is using.
  template <typename Use>
  void with(Use use) {
    std::unique_ptr<Thing> thing = take();
    use(*thing);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(thing));
  }

 private:
  std::unique_ptr<Thing> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return make_();
    std::unique_ptr<Thing> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  std::function<std::unique_ptr<Thing>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Thing>> free_;
};

}  // namespace waitdiag
