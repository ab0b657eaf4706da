// See call_paths.hpp: cut the unwound stack at both ends, then look the path up.
//
//   innermost                                                                  outermost
//   [ our own frames | caller of MPI_X ... main | __libc_start_main, _start ]
//                     ^^^^^^^^^ the call path ^^^
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/call_paths.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "libwaitprof/callpath/path_tree.hpp"
#include "libwaitprof/callpath/unwinder.hpp"
#include "libwaitprof/record/say.hpp"

namespace waitprof {
namespace {

constexpr int kMostFrames = kMostPathFrames;
constexpr int kOwnFrames = 12;   // ours between libunwind and the application, at most
constexpr int kStartFrames = 4;  // of the C library before main() or a thread's function

constinit std::atomic<int> frame_limit{0};  // 0: call paths are off
constinit std::atomic<std::uint64_t> truncated{0};

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const noexcept { return address - begin < end - begin; }
};
CodeRange c_library, program_entry;

CodeRange range_of_c_library() noexcept {
  void* const handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* const inside = handle != nullptr ? dlsym(handle, "__libc_start_main") : nullptr;
  dl_find_object found{};
  if (inside == nullptr || _dl_find_object(inside, &found) != 0) return {};
  return {reinterpret_cast<std::uintptr_t>(found.dlfo_map_start),
          reinterpret_cast<std::uintptr_t>(found.dlfo_map_end)};
}

CodeRange range_of_program_entry() noexcept {
  constexpr std::uintptr_t kBytesOfStart = 64;  // _start is a dozen instructions in every C run time
  const std::uintptr_t entry = getauxval(AT_ENTRY);
  return {entry, entry + kBytesOfStart};
}

std::uintptr_t address_of(void* frame) noexcept {
  return reinterpret_cast<std::uintptr_t>(frame);
}

std::span<void* const> without_start_code(std::span<void* const> frames) noexcept {
  if (!frames.empty() && program_entry.holds(address_of(frames.back())))
    frames = frames.first(frames.size() - 1);
  while (!frames.empty() && c_library.holds(address_of(frames.back())))
    frames = frames.first(frames.size() - 1);
  return frames;
}

// The path whose innermost frame is `first`.
__attribute__((noinline)) std::uint32_t call_path_from(std::uintptr_t first, bool exact_leaf) noexcept {
  const int limit = frame_limit.load(std::memory_order_acquire);
  if (limit == 0) return 0;
  std::array<void*, kOwnFrames + kMostFrames + kStartFrames> buffer;
  const int room = kOwnFrames + limit + kStartFrames;
  const int count = unwind(buffer.data(), room);
  const std::span<void* const> stack{buffer.data(), static_cast<std::size_t>(count)};
  const auto own_end = stack.begin() + std::min(count, kOwnFrames);
  const auto innermost =
      std::find_if(stack.begin(), own_end, [&](void* frame) { return address_of(frame) == first; });
  if (innermost == own_end) return 0;

  std::span<void* const> frames = stack.subspan(static_cast<std::size_t>(innermost - stack.begin()));
  if (count < room) frames = without_start_code(frames);
  if (frames.size() > static_cast<std::size_t>(limit)) {
    frames = frames.first(static_cast<std::size_t>(limit));
    truncated.fetch_add(1, std::memory_order_relaxed);
  }
  return path_id(frames, exact_leaf);
}

}  // namespace

bool start_call_paths(int depth_limit) noexcept {
  if (!load_unwinder() || !prepare_path_tree()) {
    say("libunwind.so.8 cannot be loaded: call paths are not recorded. Install the package libunwind8.");
    return false;
  }
  c_library = range_of_c_library();
  program_entry = range_of_program_entry();
  prepare_call_paths_of_thread();
  frame_limit.store(std::clamp(depth_limit, 1, kMostFrames), std::memory_order_release);
  return true;
}

void prepare_call_paths_of_thread() noexcept {
  std::array<void*, kMostFrames> frames;
  unwind(frames.data(), kMostFrames);
}

std::uint32_t call_path_of_caller(std::uintptr_t wrapper_return_address) noexcept {
  return call_path_from(wrapper_return_address, false);
}

std::uint32_t call_path_of_sample(const void* context) noexcept {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return call_path_from(static_cast<std::uintptr_t>(registers[REG_RIP]), true);
}

std::uint64_t truncated_call_paths() noexcept {
  return truncated.load(std::memory_order_relaxed);
}

}  // namespace waitprof
