// See call_paths.hpp: cut the unwound stack at both ends, then look the path up.
//
//   innermost                                                                  outermost
//   [ our own frames | caller of MPI_X ... main | __libc_start_main, _start ]
//                     ^^^^^^^^^ the call path ^^^
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/call_paths.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/callpath/path_memo.hpp"
#include "libwaitprof/callpath/path_tree.hpp"
#include "libwaitprof/callpath/start_code.hpp"
#include "libwaitprof/callpath/unwinder.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

constexpr int kMostFrames = kMostPathFrames;
constexpr int kOwnFrames = 12;  // the most frames of ours between libunwind and the application
constexpr int kBetween = 16;    // further ones of a handler and what it interrupted, or of a team

constinit std::atomic<int> frame_limit{0};  // 0: call paths are off
constinit std::atomic<std::uint64_t> truncated{0};

StartCode start_code;
CodeRange own_code;  // of this library; empty in a program that has it linked in

std::span<void* const> without_start_code(std::span<void* const> frames) noexcept {
  if (!frames.empty() && start_code.entry.holds(address_of(frames.back())))
    frames = frames.first(frames.size() - 1);
  while (!frames.empty() && start_code.holds(address_of(frames.back())))
    frames = frames.first(frames.size() - 1);
  return frames;
}

using FrameBuffer = std::array<void*, kOwnFrames + kMostFrames + kMostStartFrames>;

struct Walked {
  std::span<void* const> frames;  // from the caller on
  bool complete = false;          // to the outermost frame
};

// Walks up the stack by libunwind. No frames: `first` is not among the innermost ones, where the frames that
// are not the program's are.
__attribute__((noinline)) Walked walk_from(std::uintptr_t first, int limit, FrameBuffer& buffer,
                                           int most_inner = kOwnFrames) noexcept {
  const int room = kOwnFrames + limit + start_code.frames;
  const int count = unwind(buffer.data(), room);
  const std::span<void* const> stack{buffer.data(), static_cast<std::size_t>(count)};
  const auto own_end = stack.begin() + std::min(count, most_inner);
  const auto innermost =
      std::find_if(stack.begin(), own_end, [&](void* frame) { return address_of(frame) == first; });
  if (innermost == own_end) return {};
  return {stack.subspan(static_cast<std::size_t>(innermost - stack.begin())), count < room};
}

// Functions that the program calls through us have frames of ours in their call path. True: some were left
// out.
bool leave_out_own(std::span<void* const> frames, FrameBuffer& kept, std::size_t& count) noexcept {
  count = 0;
  for (void* const frame : frames)
    if (!own_code.holds(address_of(frame))) kept[count++] = frame;
  return count < frames.size();
}

RememberedPath path_of(const Walked& walked, int limit, bool exact_leaf) noexcept {
  std::span<void* const> frames = walked.complete ? without_start_code(walked.frames) : walked.frames;
  FrameBuffer kept;
  std::size_t count = 0;
  if (leave_out_own(frames, kept, count)) {
    exact_leaf = exact_leaf && count > 0 && kept[0] == frames.front();
    frames = std::span(kept).first(count);
  }
  const bool truncate = frames.size() > static_cast<std::size_t>(limit);
  if (truncate) {
    frames = frames.first(static_cast<std::size_t>(limit));
    truncated.fetch_add(1, std::memory_order_relaxed);
  }
  return {path_id(frames, exact_leaf), truncate};
}

// The usual case is handled by path_memo; this is the rest.
__attribute__((noinline)) std::uint32_t walked_path_of(const Caller& caller, int limit) noexcept {
  const std::uint64_t begin = now();
  note_loaded_objects();
  FrameBuffer buffer;
  Walked walked = walk_from(caller.return_address(), limit, buffer);
  if (walked.frames.empty()) {  // not who called us, but further out: the function that opened a team
    walked = walk_from(caller.return_address(), limit, buffer, kOwnFrames + kBetween);
  }
  const RememberedPath path = path_of(walked, limit, false);
  remember_path(caller, walked.frames, walked.complete, path);
  this_thread.left_out.path_walks_ns += now() - begin;
  return path.id;
}

}  // namespace

bool start_call_paths(int depth_limit) noexcept {
  if (!load_unwinder() || !prepare_path_tree()) {
    say("libunwind.so.8 cannot be loaded: call paths are not recorded. Install the package libunwind8.");
    return false;
  }
  start_code = find_start_code();
  own_code = object_around(reinterpret_cast<const void*>(&start_call_paths));
  if (own_code.holds(start_code.entry.begin)) own_code = {};
  prepare_call_paths_of_thread();
  frame_limit.store(std::clamp(depth_limit, 1, kMostFrames), std::memory_order_release);
  return true;
}

void prepare_call_paths_of_thread() noexcept {
  std::array<void*, kMostFrames> frames;
  unwind(frames.data(), kMostFrames);
}

void forget_call_paths_of_thread() noexcept {
  forget_remembered_paths();
}

WAITPROF_HOT std::uint32_t call_path_of_caller(const Caller& caller) noexcept {
  const int limit = frame_limit.load(std::memory_order_acquire);
  if (limit == 0) return 0;
  const RememberedPath known = remembered_path(caller);
  if (known.id == 0) return walked_path_of(caller, limit);
  if (known.truncated) truncated.fetch_add(1, std::memory_order_relaxed);
  return known.id;
}

// By a walk each time: what is remembered is found by words of the caller's frame, which may have gone.
bool call_path_in_handler(const Caller& caller, std::uint32_t& path) noexcept {
  path = 0;
  const int limit = frame_limit.load(std::memory_order_acquire);
  if (limit == 0) return true;
  FrameBuffer buffer;
  const Walked walked = walk_from(caller.return_address(), limit, buffer, kOwnFrames + kBetween);
  if (walked.frames.empty()) return false;
  path = path_of(walked, limit, false).id;
  return true;
}

std::uint32_t call_path_of_sample(const void* context) noexcept {
  const int limit = frame_limit.load(std::memory_order_acquire);
  if (limit == 0) return 0;
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  FrameBuffer buffer;
  const Walked walked = walk_from(static_cast<std::uintptr_t>(registers[REG_RIP]), limit, buffer);
  return path_of(walked, limit, true).id;
}

std::uint32_t call_path_of_walk(std::span<void* const> frames, bool complete) noexcept {
  const int limit = frame_limit.load(std::memory_order_acquire);
  return limit == 0 ? 0 : path_of({frames, complete}, limit, true).id;
}

std::uintptr_t thread_function_of_walk(std::span<void* const> frames) noexcept {
  const std::span<void* const> of_program = without_start_code(frames);
  return of_program.empty() ? 0 : address_of(of_program.back());
}

std::uint64_t truncated_call_paths() noexcept {
  return truncated.load(std::memory_order_relaxed);
}

}  // namespace waitprof
