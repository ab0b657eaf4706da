// MPI_Initialized and MPI_Finalized, by hand: programs that can do without MPI ask them through weak
// references, and those find ours where there is no MPI at all. Then the answer is no.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/call.hpp"

namespace {

int answer(waitprof::Call call, int* flag) noexcept {
  if (waitprof::pmpi::next_functions[static_cast<unsigned>(call)] == nullptr &&
      waitprof::pmpi::find_next_function(call) == nullptr) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return waitprof::pmpi::next_function<int (*)(int*)>(call)(flag);
}

}  // namespace

extern "C" WAITPROF_EXPORT int MPI_Initialized(int* flag) {
  return answer(waitprof::Call::Initialized, flag);
}

extern "C" WAITPROF_EXPORT int MPI_Finalized(int* flag) {
  return answer(waitprof::Call::Finalized, flag);
}
