// All ranks of a job that runs on one machine talk through a piece of shared memory, and sleep while they wait.
// MPI polls: where ranks share processors, each round of each of its operations may last a time slice of the
// kernel's.
//
//   rank 1  arrives, says its numbers ......sleeps......  reads what rank 0 says
//   rank 2           arrives, says its numbers ..sleeps.  reads what rank 0 says
//   rank 0  waits for each, joins the numbers, releases all
//
// Each rank writes into its own part only, which it has cleared before MPI was initialised: what an earlier job
// left in a file of the same name does no harm.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace waitprof {

class SharedMemoryRanks {
 public:
  enum class Join { Least, Largest, Sum, Bits };

  // Before MPI is initialised: this rank's part of the file, which begins at `offset`. False: there is no room.
  bool take_part(int file, std::size_t offset, int rank, int ranks) noexcept;

  // All ranks took their parts. `progress` is called now and then while this rank waits: another one may be waiting for
  // MPI's progress here.
  void begin(void (*progress)() noexcept) noexcept;
  bool begun() const noexcept { return begun_; }
  // Another thread may still be waiting, which the others do not answer.
  void forget() noexcept { begun_ = false; }
  void leave() noexcept;

  static constexpr std::size_t kMostNumbers = 8;
  // Collective; each number is joined with those of the other ranks. Without any, it is a barrier.
  void join(std::span<std::uint64_t> numbers, Join how) noexcept;
  // Collective: rank 0's bytes.
  void broadcast(void* data, std::size_t bytes) noexcept;

  // Returns when the other rank has received it. nullptr: what is received is thrown away.
  void send(const void* data, std::size_t bytes, int to) noexcept;
  void receive(void* data, std::size_t bytes, int from) noexcept;

 private:
  static constexpr std::size_t kPage = 4096;
  struct Control {
    std::atomic<std::uint32_t> arrived{0};     // to so many rounds
    std::atomic<std::uint32_t> released{0};    // rank 0: from so many rounds
    std::atomic<std::uint32_t> letter_for{0};  // a rank, plus one; 0: no letter
    std::uint64_t numbers[kMostNumbers] = {};
  };
  struct alignas(kPage) Part {
    Control control;
    std::byte broadcast[kPage - sizeof(Control)];
    std::byte letter[2 * kPage];
  };
  using Word = std::atomic<std::uint32_t>;
  static_assert(Word::is_always_lock_free);

  void meet(std::span<std::uint64_t> numbers, Join how, std::span<std::byte> from_rank_0) noexcept;
  void wait_until(const Word& word, std::uint32_t value) const noexcept;

  Part* parts_ = nullptr;
  int rank_ = 0, ranks_ = 0;
  std::uint32_t round_ = 0;
  bool begun_ = false;
  void (*progress_)() noexcept = nullptr;
};

extern constinit SharedMemoryRanks shared_memory_ranks __attribute__((visibility("hidden")));

}  // namespace waitprof
