// Threads that the main thread starts and joins between two barriers, eight times. On rank 1
// late() takes longer; "even": it does not. How, as the argument says:
//
//   one      one thread, which main() waits for
//   beside   the same, while main() computes as well, longer than the threads of the other ranks
//   calls    the thread also meets those of the other ranks in a barrier (MPI_THREAD_MULTIPLE)
//   sleeps   the thread sleeps, for longer on rank 1
//   several  three threads, of which the second one runs late()
//   c11      as "one", by thrd_create()
//
// SPDX-License-Identifier: BSD-3-Clause
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <threads.h>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

#include "tests/mpi/programs/processor_time.h"

namespace {

constexpr int kSteps = 8;
constexpr double kUnit = 0.010;  // seconds of processor time

int rank;
bool even = false;

__attribute__((noinline)) void late() {
  use_processor(rank == 1 && !even ? 7 * kUnit : kUnit);
}
__attribute__((noinline)) void alike() {
  use_processor(2 * kUnit);
}
__attribute__((noinline)) void own() {
  use_processor(4 * kUnit);
}

void one() {
  std::thread thread([] {
    alike();
    late();
  });
  thread.join();
}

// What is late comes first: when the main thread begins to wait, the thread is in alike() for the most part.
void beside() {
  std::thread thread([] {
    late();
    alike();
  });
  own();
  thread.join();
}

__attribute__((noinline)) void doze() {
  const auto nanoseconds = static_cast<long>(1e9 * (rank == 1 && !even ? 20 * kUnit : kUnit));
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, nullptr);
}

void sleeps() {
  std::thread thread([] {
    alike();
    doze();
  });
  thread.join();
}

void several() {
  std::thread first(alike), second(late), third(alike);
  first.join();
  second.join();
  third.join();
}

int work_of_c11(void*) {
  alike();
  late();
  return 0;
}

void c11() {
  thrd_t thread;
  if (thrd_create(&thread, work_of_c11, nullptr) == thrd_success) thrd_join(thread, nullptr);
}

MPI_Comm of_threads;

void calls() {
  std::thread thread([] {
    alike();
    late();
    MPI_Barrier(of_threads);
  });
  thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  const char* const shape = argc > 1 ? argv[1] : "";
  const bool multiple = std::strcmp(shape, "calls") == 0;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_threads);
  even = argc > 2 && std::strcmp(argv[2], "even") == 0;
  void (*step)() = nullptr;
  if (std::strcmp(shape, "one") == 0) step = one;
  if (std::strcmp(shape, "beside") == 0) step = beside;
  if (std::strcmp(shape, "sleeps") == 0) step = sleeps;
  if (std::strcmp(shape, "several") == 0) step = several;
  if (std::strcmp(shape, "c11") == 0) step = c11;
  if (multiple) step = calls;
  if (step == nullptr) {
    std::fprintf(stderr, "joined_threads: no shape '%s'\n", shape);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kSteps; ++i) {
    step();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&of_threads);
  MPI_Finalize();
}
