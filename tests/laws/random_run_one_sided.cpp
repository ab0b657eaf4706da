// The steps of a random run that access a window: between fences, between post and wait, and under locks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

constexpr std::int64_t kSignal = 200;  // until a signal reaches the other side of a window
constexpr std::uint64_t kAccessBytes = 64;

}  // namespace

PeerListId RandomRun::Feed::group(const std::vector<int>& ranks) const {
  PeerList list;
  for (const int r : ranks) {
    const auto number = static_cast<std::uint32_t>(rank(r));
    list.sent.push_back({number, number, 0});
  }
  std::sort(list.sent.begin(), list.sent.end(),
            [](const PeerRun& a, const PeerRun& b) { return a.first < b.first; });
  return builder.peer_list(list);
}

void RandomRun::access_window() {
  switch (dice_.roll(3)) {
    case 0:
      return fence();
    case 1:
      return post_and_start();
    default:
      return lock();
  }
}

// A call that enters now; its record has the time at which MPI has performed the operation.
void RandomRun::one_sided(int rank, const std::string& name, std::int64_t leave, RmaRecord::What what,
                          int target, bool exclusive) {
  call(rank, name, now_[static_cast<std::size_t>(rank)], leave, {[=](const Feed& feed) {
         feed.builder.rma(feed.location(rank), {.time = feed.time(leave),
                                                .bytes = what == RmaRecord::What::Put ? kAccessBytes : 0,
                                                .window = feed.window,
                                                .target = feed.rank(target),
                                                .what = what,
                                                .exclusive = exclusive});
       }});
}

// MPI_Win_post, start, complete or wait, according to the name.
void RandomRun::group_sync(int rank, const std::string& name, std::int64_t leave,
                           const std::vector<int>& group) {
  call(rank, name, now_[static_cast<std::size_t>(rank)], leave, {[=](const Feed& feed) {
         feed.builder.rma_group_sync(feed.location(rank), feed.time(leave), feed.window, feed.group(group));
       }});
}

void RandomRun::on_window(CollectiveKind kind, const std::string& name) {
  const std::int64_t last = *std::max_element(now_.begin(), now_.end());
  for (int rank = 0; rank < options_.ranks; ++rank) {
    const std::int64_t enter = now_[static_cast<std::size_t>(rank)];
    const std::int64_t leave = last + kSignal + overhead();
    call(rank, name, enter, leave, {[=](const Feed& feed) {
           feed.builder.collective_begin(feed.location(rank), feed.time(enter));
           feed.builder.collective_end(feed.location(rank), feed.time(leave), kind, feed.window, kNoRank, 0,
                                       0);
         }});
  }
}

// Some ranks put data between two fences.
void RandomRun::fence() {
  on_window(CollectiveKind::Fence, "MPI_Win_fence");
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (dice_.roll(2) == 0) continue;
    const auto r = static_cast<std::size_t>(rank);
    one_sided(rank, "MPI_Put", now_[r] + overhead(), RmaRecord::What::Put, (rank + 1) % options_.ranks);
    compute(rank);
  }
  on_window(CollectiveKind::Fence, "MPI_Win_fence");
}

std::vector<int> RandomRun::some_ranks_but(int rank) {
  std::vector<int> some;
  for (int other = 0; other < options_.ranks; ++other) {
    if (other != rank && dice_.roll(2) == 0) some.push_back(other);
  }
  if (some.empty()) some.push_back((rank + 1) % options_.ranks);
  return some;
}

// One rank exposes its memory to some others. It depends on the MPI where an origin waits for it: in the
// start, in the access or at the end.
void RandomRun::post_and_start() {
  const auto target = static_cast<int>(dice_.roll(now_.size()));
  const auto t = static_cast<std::size_t>(target);
  const std::vector<int> origins = some_ranks_but(target);
  const std::int64_t posted = now_[t] + kSignal;
  group_sync(target, "MPI_Win_post", now_[t] + overhead(), origins);
  std::int64_t completed = 0;
  for (const int origin : origins) {
    const std::int64_t& now = now_[static_cast<std::size_t>(origin)];
    const std::uint64_t waits_in = dice_.roll(3);
    const auto leave = [&](std::uint64_t call) {
      return (call == waits_in ? std::max(now, posted) : now) + overhead();
    };
    group_sync(origin, "MPI_Win_start", leave(0), {target});
    one_sided(origin, "MPI_Put", leave(1), RmaRecord::What::Put, target);
    compute(origin);
    completed = std::max(completed, (2 >= waits_in ? std::max(now, posted) : now) + kSignal);
    group_sync(origin, "MPI_Win_complete", leave(2), {target});
  }
  compute(target);
  group_sync(target, "MPI_Win_wait", std::max(now_[t], completed) + overhead(), origins);
}

// Some ranks lock the memory of one rank: first come, first served.
void RandomRun::lock() {
  const auto target = static_cast<int>(dice_.roll(now_.size()));
  const auto t = static_cast<std::size_t>(target);
  std::vector<int> origins = some_ranks_but(target);
  std::sort(origins.begin(), origins.end(), [&](int a, int b) {
    return std::pair(now_[static_cast<std::size_t>(a)], a) < std::pair(now_[static_cast<std::size_t>(b)], b);
  });
  for (const int origin : origins) {
    const std::int64_t& now = now_[static_cast<std::size_t>(origin)];
    const bool exclusive = dice_.roll(2) == 0;
    const std::int64_t free = exclusive ? released_[t] : exclusively_released_[t];
    one_sided(origin, "MPI_Win_lock", std::max(now, free) + overhead(), RmaRecord::What::Lock, target,
              exclusive);
    one_sided(origin, "MPI_Put", now + overhead(), RmaRecord::What::Put, target);
    if (dice_.roll(2) == 0) compute(origin);
    one_sided(origin, "MPI_Win_unlock", now + overhead(), RmaRecord::What::Unlock, target);
    released_[t] = std::max(released_[t], now);
    if (exclusive) exclusively_released_[t] = std::max(exclusively_released_[t], now);
  }
}

}  // namespace waitdiag::test
