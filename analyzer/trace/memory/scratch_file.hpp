// A file without a name, all of it mapped into memory: blocks are parts of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "analyzer/trace/memory/extents.hpp"

namespace waitdiag {

class ScratchFile {
 public:
  // Throws ScratchError. It lives as long as the process: blocks may be freed at its very end.
  explicit ScratchFile(const std::string& directory);

  // There is room for it on the disk, or ScratchError.
  void* allocate(std::size_t bytes);
  bool owns(const void* block) const {
    const auto* const at = static_cast<const char*>(block);
    return at >= base_ && at < base_ + reserved_;
  }
  void free(void* block);

  // Takes some pages out of memory, those that were looked at longest ago first. What is in them stays.
  // False: that was all of them, for once.
  bool hand_back();

 private:
  void map_until(std::uint64_t end);
  void take_disk(std::uint64_t place, std::uint64_t bytes);

  std::string directory_;
  int file_ = -1;
  char* base_ = nullptr;
  std::size_t reserved_ = 0;
  std::mutex mutex_;
  Extents extents_;
  std::atomic<std::uint64_t> mapped_{0};  // bytes of the file
  std::uint64_t hand_ = 0;                // what hand_back() comes to next
};

}  // namespace waitdiag
