// The functions of libgomp itself: those that we have wrappers for, and what we ask it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace waitprof {

using GompFunction = void (*)();

// In the order of kWatchedGomp in libgomp.cpp.
enum class Gomp : std::uint32_t {
  Parallel,
  LoopStatic,
  LoopDynamic,
  LoopGuided,
  LoopRuntime,
  LoopNonmonotonicDynamic,
  LoopNonmonotonicGuided,
  LoopNonmonotonicRuntime,
  LoopMaybeNonmonotonicRuntime,
  Sections,
  Reductions,
  Barrier,
  BarrierCancel,
  LoopEnd,
  LoopEndCancel,
  SectionsEnd,
  SectionsEndCancel,
  SingleCopyStart,
  SingleCopyEnd,
  OrderedStart,
  StaticOrderedNext,
  DynamicOrderedNext,
  GuidedOrderedNext,
  RuntimeOrderedNext,
  UllStaticOrderedNext,
  UllDynamicOrderedNext,
  UllGuidedOrderedNext,
  UllRuntimeOrderedNext,
#if defined(__x86_64__)
  DoacrossWait,
  UllDoacrossWait,
#endif
  TaskReductionEnd,
  Taskwait,
  TaskwaitDepend,
  TaskgroupEnd,
  Task,
  Taskloop,
  TaskloopUll,
  Count
};
constexpr auto kGompFunctions = static_cast<std::size_t>(Gomp::Count);

inline constinit std::array<GompFunction, kGompFunctions> gomp{};
inline int (*thread_number)() = nullptr;
inline int (*team_size)() = nullptr;
inline int (*team_level)() = nullptr;

template <class Signature>
Signature* real_gomp(Gomp which) noexcept {
  return reinterpret_cast<Signature*>(gomp[static_cast<std::size_t>(which)]);
}

}  // namespace waitprof
