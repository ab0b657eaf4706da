// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/switch_ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {
namespace {

// The fields that the kernel appends to every record because of sample_type.
struct Trailer {
  std::uint64_t time;
  std::uint32_t processor, unused;
};

perf_event_mmap_page& control(std::byte* pages) noexcept {
  return *reinterpret_cast<perf_event_mmap_page*>(pages);
}

Switch::What meaning_of(const perf_event_header& header) noexcept {
  if (header.type == PERF_RECORD_LOST) {
    return Switch::What::Lost;
  }
  if (header.type == PERF_RECORD_SAMPLE) {
    return Switch::What::PageFault;
  }
  if (header.type != PERF_RECORD_SWITCH) {
    return Switch::What::Other;
  }
  if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) {
    return Switch::What::Back;
  }
  return (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? Switch::What::Preempted
                                                                  : Switch::What::Blocked;
}

}  // namespace

bool SwitchRing::open() noexcept {
  const int descriptor = schema::open_switches_of_this_thread();
  if (descriptor < 0) {
    return false;
  }
  void* const pages = ::mmap(nullptr, kPage + kDataBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (pages == MAP_FAILED) {
    return false;
  }
  use(pages);
  ahead_ = static_cast<std::uint64_t>(ahead_of_kernel());
  return true;
}

void SwitchRing::close() noexcept {
  if (is_open()) {
    ::munmap(pages_, kPage + kDataBytes);
    *this = {};
  }
}

void SwitchRing::use(void* pages) noexcept {
  static_assert(sizeof(perf_event_mmap_page::data_head) == sizeof *head_);
  pages_ = static_cast<std::byte*>(pages);
  head_ = reinterpret_cast<const std::uint64_t*>(&control(pages_).data_head);
  tail_ = 0;
}

// No record is larger than that.
bool SwitchRing::is_full() const noexcept {
  constexpr std::uint64_t kLargestRecord = 64;
  return __atomic_load_n(head_, __ATOMIC_ACQUIRE) - control(pages_).data_tail + kLargestRecord > kDataBytes;
}

void SwitchRing::copy(std::uint64_t from, void* to, std::size_t bytes) const noexcept {
  const std::size_t at = from % kDataBytes;
  const std::size_t first = std::min(bytes, kDataBytes - at);
  const std::byte* const data = pages_ + kPage;
  std::memcpy(to, data + at, first);
  std::memcpy(static_cast<std::byte*>(to) + first, data, bytes - first);
}

bool SwitchRing::peek(Switch& next) const noexcept {
  if (__atomic_load_n(head_, __ATOMIC_ACQUIRE) == tail_) {
    return false;
  }
  perf_event_header header{};
  copy(tail_, &header, sizeof header);
  Trailer trailer{};
  copy(tail_ + header.size - sizeof trailer, &trailer, sizeof trailer);
  next = {
      .what = meaning_of(header), .time = trailer.time + ahead_, .lost = 0, .processor = trailer.processor};
  if (next.what == Switch::What::Lost) {
    constexpr std::size_t kBehindItsId = sizeof header + sizeof(std::uint64_t);
    copy(tail_ + kBehindItsId, &next.lost, sizeof next.lost);
  }
  return true;
}

void SwitchRing::pass() noexcept {
  perf_event_header header{};
  copy(tail_, &header, sizeof header);
  tail_ += header.size;
}

void SwitchRing::pass_all() noexcept {
  tail_ = __atomic_load_n(head_, __ATOMIC_ACQUIRE);
}

void SwitchRing::give_back() noexcept {
  __atomic_store_n(&control(pages_).data_tail, tail_, __ATOMIC_RELEASE);
}

}  // namespace waitprof
