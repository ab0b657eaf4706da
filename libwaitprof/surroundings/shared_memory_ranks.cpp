// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>

#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/surroundings/system_call.hpp"

namespace waitprof {
namespace {

// MPI and the program need memory there, too. There may be no limit.
bool has_room(int file, std::size_t bytes) noexcept {
  constexpr std::uint64_t kPartOfRoom = 16;
  struct statvfs facts {};
  return ::fstatvfs(file, &facts) == 0 &&
         (facts.f_blocks == 0 || std::uint64_t{facts.f_bavail} * facts.f_bsize / kPartOfRoom >= bytes);
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
  system_call(SYS_futex, &word, FUTEX_WAKE, INT_MAX);
}

std::uint64_t joined(std::uint64_t one, std::uint64_t other, SharedMemoryRanks::Join how) noexcept {
  switch (how) {
    case SharedMemoryRanks::Join::Least:
      return std::min(one, other);
    case SharedMemoryRanks::Join::Largest:
      return std::max(one, other);
    case SharedMemoryRanks::Join::Sum:
      return one + other;
    case SharedMemoryRanks::Join::Bits:
      break;
  }
  return one | other;
}

}  // namespace

constinit SharedMemoryRanks shared_memory_ranks;

bool SharedMemoryRanks::take_part(int file, std::size_t offset, int rank, int ranks) noexcept {
  leave();
  const std::size_t bytes = sizeof(Part) * static_cast<std::size_t>(ranks);
  const auto own = static_cast<off_t>(offset + sizeof(Part) * static_cast<std::size_t>(rank));
  // Allocated by each rank itself: where a write to the mapping finds no room, the kernel kills.
  if (offset % kPage != 0 || !has_room(file, bytes) ||
      ::ftruncate(file, static_cast<off_t>(offset + bytes)) != 0 ||
      ::fallocate(file, 0, own, sizeof(Part)) != 0) {
    return false;
  }
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    return false;
  }
  parts_ = static_cast<Part*>(memory);
  rank_ = rank;
  ranks_ = ranks;
  round_ = 0;
  new (&parts_[rank].control) Control;
  return true;
}

void SharedMemoryRanks::begin(void (*progress)() noexcept) noexcept {
  progress_ = progress;
  begun_ = parts_ != nullptr;
}

void SharedMemoryRanks::leave() noexcept {
  if (parts_ != nullptr) {
    ::munmap(parts_, sizeof(Part) * static_cast<std::size_t>(ranks_));
  }
  parts_ = nullptr;
  begun_ = false;
}

// Rank 0 goes from rank to rank, and may miss a value only if it is asked to wait for one that is over.
void SharedMemoryRanks::wait_until(const Word& word, std::uint32_t value) const noexcept {
  constexpr std::uint64_t kPart = 64, kShortest = 100'000, kLongest = 1'000'000;
  const std::uint64_t begin = now();
  for (std::uint32_t seen = word.load(std::memory_order_acquire); seen != value;
       seen = word.load(std::memory_order_acquire)) {
    const std::uint64_t nap = std::clamp((now() - begin) / kPart, kShortest, kLongest);
    const timespec longest{0, static_cast<long>(nap)};
    if (system_call(SYS_futex, &word, FUTEX_WAIT, seen, &longest) == -ETIMEDOUT) {
      progress_();
    }
  }
}

void SharedMemoryRanks::meet(std::span<std::uint64_t> numbers, Join how,
                             std::span<std::byte> from_rank_0) noexcept {
  ++round_;
  Control& own = parts_[rank_].control;
  Part& first = parts_[0];
  if (rank_ != 0) {
    std::ranges::copy(numbers, own.numbers);
    own.arrived.store(round_, std::memory_order_release);
    wake(own.arrived);
    wait_until(first.control.released, round_);
    std::copy_n(first.control.numbers, numbers.size(), numbers.begin());
    std::copy_n(first.broadcast, from_rank_0.size(), from_rank_0.begin());
    return;
  }
  for (int other = 1; other < ranks_; ++other) {
    const Control& there = parts_[other].control;
    wait_until(there.arrived, round_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = joined(numbers[i], there.numbers[i], how);
    }
  }
  // All have read what was said in the last round.
  std::ranges::copy(numbers, own.numbers);
  std::ranges::copy(from_rank_0, first.broadcast);
  own.released.store(round_, std::memory_order_release);
  wake(own.released);
}

void SharedMemoryRanks::join(std::span<std::uint64_t> numbers, Join how) noexcept {
  meet(numbers.first(std::min(numbers.size(), kMostNumbers)), how, {});
}

void SharedMemoryRanks::broadcast(void* data, std::size_t bytes) noexcept {
  auto* const all = static_cast<std::byte*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, sizeof Part::broadcast);
    meet({}, Join::Bits, {all + done, piece});
    done += piece;
  }
}

void SharedMemoryRanks::send(const void* data, std::size_t bytes, int to) noexcept {
  Part& own = parts_[rank_];
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, sizeof own.letter);
    std::memcpy(own.letter, static_cast<const std::byte*>(data) + done, piece);
    own.control.letter_for.store(static_cast<std::uint32_t>(to) + 1, std::memory_order_release);
    wake(own.control.letter_for);
    wait_until(own.control.letter_for, 0);
    done += piece;
  }
}

void SharedMemoryRanks::receive(void* data, std::size_t bytes, int from) noexcept {
  Part& there = parts_[from];
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, sizeof there.letter);
    wait_until(there.control.letter_for, static_cast<std::uint32_t>(rank_) + 1);
    if (data != nullptr) {
      std::memcpy(static_cast<std::byte*>(data) + done, there.letter, piece);
    }
    there.control.letter_for.store(0, std::memory_order_release);
    wake(there.control.letter_for);
    done += piece;
  }
}

}  // namespace waitprof
