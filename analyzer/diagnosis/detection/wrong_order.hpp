// Remembers the last late senders of one receiving location and finds those received in the wrong order: a
// message received later had been sent earlier.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "analyzer/trace/model/ids.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class WrongOrder {
 public:
  struct Late {
    Time sent{};
    Rank source = kNoRank;
    OpRef receive;
    Duration wait{};
  };

  void remember(const Late& late) {
    if (ring_.size() < kRemembered) {
      ring_.push_back(late);
    } else {
      ring_[next_] = late;
      next_ = (next_ + 1) % kRemembered;
    }
    latest_ = std::max(latest_, late.sent);
  }

  // Calls visit(late) for every remembered late sender that started after `sent`, and forgets it.
  template <typename Visit>
  void received(Time sent, Visit visit) {
    if (sent >= latest_) return;  // the usual case: no need to search the ring
    std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(next_), ring_.end());
    next_ = 0;
    latest_ = Time::min();
    std::erase_if(ring_, [&](const Late& late) {
      const bool wrong = late.sent > sent;
      if (wrong)
        visit(late);
      else
        latest_ = std::max(latest_, late.sent);
      return wrong;
    });
  }

 private:
  static constexpr std::size_t kRemembered = 100;
  std::vector<Late> ring_;
  std::size_t next_ = 0;  // oldest entry, once the ring is full
  Time latest_ = Time::min();
};

}  // namespace waitdiag
