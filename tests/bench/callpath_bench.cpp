// Nanoseconds per call path: for the walk alone, for the whole way from the stack to a known id, and for one
// recorded region.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/callpath/unwinder.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

constexpr int kDeep = 256;

// Runs the benchmark's loop below `depth` frames of the application. The empty asm keeps a frame from
// becoming a jump.
__attribute__((noinline)) void below(std::int64_t depth, void (*loop)(benchmark::State&),
                                     benchmark::State& state) {
  depth > 1 ? below(depth - 1, loop, state) : loop(state);
  asm volatile("");
}

__attribute__((noinline)) std::uint32_t stand_in_for_a_wrapper() {
  return call_path_of_caller(WAITPROF_CALLER);
}

void call_path(benchmark::State& state) {
  if (!start_call_paths(kDeep)) return state.SkipWithError("no libunwind.so.8");
  below(
      state.range(0),
      [](benchmark::State& inner) {
        for (auto _ : inner) benchmark::DoNotOptimize(stand_in_for_a_wrapper());
      },
      state);
}
BENCHMARK(call_path)->Arg(5)->Arg(20)->Arg(40);

void walk_alone(benchmark::State& state) {
  if (!start_call_paths(kDeep)) return state.SkipWithError("no libunwind.so.8");
  below(
      state.range(0),
      [](benchmark::State& inner) {
        std::array<void*, kDeep> frames;
        for (auto _ : inner) benchmark::DoNotOptimize(unwind(frames.data(), kDeep));
      },
      state);
}
BENCHMARK(walk_alone)->Arg(5)->Arg(20)->Arg(40);

void recorded_function(benchmark::State& state) {
  const test::Recording recording;
  for (auto _ : state) {
    enter_function(1);
    leave_function(1);
  }
}
BENCHMARK(recorded_function);

void function_of_an_idle_thread(benchmark::State& state) {
  for (auto _ : state) {
    enter_function(1);
    leave_function(1);
  }
}
BENCHMARK(function_of_an_idle_thread);

void recorded_region(benchmark::State& state) {
  const test::Recording recording;
  for (auto _ : state) {
    enter_region("assemble the matrix");
    leave_region("assemble the matrix");
  }
}
BENCHMARK(recorded_region);

}  // namespace
}  // namespace waitprof
