// Threads that never call MPI (MPI_THREAD_FUNNELED): two on every rank compute, the main thread waits for
// them and then calls MPI, 10 times. On rank 1 they have four times as much to do. The argument says how
// threads are made: std or openmp; killed: one worker computes as long as the main thread, which makes no MPI
// call for two seconds, then rank 0 is killed.
//
// SPDX-License-Identifier: BSD-3-Clause
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <barrier>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 2, kSteps = 10;

int rank;

double processor_time() {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) void heavy_kernel() {
  const double end = processor_time() + (rank == 1 ? 0.080 : 0.020);
  volatile double x = 1;
  while (processor_time() < end)
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
}

void with_std_threads() {
  std::barrier step(kThreads + 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&step] {
      for (int s = 0; s < kSteps; ++s) {
        step.arrive_and_wait();
        heavy_kernel();
        step.arrive_and_wait();
      }
    });
  for (int s = 0; s < kSteps; ++s) {
    step.arrive_and_wait();
    step.arrive_and_wait();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (std::thread& thread : threads) thread.join();
}

void with_openmp() {
#ifdef _OPENMP
  for (int s = 0; s < kSteps; ++s) {
#pragma omp parallel for num_threads(kThreads + 1) schedule(static, 1)
    for (int t = 0; t <= kThreads; ++t)
      if (t > 0) heavy_kernel();
    MPI_Barrier(MPI_COMM_WORLD);
  }
#else
  std::puts("workers: built without OpenMP");
#endif
}

__attribute__((noinline)) void compute(double seconds) {
  const double end = processor_time() + seconds;
  volatile double x = 1;
  while (processor_time() < end)
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
}

void until_killed() {
  constexpr double kWithCalls = 0.4, kWithout = 2.0;
  constexpr int kCalls = 20;
  std::thread helper(compute, kWithCalls + kWithout + 1);
  for (int i = 0; i < kCalls; ++i) {
    compute(kWithCalls / kCalls);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  compute(kWithout);
  if (rank == 0) raise(SIGKILL);
  helper.join();
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "std";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::strcmp(how, "killed") == 0)
    until_killed();
  else
    std::strcmp(how, "openmp") == 0 ? with_openmp() : with_std_threads();
  MPI_Finalize();
  return 0;
}
