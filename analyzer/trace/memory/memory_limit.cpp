// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/memory_limit.hpp"

#include <malloc.h>
#include <pthread.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "analyzer/trace/memory/huge_pages.hpp"
#include "analyzer/trace/memory/scratch_file.hpp"

namespace waitdiag {
namespace {

constinit std::atomic<std::uint64_t> limit_of_memory{0};  // 0: none
constinit std::atomic<bool> limit_was_chosen{false};
constinit std::atomic<std::int64_t> plain_bytes{0};     // of large blocks
constinit std::atomic<std::uint64_t> scratch_bytes{0};  // that were ever handed out
constinit std::atomic<ScratchFile*> scratch{nullptr};

std::mutex& scratch_mutex() {
  static std::mutex mutex;
  return mutex;
}
// Directories that are tried one after the other.
std::string& place_of_scratch() {
  static std::string place;
  return place;
}

std::uint64_t resident() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long all = 0, pages = 0;
  const bool read = std::fscanf(file, "%llu %llu", &all, &pages) == 2;
  std::fclose(file);
  return read ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

// Hands pages of the scratch file back while more is resident than should be.
[[noreturn]] void keep_limit(ScratchFile& file) {
  constexpr std::chrono::milliseconds kPause{5}, kLongPause{50};
  for (std::chrono::milliseconds pause = kPause;; std::this_thread::sleep_for(pause)) {
    const std::uint64_t limit = limit_of_memory;
    pause = kPause;
    if (limit == 0 || resident() < limit / 4 * 3) continue;
    bool all = false;  // handed back since the last pause: what remains is plain memory
    while (!all && resident() > limit / 8 * 5) all = !file.hand_back();
    if (!all) continue;
    ::malloc_trim(0);
    pause = kLongPause;
  }
}

// It must not take the signals of the program.
void start_keeper(ScratchFile& file) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([&file] { keep_limit(file); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ScratchFile& open_scratch(const std::string& directory) {
  void* const room = std::malloc(sizeof(ScratchFile));
  if (room == nullptr) throw std::bad_alloc();
  ScratchFile* file = nullptr;
  try {
    file = new (room) ScratchFile(directory);
  } catch (...) {
    std::free(room);
    throw;
  }
  scratch = file;
  start_keeper(*file);
  return *file;
}

// Files there would be memory again.
bool is_memory(const std::string& directory) {
  constexpr decltype(statfs::f_type) kTmpfs = 0x01021994, kRamfs = 0x858458f6;
  struct statfs system {};
  return ::statfs(directory.c_str(), &system) == 0 && (system.f_type == kTmpfs || system.f_type == kRamfs);
}

ScratchFile& scratch_file() {
  if (ScratchFile* const file = scratch) return *file;
  const std::lock_guard lock(scratch_mutex());
  if (ScratchFile* const file = scratch) return *file;
  const char* const temporary = std::getenv("TMPDIR");
  std::optional<ScratchError> first_trouble;
  for (const std::string& directory :
       {place_of_scratch(), std::string(temporary == nullptr ? "" : temporary), std::string("/var/tmp")}) {
    if (directory.empty() || is_memory(directory)) continue;
    try {
      return open_scratch(directory);
    } catch (const ScratchError& error) {
      if (!first_trouble) first_trouble.emplace(error);
    }
  }
  throw first_trouble.value_or(ScratchError(
      "what does not fit in memory needs a scratch file, but no directory for it was found: name one "
      "with --scratch, or allow more memory with --memory"));
}

}  // namespace

ScratchError::ScratchError(const std::string& text) noexcept {
  text.copy(text_.data(), text_.size() - 1);
}

void limit_memory(std::uint64_t bytes, Limit limit) {
  limit_of_memory = bytes;
  limit_was_chosen = limit == Limit::Chosen;
}

void scratch_in(const std::string& directory) {
  const std::lock_guard lock(scratch_mutex());
  if (scratch == nullptr) open_scratch(directory);
}

void scratch_beside(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) return;
  const std::lock_guard lock(scratch_mutex());
  if (place_of_scratch().empty())
    place_of_scratch() = (whole.has_filename() ? whole : whole.parent_path()).parent_path().string();
}

std::uint64_t scratch_used() {
  return scratch_bytes;
}

void* large_block(std::size_t bytes) {
  const std::uint64_t limit = limit_of_memory;
  if (limit == 0) return nullptr;
  if (static_cast<std::uint64_t>(std::max<std::int64_t>(plain_bytes, 0)) + bytes <= limit / 2) return nullptr;
  try {
    void* const block = scratch_file().allocate(bytes);
    scratch_bytes += bytes;
    return block;
  } catch (const ScratchError&) {
    if (limit_was_chosen) throw;
    return nullptr;
  }
}

void count_plain_block(void* block) {
  const std::size_t bytes = ::malloc_usable_size(block);
  if (bytes < kLargeBlock) return;
  plain_bytes += static_cast<std::int64_t>(bytes);
  ask_for_huge_pages(block, bytes);
}

bool free_large_block(void* block) {
  if (ScratchFile* const file = scratch; file != nullptr && file->owns(block)) {
    file->free(block);
    return true;
  }
  const std::size_t bytes = block == nullptr ? 0 : ::malloc_usable_size(block);
  if (bytes >= kLargeBlock) plain_bytes -= static_cast<std::int64_t>(bytes);
  return false;
}

}  // namespace waitdiag
