// What we use of the standard's interface for tools, as OpenMP 5.0, chapter 4, has it: its header comes with compilers that
// need not be here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

// Of a task: where it left the program's code for the run time's, and the other way round.
struct Frame {
  void* exit;
  void* enter;
  int exit_flags, enter_flags;
};

using LookUp = void (*(*)(const char* function))();
using Initialise = int (*)(LookUp look_up, int device, Data* tool);
using Finalise = void (*)(Data* tool);
struct StartToolResult {
  Initialise initialise;
  Finalise finalise;
  Data tool;
};

using SetCallback = int (*)(int which, void (*callback)());
using TaskInfo = int (*)(int ancestor, int* flags, Data** task, Frame** frame, Data** parallel, int* thread);

enum Callback : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
};
enum Endpoint : int { kBegin = 1, kEnd = 2 };
inline constexpr int kInitialTask = 1;       // a flag of tasks: no team is open
inline constexpr int kTaskwaitTask = 16;     // another one: it stands for waiting for some tasks
inline constexpr int kTaskwaitComplete = 8;  // how such a one ends
enum SyncRegion : int { kTaskwait = 5, kTaskgroup = 6, kReduction = 7 };
enum Mutex : int {
  kLock = 1,
  kTestLock = 2,
  kNestLock = 3,
  kTestNestLock = 4,
  kCritical = 5,
  kAtomic = 6,
  kOrdered = 7
};

}  // namespace waitprof::ompt
