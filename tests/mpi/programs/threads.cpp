// Threads that call MPI at the same time (MPI_THREAD_MULTIPLE): three on every rank. Thread t passes numbers
// around the ring of ranks with tag t, then joins a collective on communicator t. The argument says how
// threads are made: std, pthread, openmp, or many: one after the other, each of which calls MPI once;
// elsewhere: as many, and MPI begins and ends in such threads, too (elsewhere-begin, elsewhere-end: one of it);
// exit: none, and MPI ends when the program does; full: one, whose last call fills its event buffer.
//
// In each of 5 steps a thread of rank 0 computes 20 ms first.
//
// SPDX-License-Identifier: BSD-3-Clause
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 3, kSteps = 5;

int rank, size;
MPI_Comm communicators[kThreads];
long sums[kThreads];

double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) void compute(void) {
  const double end = processor_time() + 0.020;
  while (processor_time() < end) continue;
}

__attribute__((noinline)) void work(int thread) {
  for (int step = 0; step < kSteps; ++step) {
    int out = rank + step, in = -1, all = 0;
    MPI_Request requests[2];
    if (rank == 0) compute();
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, thread, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, communicators[thread]);
    sums[thread] += all;
  }
}

void* start(void* thread) {
  work(static_cast<int>(reinterpret_cast<std::intptr_t>(thread)));
  return nullptr;
}

void with_pthreads() {
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; ++t)
    pthread_create(&threads[t], nullptr, start, reinterpret_cast<void*>(std::intptr_t{t}));
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

void with_std_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
}

void one_after_the_other() {
  for (int i = 0; i < 40; ++i) {
    std::thread([] {
      int out = rank, in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sums[0] += in;
    }).join();
  }
}

// More events than after which a buffer is flushed, which only a further call could do.
void full_buffer() {
  std::thread([] {
    constexpr int kRequests = 1000;
    std::vector<MPI_Request> requests(2 * kRequests);
    std::vector<int> in(kRequests);
    for (int i = 0; i < kRequests; ++i) {
      MPI_Irecv(&in[i], 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[kRequests + i]);
    }
    MPI_Waitall(2 * kRequests, requests.data(), MPI_STATUSES_IGNORE);
  }).join();
}

void with_openmp() {
#ifdef _OPENMP
#pragma omp parallel for num_threads(kThreads) schedule(static, 1)
  for (int t = 0; t < kThreads; ++t) work(t);
#else
  std::puts("threads: built without OpenMP");
#endif
}

// MPI ends in a handler that was registered before it began, as the destructor of a static object would be.
void end_at_exit() {
  std::atexit([] { MPI_Finalize(); });
  MPI_Init(nullptr, nullptr);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

// MPI begins and ends in threads of their own, or in the main thread. MPI asks for one thread that does both.
void begin_and_end(bool begin_elsewhere, bool end_elsewhere) {
  const auto begin = [] {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  };
  const auto end = [] { MPI_Finalize(); };
  begin_elsewhere ? std::thread(begin).join() : begin();
  one_after_the_other();
  end_elsewhere ? std::thread(end).join() : end();
  if (rank == 0) std::printf("threads: %ld\n", sums[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "std";
  if (std::strcmp(how, "exit") == 0) {
    end_at_exit();
    return 0;
  }
  if (std::strncmp(how, "elsewhere", 9) == 0) {
    begin_and_end(std::strcmp(how, "elsewhere-end") != 0, std::strcmp(how, "elsewhere-begin") != 0);
    return 0;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (MPI_Comm& communicator : communicators) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  if (std::strcmp(how, "openmp") == 0) {
    with_openmp();
  } else if (std::strcmp(how, "pthread") == 0) {
    with_pthreads();
  } else if (std::strcmp(how, "many") == 0) {
    one_after_the_other();
  } else if (std::strcmp(how, "full") == 0) {
    full_buffer();
  } else {
    with_std_threads();
  }
  for (MPI_Comm& communicator : communicators) MPI_Comm_free(&communicator);
  if (rank == 0) std::printf("threads: %ld %ld %ld\n", sums[0], sums[1], sums[2]);
  MPI_Finalize();
  return 0;
}
