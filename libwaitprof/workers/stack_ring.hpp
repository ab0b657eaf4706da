// Sampled stacks on their way from the signal handler of one thread to another thread that writes them down.
// One thread may put while another one takes; neither waits. Outer frames that a stack shares with the one
// before are not stored again.
//
//   time | weight, frames, shared frames, complete | frame, innermost first ... | time | ...
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace waitprof {

// A stack as it was walked: the exact instruction that was interrupted, then return addresses, innermost
// first.
template <std::size_t kMost>
struct SampledStack {
  std::uint64_t time = 0;    // ns, see clock.hpp
  std::uint32_t weight = 0;  // sampling periods; 0: no sample, the frames are what was told with mark()
  bool complete = false;     // to the outermost frame
  std::size_t count = 0;
  std::array<void*, kMost> frames;

  std::span<void* const> stack() const noexcept { return {frames.data(), count}; }
};

template <std::size_t kWords, std::size_t kMostFrames>
class StackRing {
  static_assert((kWords & (kWords - 1)) == 0 && kMostFrames + 2 <= kWords && kMostFrames < (1U << 15));

 public:
  using Stack = SampledStack<kMostFrames>;

  // False: there is no room until a stack has been taken. `kept`: so many words stay free.
  bool put(const Stack& sample, std::size_t kept = 0) noexcept {
    const std::size_t shared = shared_outer_frames(sample, put_last_);
    const std::size_t fresh = sample.count - shared;
    const std::size_t place = written_.load(std::memory_order_relaxed);
    if (kWords - (place - read_.load(std::memory_order_acquire)) < fresh + 2 + kept) return false;
    word(place) = sample.time;
    word(place + 1) = std::uint64_t{sample.weight} << 32 | std::uint64_t{fresh} << 16 |
                      std::uint64_t{shared} << 1 | (sample.complete ? 1 : 0);
    for (std::size_t i = 0; i < fresh; ++i)
      word(place + 2 + i) = reinterpret_cast<std::uintptr_t>(sample.frames[i]);
    copy(sample, put_last_);
    written_.store(place + 2 + fresh, std::memory_order_release);
    return true;
  }

  // nullptr: there is none. Valid until the next one is taken.
  const Stack* take() noexcept {
    const std::size_t place = read_.load(std::memory_order_relaxed);
    if (place == written_.load(std::memory_order_acquire)) return nullptr;
    const std::uint64_t header = word(place + 1);
    const std::size_t fresh = header >> 16 & 0xffff, shared = header >> 1 & 0x7fff;
    const auto before = taken_.stack().last(shared);
    std::array<void*, kMostFrames>& frames = taken_.frames;
    if (fresh > taken_.count - shared)
      std::copy_backward(before.begin(), before.end(),
                         frames.begin() + static_cast<std::ptrdiff_t>(fresh + shared));
    else
      std::copy(before.begin(), before.end(), frames.begin() + static_cast<std::ptrdiff_t>(fresh));
    for (std::size_t i = 0; i < fresh; ++i) frames[i] = reinterpret_cast<void*>(word(place + 2 + i));
    taken_.count = fresh + shared;
    taken_.time = word(place);
    taken_.weight = static_cast<std::uint32_t>(header >> 32);
    taken_.complete = (header & 1) != 0;
    read_.store(place + 2 + fresh, std::memory_order_release);
    return &taken_;
  }

 private:
  std::uint64_t& word(std::size_t place) noexcept { return words_[place & (kWords - 1)]; }

  static std::size_t shared_outer_frames(const Stack& a, const Stack& b) noexcept {
    const std::size_t most = std::min(a.count, b.count);
    std::size_t shared = 0;
    while (shared < most && a.frames[a.count - 1 - shared] == b.frames[b.count - 1 - shared]) ++shared;
    return shared;
  }
  static void copy(const Stack& from, Stack& to) noexcept {
    to.count = from.count;
    std::copy_n(from.frames.begin(), from.count, to.frames.begin());
  }

  std::atomic<std::size_t> written_{0}, read_{0};  // words since the beginning
  Stack put_last_, taken_;
  std::array<std::uint64_t, kWords> words_;
};

}  // namespace waitprof
