// What is told of a worker besides its samples, on its way through the ring of their stacks: that its thread begins or
// ends, starts or has joined another one, or was blocked in a call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/workers/stack_ring.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

using WorkerStack = SampledStack<kMostInterruptedFrames>;

// A mark is a stack of no weight. Before its frames it has what it tells, and of which thread; or, of a call that
// blocked, since when, and how many words its name has, which follow.
inline constexpr std::size_t kMarkWords = 2;
inline constexpr std::size_t kMostNameWords = 32;

inline void* word_of(std::uint64_t value) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(value));
}

inline WorkerStack& begin_mark(WorkerStack& stack, EventType what, std::uint64_t value) noexcept {
  stack.time = now();
  stack.weight = 0;
  stack.complete = true;
  stack.count = kMarkWords;
  stack.frames[0] = word_of(static_cast<std::uint64_t>(what));
  stack.frames[1] = word_of(value);
  return stack;
}

inline WorkerStack& mark_in(WorkerStack& stack, EventType what, std::uint64_t number,
                            void* function) noexcept {
  begin_mark(stack, what, number);
  if (function != nullptr) stack.frames[stack.count++] = function;
  return stack;
}

inline void add_name(WorkerStack& stack, std::string_view name) noexcept {
  constexpr std::size_t kWord = sizeof(void*);
  name = name.substr(0, kMostNameWords * kWord - 1);
  const std::size_t words = name.size() / kWord + 1;
  stack.frames[stack.count++] = word_of(words);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    const std::string_view part = name.substr(std::min(name.size(), i * kWord), kWord);
    std::memcpy(&word, part.data(), part.size());
    stack.frames[stack.count++] = word_of(word);
  }
}

inline WorkerSample sample_of(const WorkerStack& taken) noexcept {
  const auto of = taken.stack();
  if (taken.weight > 0) return {taken.time, taken.weight, of, taken.complete};
  const auto what = static_cast<EventType>(reinterpret_cast<std::uintptr_t>(of[0]));
  const auto value = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(of[1]));
  if (what != EventType::Enter) return {taken.time, 0, of.subspan(kMarkWords), true, what, value};
  const std::size_t name = kMarkWords + 1, words = reinterpret_cast<std::uintptr_t>(of[kMarkWords]);
  return {.time = taken.time,
          .frames = of.subspan(name + words),
          .complete = taken.complete,
          .since = value,
          .call = reinterpret_cast<const char*>(of.data() + name)};
}

}  // namespace waitprof
