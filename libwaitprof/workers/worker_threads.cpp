// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/workers/worker_threads.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/workers/stack_ring.hpp"
#include "libwaitprof/workers/thread_list.hpp"
#include "libwaitprof/workers/thread_timer.hpp"
#include "libwaitprof/workers/worker_marks.hpp"

namespace waitprof {

// Memory that the handler works with.
struct Workplace {
  static constexpr std::size_t kRingWords = std::size_t{128} * 1024 / sizeof(std::uint64_t);
  using Ring = StackRing<kRingWords, kMostInterruptedFrames>;

  InterruptedStack walk;
  Ring::Stack sample;
  Ring ring;
  std::uint64_t last_tick = 0;
};

struct Worker {
  std::atomic<pid_t> tid{0};           // 0: free; kTaken: for a thread that is about to begin
  std::atomic<int> timer{-1};          // -1: none, perhaps on purpose
  bool seen = false;                   // in the list that is being read
  std::atomic<bool> sampled{false};    // whether anything was told of the current thread
  std::atomic<bool> by_itself{false};  // the thread came and goes without being listed
  std::atomic<Workplace*> place{nullptr};
  ThreadState* location = nullptr;
  std::atomic<std::uint64_t> dropped{0};  // samples without room
  std::atomic<std::uint64_t> upkeep{0};   // ns; spent on ticks of all threads that had this place
};

namespace {

constexpr pid_t kTaken = -1;
constexpr std::size_t kKeptForMarks = 64;  // words of a ring

using Stack = WorkerStack;

constinit std::array<Worker, kMostWorkers> workers;
constinit std::atomic<bool> workers_are_taken{false};
constinit std::atomic<int> tick_of_workers{0};  // signal; 0: workers are not looked for
WriteWorkerSample write_sample = nullptr;
constinit std::atomic<std::uint64_t> most_without_place{0};
std::uint64_t without_place = 0;  // in the list that is being read

// Threads that call MPI; any that do not fit here are taken for workers until their first tick.
constinit std::array<std::atomic<pid_t>, 256> mpi_threads;

constinit std::atomic_flag pool_in_use;

// Only one thread at a time may use the pool of workers.
class PoolTurn {
 public:
  enum class Wish { IfFree, Wait };
  explicit PoolTurn(Wish wish) noexcept : mine_(!pool_in_use.test_and_set(std::memory_order_acquire)) {
    while (!mine_ && wish == Wish::Wait) {
      sched_yield();
      mine_ = !pool_in_use.test_and_set(std::memory_order_acquire);
    }
  }
  ~PoolTurn() {
    if (mine_) pool_in_use.clear(std::memory_order_release);
  }
  PoolTurn(const PoolTurn&) = delete;
  PoolTurn& operator=(const PoolTurn&) = delete;
  explicit operator bool() const noexcept { return mine_; }

 private:
  bool mine_;
};

pid_t own_tid() noexcept {
  return static_cast<pid_t>(system_call(SYS_gettid));
}

bool calls_mpi(pid_t tid) noexcept {
  return std::any_of(mpi_threads.begin(), mpi_threads.end(),
                     [tid](const auto& known) { return known.load(std::memory_order_relaxed) == tid; });
}

// Of several threads that replace `from`, only the first one succeeds.
void replace_mpi_thread(pid_t from, pid_t by) noexcept {
  for (std::atomic<pid_t>& known : mpi_threads) {
    pid_t expected = from;
    if (known.compare_exchange_strong(expected, by)) return;
  }
}

// The kernel's name for the processor time of one thread.
clockid_t processor_time_of(pid_t tid) noexcept {
  constexpr unsigned kOfThread = 4, kScheduled = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | kOfThread | kScheduled);
}

void delete_timer_of(Worker& worker) noexcept {
  if (const int timer = worker.timer.exchange(-1); timer >= 0) delete_thread_timer(timer);
}

void release(Worker& worker) noexcept {
  delete_timer_of(worker);
  worker.tid.store(0, std::memory_order_release);
}

// A free place, for this caller alone; nullptr: there is none.
Worker* place_for_worker() noexcept {
  for (Worker& worker : workers) {
    pid_t free = 0;
    if (worker.tid.load(std::memory_order_relaxed) != 0 || !worker.tid.compare_exchange_strong(free, kTaken))
      continue;
    if (worker.place.load(std::memory_order_relaxed) == nullptr) {
      void* const pages = map_pages(sizeof(Workplace));
      if (pages == nullptr) {
        worker.tid.store(0);
        return nullptr;
      }
      worker.place.store(new (pages) Workplace, std::memory_order_release);
    }
    return &worker;
  }
  return nullptr;
}

bool start_timer(Worker& worker, pid_t tid) noexcept {
  const int timer = make_thread_timer(processor_time_of(tid), tid, tick_of_workers.load(), &worker);
  worker.timer.store(timer);
  if (timer >= 0) arm_thread_timer(timer);
  return timer >= 0;
}

void engage(Worker& worker, pid_t tid) noexcept {
  worker.by_itself.store(false);
  worker.seen = true;
  worker.sampled.store(false);
  worker.tid.store(tid, std::memory_order_release);
  if (!start_timer(worker, tid)) release(worker);
}

void meet(pid_t tid) noexcept {
  if (calls_mpi(tid)) return;
  const auto known = std::find_if(workers.begin(), workers.end(), [tid](const Worker& worker) {
    return worker.tid.load(std::memory_order_relaxed) == tid;
  });
  if (known != workers.end() && known->by_itself.load()) return;
  // The number may have gone to a new thread; then the timer still belongs to the old one.
  if (known != workers.end()) {
    const int timer = known->timer.load();
    known->seen = timer < 0 || is_thread_timer_armed(timer);
    if (known->seen) return;
  }
  if (known != workers.end()) release(*known);
  if (blocks_signal(tid, tick_of_workers.load())) return;
  if (Worker* const free = place_for_worker(); free != nullptr)
    engage(*free, tid);
  else
    ++without_place;
}

// True if threads have come or gone since they were last listed, or if that was long ago.
bool threads_may_have_changed() noexcept {
  constexpr std::uint32_t kAfterAChange = 3;  // looks: a thread that has just begun still blocks signals
  constexpr std::uint32_t kAnyway = 64;
  static std::uint64_t threads = 0;
  static std::uint32_t looks = 0;
  const std::uint64_t now_there = number_of_threads();
  const bool gone = std::any_of(workers.begin(), workers.end(), [](const Worker& worker) {
    const pid_t tid = worker.tid.load(std::memory_order_relaxed);
    return tid > 0 && !worker.by_itself.load() && !is_there(tid);
  });
  if (now_there == 0 || now_there != threads || gone) looks = 0;
  threads = now_there;
  return looks++ % kAnyway < kAfterAChange;
}

bool takes_samples(const ThreadState* location) noexcept {
  return location != nullptr && location->cursor < location->limit;
}

enum class Written { All, AsFarAsThereIsRoom };

void write_samples_of(Worker& worker, Written wish) noexcept {
  Workplace* const place = worker.place.load(std::memory_order_acquire);
  if (place == nullptr) return;
  while (wish == Written::All || takes_samples(worker.location)) {
    const Stack* const taken = place->ring.take();
    if (taken == nullptr) break;
    write_sample(worker.location, sample_of(*taken));
  }
  if (worker.location != nullptr)
    worker.location->left_out.dropped_samples += worker.dropped.exchange(0, std::memory_order_relaxed);
}

}  // namespace

void start_workers(int signal, WriteWorkerSample write) noexcept {
  write_sample = write;
  tick_of_workers.store(signal);
  workers_are_taken.store(true);
}

void look_for_workers() noexcept {
  if (tick_of_workers.load() == 0 || !recording()) return;
  const PoolTurn turn(PoolTurn::Wish::IfFree);
  if (!turn || !threads_may_have_changed()) return;
  for (Worker& worker : workers) worker.seen = false;
  without_place = 0;
  if (!for_each_thread([](pid_t tid) noexcept { meet(tid); })) return;
  for (Worker& worker : workers) {
    const bool listed = worker.tid.load() > 0 && !worker.by_itself.load();
    if (!worker.seen && listed) release(worker);
  }
  if (without_place > most_without_place.load(std::memory_order_relaxed))
    most_without_place.store(without_place, std::memory_order_relaxed);
}

void take_worker_samples() noexcept {
  const PoolTurn turn(PoolTurn::Wish::IfFree);
  if (!turn) return;
  for (Worker& worker : workers) write_samples_of(worker, Written::All);
}

void tend_workers(std::uint64_t time) noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000, kTimesASecond = 10;
  static constinit std::atomic<std::uint64_t> last{0};
  if (time - last.load() < kSecond / kTimesASecond) return;
  last.store(time);
  const PoolTurn turn(PoolTurn::Wish::IfFree);
  if (!turn || tick_of_workers.load() == 0) return;
  for (Worker& worker : workers) write_samples_of(worker, Written::AsFarAsThereIsRoom);
}

void stop_workers() noexcept {
  const PoolTurn turn(PoolTurn::Wish::Wait);
  workers_are_taken.store(false);
  tick_of_workers.store(0);
  for (Worker& worker : workers) {
    if (worker.tid.load(std::memory_order_relaxed) > 0) release(worker);
    write_samples_of(worker, Written::All);
  }
}

// A thread that began by itself may have been found as well, before it said so: then it has two places.
ThreadState* leave_workers() noexcept {
  const pid_t tid = own_tid();
  const PoolTurn turn(PoolTurn::Wish::Wait);
  replace_mpi_thread(0, tid);
  this_thread.worker = nullptr;
  ThreadState* before = nullptr;
  for (Worker& worker : workers) {
    if (worker.tid.load(std::memory_order_relaxed) != tid) continue;
    release(worker);
    write_samples_of(worker, Written::All);
    if (before == nullptr && worker.sampled.load()) before = std::exchange(worker.location, nullptr);
  }
  return before;
}

// Before the first tick, so that nothing else puts anything into the ring meanwhile.
bool begin_worker(std::uint64_t number, void* function) noexcept {
  if (!workers_are_taken.load()) return false;
  Worker* const worker = place_for_worker();
  if (worker == nullptr) {
    most_without_place.store(std::max<std::uint64_t>(most_without_place.load(), 1));
    return false;
  }
  const pid_t tid = own_tid();
  Workplace& place = *worker->place.load(std::memory_order_relaxed);
  worker->by_itself.store(true);
  worker->sampled.store(true);
  this_thread.worker = worker;
  place.ring.put(mark_in(place.sample, EventType::ThreadBegin, number, function));
  worker->tid.store(tid, std::memory_order_release);
  const int signal = tick_of_workers.load();
  if (signal != 0 && !blocks_signal_here(signal)) start_timer(*worker, tid);
  return true;
}

bool adopt_worker() noexcept {
  ThreadState& thread = this_thread;
  if (thread.worker != nullptr || thread.begin != nullptr || thread.busy != 0 || !workers_are_taken.load())
    return thread.worker != nullptr;
  const pid_t tid = own_tid();
  for (Worker& worker : workers)
    if (worker.tid.load(std::memory_order_acquire) == tid) {
      worker.sampled.store(true);
      thread.worker = &worker;
    }
  return thread.worker != nullptr;
}

void mark_worker(EventType what, std::uint64_t number, void* function) noexcept {
  Worker* const worker = this_thread.worker;
  if (worker == nullptr || worker->tid.load() != own_tid()) return;
  const BusyThread busy(this_thread);
  Workplace& place = *worker->place.load(std::memory_order_relaxed);
  place.ring.put(mark_in(place.sample, what, number, function));
}

void end_worker(std::uint64_t number) noexcept {
  Worker* const worker = this_thread.worker;
  if (worker == nullptr || worker->tid.load() != own_tid()) return;
  delete_timer_of(*worker);
  mark_worker(EventType::ThreadEnd, number);
  this_thread.worker = nullptr;
  worker->tid.store(0, std::memory_order_release);
}

// By the walk of a signal that had interrupted the caller at the end of its call. Ticks in the call come first.
void block_worker(const Caller& caller, std::uint64_t since, std::string_view call) noexcept {
  Worker* const worker = this_thread.worker;
  if (worker == nullptr || worker->tid.load() != own_tid()) return;
  const BusyThread busy(this_thread);
  Workplace& place = *worker->place.load(std::memory_order_relaxed);
  ucontext_t context;
  auto& registers = context.uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(caller.return_address() - 1);
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(caller.frame));
  registers[REG_RBP] = static_cast<greg_t>(caller.frame_pointer);
  walk_interrupted(context, place.walk);
  Stack& stack = begin_mark(place.sample, EventType::Enter, std::max(since, place.last_tick));
  add_name(stack, call);
  const std::size_t count = std::min(place.walk.count, stack.frames.size() - stack.count);
  stack.complete = place.walk.complete && count == place.walk.count;
  std::copy_n(place.walk.frames.begin(), count,
              stack.frames.begin() + static_cast<std::ptrdiff_t>(stack.count));
  stack.count += count;
  place.ring.put(stack, Workplace::kRingWords / 2);  // the rest is for samples
}

void forget_mpi_thread() noexcept {
  replace_mpi_thread(own_tid(), 0);
}

std::uint64_t unsampled_workers() noexcept {
  return most_without_place.load(std::memory_order_relaxed);
}

Worker* worker_of_tick(void* value) noexcept {
  const bool one = value >= workers.data() && value < workers.data() + workers.size();
  return one ? static_cast<Worker*>(value) : nullptr;
}

// A tick may have been on its way when its thread ceased to be this worker.
void on_worker_tick(Worker& worker, const ucontext_t& context, int overrun,
                    std::uint64_t signal_cost) noexcept {
  const ShortStopwatch work;
  if (!recording() || worker.tid.load(std::memory_order_acquire) != own_tid() || this_thread.busy != 0)
    return;
  if (this_thread.worker != nullptr && this_thread.worker != &worker) return never_tick_again(worker);
  Workplace& place = *worker.place.load(std::memory_order_relaxed);
  InterruptedStack& walk = place.walk;
  Stack& sample = place.sample;
  walk_interrupted(context, walk);
  sample.time = place.last_tick = now();
  sample.weight = 1 + static_cast<std::uint32_t>(overrun);
  sample.complete = walk.complete;
  sample.count = walk.count;
  std::copy_n(walk.frames.begin(), walk.count, sample.frames.begin());
  worker.sampled.store(true, std::memory_order_relaxed);
  if (!place.ring.put(sample, kKeptForMarks)) worker.dropped.fetch_add(1, std::memory_order_relaxed);
  worker.upkeep.fetch_add(work.passed() + signal_cost, std::memory_order_relaxed);
}

WorkerUpkeep upkeep_of_workers() noexcept {
  WorkerUpkeep upkeep;
  for (const Worker& worker : workers) {
    const std::uint64_t of_one = worker.upkeep.load(std::memory_order_relaxed);
    upkeep.most = std::max(upkeep.most, of_one);
    upkeep.all += of_one;
  }
  return upkeep;
}

void delay_worker_tick(Worker& worker) noexcept {
  if (const int timer = worker.timer.load(); timer >= 0) arm_thread_timer(timer);
}

// Keeps its place, so that it gets no other timer.
void never_tick_again(Worker& worker) noexcept {
  delete_timer_of(worker);
}

}  // namespace waitprof
