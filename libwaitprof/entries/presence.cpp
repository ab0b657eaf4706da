// MPI_Initialized and MPI_Finalized: programs that can do without MPI call them through weak references,
// which resolve to ours where there is no MPI at all. Then the answer is no.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "libwaitprof/surroundings/front.hpp"

namespace {

using Question = int (*)(int*);

int answer(const char* name, std::atomic<void*>& function, int* flag) noexcept {
  void* found = function.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = waitprof_next_function(name);
    function.store(found, std::memory_order_relaxed);
  }
  if (found == nullptr) {
    *flag = 0;
    return 0;
  }
  return reinterpret_cast<Question>(found)(flag);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Initialized(int* flag) {
  static constinit std::atomic<void*> function{nullptr};
  return answer("MPI_Initialized", function, flag);
}

extern "C" __attribute__((visibility("default"))) int MPI_Finalized(int* flag) {
  static constinit std::atomic<void*> function{nullptr};
  return answer("MPI_Finalized", function, flag);
}
