// The kernel's notes of when a thread left a processor and came back, in memory that it shares with us. That of a page
// fault comes when its page is there: behind those of the waiting for it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "libwaitprof/schema/switch_events.hpp"

namespace waitprof {

struct Switch {
  enum class What : std::uint8_t { Blocked, Preempted, Back, PageFault, Lost, Other };
  What what = What::Other;
  std::uint64_t time = 0;  // CLOCK_MONOTONIC, ns
  std::uint64_t lost = 0;  // Lost: how many notes found no room
  std::uint32_t processor = 0;
};

class SwitchRing {
 public:
  // Opens the ring of the calling thread. False: the kernel refuses, or has no memory for it.
  bool open() noexcept;
  // Called by any thread; harmless if it is not open.
  void close() noexcept;
  bool is_open() const noexcept { return pages_ != nullptr; }

  // The kernel's position: if it differs from tail(), there are new records.
  const std::uint64_t* head() const noexcept { return head_; }
  std::uint64_t tail() const noexcept { return tail_; }

  // Whether records were, or may have been, lost for lack of room.
  bool is_full() const noexcept;
  // The next note, or false. It stays until pass().
  bool peek(Switch& next) const noexcept;
  void pass() noexcept;
  void pass_all() noexcept;
  // Gives passed records back to the kernel.
  void give_back() noexcept;

  // Uses memory that a test fills.
  void use(void* pages) noexcept;

  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kDataBytes = (schema::kSwitchPages - 1) * kPage;

 private:
  void copy(std::uint64_t from, void* to, std::size_t bytes) const noexcept;

  std::byte* pages_ = nullptr;
  const std::uint64_t* head_ = nullptr;
  std::uint64_t tail_ = 0;
  std::uint64_t ahead_ = 0;  // of the kernel's times, see clock.hpp
};

}  // namespace waitprof
