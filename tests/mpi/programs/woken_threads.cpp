// Threads that live for the whole run, and wait for each other between two barriers, ten times. On rank 1 late() takes
// longer; "even": it does not; "asleep": threads sleep instead of computing; a number: of milliseconds, of the unit of
// time. How, as the first argument says:
//
//   worker     one thread gets a task through a condition variable, which main() also waits with for its end
//   earlier    the same with a thread that was there before MPI_Init
//   pool       three threads take twelve tasks from a queue; main() waits until all are done
//   future     main() waits for std::future, of a promise that one thread keeps
//   async      main() waits for std::async()
//   semaphore  one thread reads in advance, main() takes what it has read
//   atomic     main() waits for an atomic variable (std::atomic::wait)
//   barrier    main() and two threads meet in pthread_barrier_wait(), one of them is late
//   c11        as "worker", by cnd_wait() and cnd_signal()
//   timed      as "worker", but both wait for 2 ms only, again and again
//   own        as "worker", but the main thread is late: threads that wait for it are not
//   idle       as "own", with a pool: most of its threads have nothing to do at any time
//   caller     one thread makes all the exchange (MPI_THREAD_SERIALIZED), which main() waits for; main() is late
//   late_call  the same (MPI_THREAD_MULTIPLE), but the thread is late before it exchanges
//
// SPDX-License-Identifier: BSD-3-Clause
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/mpi/programs/processor_time.h"

namespace {

constexpr int kSteps = 10;
double unit = 0.008;  // seconds of processor time

int rank;
bool even = false, asleep = false;

void nap(double seconds) {
  const struct timespec time = {0, static_cast<long>(1e9 * seconds)};
  nanosleep(&time, nullptr);
}

__attribute__((always_inline)) inline void compute(double seconds) {
  if (asleep) return nap(seconds);
  use_processor(seconds);
}

__attribute__((noinline)) void late() {
  compute(rank == 1 && !even ? 6 * unit : unit);
}
__attribute__((noinline)) void alike() {
  compute(2 * unit);
}
__attribute__((noinline)) void part() {
  compute(unit / 2);
}
__attribute__((noinline)) void own() {
  compute(unit);
}

using Task = void (*)();

// Threads that take tasks from a queue.
class Pool {
 public:
  explicit Pool(int threads) { add(threads); }
  bool empty() const { return threads_.empty(); }
  void add(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    some_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void put(Task task) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(task);
      ++open_;
    }
    some_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return open_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      some_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const Task task = queue_.front();
      queue_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      if (--open_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable some_, done_;
  std::deque<Task> queue_;
  int open_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

void both() {
  alike();
  late();
}

Pool* pool;

void worker() {
  pool->put(both);
  pool->wait();
}

void tasks() {
  for (int i = 0; i < 12; ++i) pool->put(i == 5 ? late : part);
  pool->wait();
}

std::promise<int>* promise;

void future() {
  std::promise<int> result;
  promise = &result;
  pool->put([] {
    both();
    promise->set_value(1);
  });
  result.get_future().get();
  pool->wait();
}

void async() {
  std::async(std::launch::async, both).get();
}

sem_t read_some, taken;
std::atomic<bool> stop{false};

void read_in_advance() {
  while (!stop) {
    alike();
    late();
    sem_post(&read_some);
    while (sem_wait(&taken) != 0) {
    }
  }
}

void semaphore() {
  own();
  while (sem_wait(&read_some) != 0) {
  }
  sem_post(&taken);
}

std::atomic<int> finished{0};

void atomic() {
  finished = 0;
  pool->put([] {
    both();
    finished = 1;
    finished.notify_all();
  });
  finished.wait(0);
  pool->wait();
}

pthread_barrier_t meeting;

void meet(void (*work)()) {
  for (int i = 0; i < kSteps; ++i) {
    pthread_barrier_wait(&meeting);
    work();
    pthread_barrier_wait(&meeting);
  }
}

void barrier() {
  pthread_barrier_wait(&meeting);
  own();
  pthread_barrier_wait(&meeting);
}

mtx_t c11_mutex;
cnd_t c11_changed;
enum class State { Free, Ordered, Done, Over } state = State::Free;

void wait_until(State wanted, State other) {
  while (state != wanted && state != other) cnd_wait(&c11_changed, &c11_mutex);
}

int serve_c11(void*) {
  mtx_lock(&c11_mutex);
  for (;;) {
    wait_until(State::Ordered, State::Over);
    if (state == State::Over) break;
    mtx_unlock(&c11_mutex);
    both();
    mtx_lock(&c11_mutex);
    state = State::Done;
    cnd_signal(&c11_changed);
  }
  mtx_unlock(&c11_mutex);
  return 0;
}

void change(State to) {
  mtx_lock(&c11_mutex);
  state = to;
  cnd_signal(&c11_changed);
  if (to == State::Ordered) wait_until(State::Done, State::Done);
  mtx_unlock(&c11_mutex);
}

void c11() {
  change(State::Ordered);
}

std::mutex timed_mutex;
std::condition_variable timed_changed;

template <class Until>
void wait_timed(std::unique_lock<std::mutex>& lock, Until until) {
  while (!until()) timed_changed.wait_for(lock, std::chrono::milliseconds(2));
}

void serve_timed() {
  std::unique_lock lock(timed_mutex);
  for (;;) {
    wait_timed(lock, [] { return state == State::Ordered || state == State::Over; });
    if (state == State::Over) return;
    lock.unlock();
    both();
    lock.lock();
    state = State::Done;
    timed_changed.notify_all();
  }
}

void timed() {
  std::unique_lock lock(timed_mutex);
  state = State::Ordered;
  timed_changed.notify_all();
  wait_timed(lock, [] { return state == State::Done; });
}

void main_is_late() {
  pool->put(alike);
  pool->wait();
  both();
}

MPI_Comm of_threads;

void exchange() {
  MPI_Barrier(of_threads);
}

void late_exchange() {
  both();
  exchange();
}

void caller() {
  both();
  pool->put(exchange);
  pool->wait();
}

void late_call() {
  own();
  pool->put(late_exchange);
  pool->wait();
}

struct Shape {
  const char* name;
  void (*step)();
  int threads;  // of the pool
};

const Shape kShapes[] = {{"worker", worker, 1}, {"earlier", worker, 1},     {"pool", tasks, 3},
                         {"future", future, 1}, {"async", async, 0},        {"semaphore", semaphore, 0},
                         {"atomic", atomic, 1}, {"barrier", barrier, 0},    {"c11", c11, 0},
                         {"timed", timed, 0},   {"own", main_is_late, 1},   {"idle", main_is_late, 4},
                         {"caller", caller, 1}, {"late_call", late_call, 1}};

void run(const Shape& shape) {
  std::vector<std::thread> threads;
  thrd_t thread_of_c11{};
  if (shape.step == semaphore) threads.emplace_back(read_in_advance);
  if (shape.step == barrier)
    for (void (*const work)() : {late, alike}) threads.emplace_back(meet, work);
  if (shape.step == timed) threads.emplace_back(serve_timed);
  if (shape.step == c11) thrd_create(&thread_of_c11, serve_c11, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kSteps; ++i) {
    shape.step();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  stop = true;
  sem_post(&taken);
  change(State::Over);
  if (shape.step == c11) thrd_join(thread_of_c11, nullptr);
  timed_changed.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  const char* const name = argc > 1 ? argv[1] : "";
  const Shape* shape = nullptr;
  for (const Shape& each : kShapes)
    if (std::strcmp(each.name, name) == 0) shape = &each;
  Pool threads(shape != nullptr && std::strcmp(name, "earlier") == 0 ? shape->threads : 0);
  int level = MPI_THREAD_FUNNELED;
  if (shape != nullptr && shape->step == caller) level = MPI_THREAD_SERIALIZED;
  if (shape != nullptr && shape->step == late_call) level = MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_threads);
  for (int i = 2; i < argc; ++i) {
    even = even || std::strcmp(argv[i], "even") == 0;
    asleep = asleep || std::strcmp(argv[i], "asleep") == 0;
    if (std::atof(argv[i]) > 0) unit = 1e-3 * std::atof(argv[i]);
  }
  if (shape == nullptr) {
    std::fprintf(stderr, "woken_threads: no shape '%s'\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  sem_init(&read_some, 0, 0);
  sem_init(&taken, 0, 0);
  pthread_barrier_init(&meeting, nullptr, 3);
  mtx_init(&c11_mutex, mtx_plain);
  cnd_init(&c11_changed);
  if (threads.empty()) threads.add(shape->threads);
  pool = &threads;
  const double begin = MPI_Wtime();
  run(*shape);
  if (rank == 0) std::printf("%.3f s\n", MPI_Wtime() - begin);
  threads.end();
  MPI_Comm_free(&of_threads);
  MPI_Finalize();
}
