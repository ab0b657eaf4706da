// A thread works for a while, holds a lock for late(), and works again; main() needs the lock meanwhile. Ten times between
// two barriers. On rank 1 late() takes longer.
//
// With "caller", the thread calls MPI while it holds the lock.
//
//   locked_threads mutex|timed|rwlock|c11|openmp|nested|critical|caller [MILLISECONDS, the unit of time]
//
// SPDX-License-Identifier: BSD-3-Clause
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <threads.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace {

constexpr int kSteps = 10;
double unit = 0.008;  // seconds
int rank;

__attribute__((always_inline)) inline void work(double units) {
  const struct timespec time = {0, static_cast<long>(1e9 * unit * units)};
  nanosleep(&time, nullptr);
}

__attribute__((noinline)) void late() {
  work(rank == 1 ? 6 : 1);
}
__attribute__((noinline)) void prepare() {
  work(2);
}
__attribute__((noinline)) void own() {
  work(2.5);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
mtx_t c11;
#ifdef _OPENMP
omp_lock_t openmp;
omp_nest_lock_t nested;
#endif

// Gives up after half a unit.
bool locked_in_time() {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += static_cast<long>(1e9 * unit / 2);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return pthread_mutex_timedlock(&mutex, &until) == 0;
}

volatile int done = 0;

struct Shape {
  const char* name;
  void (*write)();  // takes the lock, and lets go of it
  void (*read)();
};

const Shape kShapes[] = {{"mutex",
                          [] {
                            pthread_mutex_lock(&mutex);
                            late();
                            pthread_mutex_unlock(&mutex);
                          },
                          [] {
                            pthread_mutex_lock(&mutex);
                            pthread_mutex_unlock(&mutex);
                          }},
                         {"timed",
                          [] {
                            pthread_mutex_lock(&mutex);
                            late();
                            pthread_mutex_unlock(&mutex);
                          },
                          [] {
                            while (!locked_in_time()) continue;
                            pthread_mutex_unlock(&mutex);
                          }},
                         {"rwlock",
                          [] {
                            pthread_rwlock_wrlock(&rwlock);
                            late();
                            pthread_rwlock_unlock(&rwlock);
                          },
                          [] {
                            pthread_rwlock_rdlock(&rwlock);
                            pthread_rwlock_unlock(&rwlock);
                          }},
                         {"caller",
                          [] {
                            pthread_mutex_lock(&mutex);
                            late();
                            int found = 0;
                            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
                            pthread_mutex_unlock(&mutex);
                          },
                          [] {
                            pthread_mutex_lock(&mutex);
                            pthread_mutex_unlock(&mutex);
                          }},
#ifdef _OPENMP
                         {"openmp",
                          [] {
                            omp_set_lock(&openmp);
                            late();
                            omp_unset_lock(&openmp);
                          },
                          [] {
                            omp_set_lock(&openmp);
                            omp_unset_lock(&openmp);
                          }},
                         {"nested",
                          [] {
                            omp_set_nest_lock(&nested);
                            late();
                            omp_unset_nest_lock(&nested);
                          },
                          [] {
                            omp_set_nest_lock(&nested);
                            omp_unset_nest_lock(&nested);
                          }},
                         {"critical",
                          [] {
#pragma omp critical(both)
                            late();
                          },
                          [] {
#pragma omp critical(both)
                            done = done + 1;
                          }},
#endif
                         {"c11",
                          [] {
                            mtx_lock(&c11);
                            late();
                            mtx_unlock(&c11);
                          },
                          [] {
                            mtx_lock(&c11);
                            mtx_unlock(&c11);
                          }}};

pthread_barrier_t meeting;

void serve(const Shape* shape) {
  for (int i = 0; i < kSteps; ++i) {
    pthread_barrier_wait(&meeting);
    prepare();
    shape->write();
    prepare();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  const bool calls = argc > 1 && std::strcmp(argv[1], "caller") == 0;
  MPI_Init_thread(&argc, &argv, calls ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Shape* shape = nullptr;
  for (const Shape& each : kShapes)
    if (argc > 1 && std::strcmp(each.name, argv[1]) == 0) shape = &each;
  if (shape == nullptr) {
    std::fprintf(stderr, "locked_threads: which lock?\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  if (argc > 2) unit = 1e-3 * std::atof(argv[2]);
  mtx_init(&c11, mtx_plain);
#ifdef _OPENMP
  omp_init_lock(&openmp);
  omp_init_nest_lock(&nested);
#endif
  pthread_barrier_init(&meeting, nullptr, 2);
  std::thread thread(serve, shape);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kSteps; ++i) {
    pthread_barrier_wait(&meeting);
    own();
    shape->read();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  thread.join();
  MPI_Finalize();
}
