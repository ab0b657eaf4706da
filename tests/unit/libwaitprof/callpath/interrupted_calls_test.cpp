// A tick never makes a system call fail with EINTR where it would not without us, and never changes how long
// it waits; a signal of the application still interrupts it. Every call that Linux does not restart by itself
// (signal(7)) is tried under 1000 ticks of wall time a second.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "libwaitprof/sampling/sampling.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kWait = 100ms;  // how long every call waits when nothing interrupts it
constexpr timespec kWaitSpec{.tv_sec = 0, .tv_nsec = 100'000'000};
constexpr timeval kWaitValue{.tv_sec = 0, .tv_usec = 100'000};
constexpr int kWaitMilliseconds = 100;

timespec in_a_while(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  time.tv_nsec += kWaitSpec.tv_nsec;
  if (time.tv_nsec >= 1'000'000'000) {
    time.tv_nsec -= 1'000'000'000;
    ++time.tv_sec;
  }
  return time;
}

// clock_nanosleep and friends return the error; the others return -1 and set errno.
int error_of(int returned) {
  return returned < 0 ? errno : returned > 0 ? returned : 0;
}

int socket_with_timeout(int option) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  setsockopt(ends[0], SOL_SOCKET, option, &kWaitValue, sizeof kWaitValue);
  return ends[0];
}

struct WaitingCall {
  const char* name;
  int expected_error;         // when nothing interrupts it
  std::function<int()> wait;  // returns the error, 0 if none
};

std::ostream& operator<<(std::ostream& out, const WaitingCall& call) {
  return out << call.name;
}

int receive_from_full_or_empty_socket(int option, ssize_t (*transfer)(int)) {
  const int socket = socket_with_timeout(option);
  const ssize_t moved = transfer(socket);
  const int error = moved < 0 ? errno : 0;
  close(socket);
  return error;
}

int wait_for_message() {
  const int queue = msgget(IPC_PRIVATE, 0600);
  std::thread sender([queue] {
    std::this_thread::sleep_for(kWait);
    const long message[2] = {1, 0};
    msgsnd(queue, message, sizeof(long), 0);
  });
  long message[2];
  const int error = msgrcv(queue, message, sizeof(long), 0, 0) < 0 ? errno : 0;
  sender.join();
  msgctl(queue, IPC_RMID, nullptr);
  return error;
}

int wait_for_semaphore(const timespec* timeout) {
  const int semaphore = semget(IPC_PRIVATE, 1, 0600);
  sembuf take{.sem_num = 0, .sem_op = -1, .sem_flg = 0};
  std::thread giver([=] {
    if (timeout != nullptr) return;
    std::this_thread::sleep_for(kWait);
    sembuf give{.sem_num = 0, .sem_op = 1, .sem_flg = 0};
    semop(semaphore, &give, 1);
  });
  const int error = semtimedop(semaphore, &take, 1, timeout) < 0 ? errno : 0;
  giver.join();
  semctl(semaphore, 0, IPC_RMID);
  return error;
}

int wait_for_epoll(const std::function<int(int, epoll_event*)>& wait) {
  const int epoll = epoll_create1(0);
  epoll_event event{};
  const int error = error_of(wait(epoll, &event));
  close(epoll);
  return error;
}

int wait_for_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return sigtimedwait(&set, nullptr, &kWaitSpec) < 0 ? errno : 0;
}

int wait_on_semaphore_until(clockid_t clock) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const timespec deadline = in_a_while(clock);
  return error_of(sem_clockwait(&semaphore, clock, &deadline));
}

const WaitingCall calls[] = {
    {"nanosleep", 0, [] { return error_of(nanosleep(&kWaitSpec, nullptr)); }},
    {"usleep", 0, [] { return error_of(usleep(kWaitMilliseconds * 1000)); }},
    {"clock_nanosleep_relative", 0, [] { return clock_nanosleep(CLOCK_MONOTONIC, 0, &kWaitSpec, nullptr); }},
    {"clock_nanosleep_absolute", 0,
     [] {
       const timespec deadline = in_a_while(CLOCK_REALTIME);
       return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &deadline, nullptr);
     }},
    {"poll", 0, [] { return error_of(poll(nullptr, 0, kWaitMilliseconds)); }},
    {"ppoll", 0, [] { return error_of(ppoll(nullptr, 0, &kWaitSpec, nullptr)); }},
    {"ppoll_with_mask", 0,
     [] {
       sigset_t mask;
       sigemptyset(&mask);
       return error_of(ppoll(nullptr, 0, &kWaitSpec, &mask));
     }},
    {"select", 0,
     [] {
       timeval timeout = kWaitValue;
       return error_of(select(0, nullptr, nullptr, nullptr, &timeout));
     }},
    {"pselect_with_mask", 0,
     [] {
       sigset_t mask;
       sigemptyset(&mask);
       return error_of(pselect(0, nullptr, nullptr, nullptr, &kWaitSpec, &mask));
     }},
    {"sem_timedwait", ETIMEDOUT, [] { return wait_on_semaphore_until(CLOCK_REALTIME); }},
    {"sem_clockwait", ETIMEDOUT, [] { return wait_on_semaphore_until(CLOCK_MONOTONIC); }},
    {"epoll_wait", 0,
     [] {
       return wait_for_epoll(
           [](int fd, epoll_event* event) { return epoll_wait(fd, event, 1, kWaitMilliseconds); });
     }},
    {"epoll_pwait", 0,
     [] {
       return wait_for_epoll([](int fd, epoll_event* event) {
         sigset_t mask;
         sigemptyset(&mask);
         return epoll_pwait(fd, event, 1, kWaitMilliseconds, &mask);
       });
     }},
    {"epoll_pwait2", 0,
     [] {
       return wait_for_epoll(
           [](int fd, epoll_event* event) { return epoll_pwait2(fd, event, 1, &kWaitSpec, nullptr); });
     }},
    {"recv_with_timeout", EAGAIN,
     [] {
       return receive_from_full_or_empty_socket(SO_RCVTIMEO, [](int socket) {
         char byte;
         return recv(socket, &byte, 1, 0);
       });
     }},
    {"read_with_timeout", EAGAIN,
     [] {
       return receive_from_full_or_empty_socket(SO_RCVTIMEO, [](int socket) {
         char byte;
         return read(socket, &byte, 1);
       });
     }},
    {"msgrcv", 0, wait_for_message},
    {"semop", 0, [] { return wait_for_semaphore(nullptr); }},
    {"semtimedop", EAGAIN, [] { return wait_for_semaphore(&kWaitSpec); }},
    {"sigtimedwait", EAGAIN, wait_for_signal},
};

// glibc's wrappers have two forms, one for processes that have never had a second thread.
enum class Threads { One, Two };

class UnderThousandTicks : public testing::TestWithParam<std::tuple<WaitingCall, Threads>> {
 protected:
  const WaitingCall& call() const { return std::get<WaitingCall>(GetParam()); }
  void SetUp() override {
    if (std::get<Threads>(GetParam()) == Threads::Two) std::thread([] {}).join();
    settings.sampling = SamplingMode::Wall;
    settings.sampling_hz = 1000;
    ASSERT_TRUE(start_call_paths(64));
    ASSERT_TRUE(start_sampling(this_thread));
  }
  void TearDown() override { stop_sampling(this_thread); }

  test::Recording recording_;
  const std::uint64_t unrepaired_before_ = unrepaired_system_calls();
};

TEST_P(UnderThousandTicks, WaitsAsLongAsWithoutThem) {
  const auto begin = Clock::now();
  const int error = call().wait();
  const auto waited = Clock::now() - begin;

  EXPECT_EQ(std::strerror(error), std::string(std::strerror(call().expected_error)));
  EXPECT_GE(waited, kWait - 1ms);
  EXPECT_LE(waited, 10 * kWait);  // a call that started again at every tick would never end
  EXPECT_EQ(unrepaired_system_calls(), unrepaired_before_);
  EXPECT_GT(recording_.sampled_periods(), 50U);  // the time asleep is not lost: it arrives as overrun
}

std::string name_of(const testing::TestParamInfo<std::tuple<WaitingCall, Threads>>& info) {
  const auto& [call, threads] = info.param;
  return call.name + std::string(threads == Threads::Two ? "_threaded" : "");
}
const auto both = testing::Values(Threads::One, Threads::Two);
INSTANTIATE_TEST_SUITE_P(EveryCall, UnderThousandTicks, testing::Combine(testing::ValuesIn(calls), both),
                         name_of);

// An alarm of the application in the middle of the wait: the call returns EINTR, and the handler has run. All
// of these calls behave so without us, with and without SA_RESTART.
class WithAlarm : public UnderThousandTicks {};

volatile std::sig_atomic_t alarms = 0;

TEST_P(WithAlarm, IsInterruptedByTheApplicationsOwnSignal) {
  struct sigaction action {};
  action.sa_handler = [](int) { alarms = alarms + 1; };
  sigaction(SIGALRM, &action, nullptr);
  alarms = 0;
  // The alarm is repeated, in case a busy machine delivers the first one before the wait begins.
  constexpr timeval kHalf{.tv_sec = 0, .tv_usec = 50'000};
  const itimerval after_half_the_time{.it_interval = kHalf, .it_value = kHalf};
  const auto begin = Clock::now();
  setitimer(ITIMER_REAL, &after_half_the_time, nullptr);
  const int error = call().wait();
  const auto waited = Clock::now() - begin;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);

  EXPECT_EQ(std::strerror(error), std::string(std::strerror(EINTR)));
  EXPECT_GE(alarms, 1);
  EXPECT_GE(waited, kWait / 2);
}

std::vector<WaitingCall> calls_of_this_thread_alone() {
  std::vector<WaitingCall> result;
  for (const WaitingCall& call : calls)  // the alarm may hit another thread; usleep and sleep hide EINTR
    if (call.name != std::string("msgrcv") && call.name != std::string("semop")) result.push_back(call);
  return result;
}
INSTANTIATE_TEST_SUITE_P(EveryCall, WithAlarm,
                         testing::Combine(testing::ValuesIn(calls_of_this_thread_alone()), both), name_of);

const WaitingCall endless_calls[] = {
    {"pause", EINTR, [] { return pause() < 0 ? errno : 0; }},
    {"sigsuspend", EINTR,
     [] {
       sigset_t mask;
       sigemptyset(&mask);
       return sigsuspend(&mask) < 0 ? errno : 0;
     }},
};
INSTANTIATE_TEST_SUITE_P(WithoutEnd, WithAlarm, testing::Combine(testing::ValuesIn(endless_calls), both),
                         name_of);

// sigsuspend lets in a signal that is blocked before and after: setting the mask and going to sleep are one
// step, even when a tick interrupts.
TEST(SuspendUnderThousandTicks, LosesNoSignalOfItsMask) {
  test::Recording recording;
  settings.sampling = SamplingMode::Wall;
  settings.sampling_hz = 1000;
  ASSERT_TRUE(start_sampling(this_thread));
  struct sigaction action {};
  action.sa_handler = [](int) { alarms = alarms + 1; };
  sigaction(SIGALRM, &action, nullptr);
  sigset_t only_alarm, before;
  sigemptyset(&only_alarm);
  sigaddset(&only_alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &only_alarm, &before);
  alarms = 0;
  const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 3100},
                        .it_value = {.tv_sec = 0, .tv_usec = 3100}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(sigsuspend(&before), -1);
    EXPECT_EQ(errno, EINTR);
    EXPECT_EQ(alarms, i);  // never a return without its alarm, never an alarm outside
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_NE(this_thread.sampler_timer, nullptr);  // every call could be continued
  stop_sampling(this_thread);
}

// A thread that is cancelled while its sleep goes on inside our handler: the cancellation unwinds through it.
TEST(CancelUnderThousandTicks, EndsTheSleepingThread) {
  settings.sampling = SamplingMode::Wall;
  settings.sampling_hz = 1000;
  ASSERT_TRUE(start_call_paths(64));
  static std::atomic<bool> cleaned_up{false};
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        struct CleanUp {
          ~CleanUp() { cleaned_up = true; }
        } const clean_up;
        start_sampling(this_thread);
        sleep(100);
        return nullptr;
      },
      nullptr);
  std::this_thread::sleep_for(20ms);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(cleaned_up);
}

// libunwind would read from a pipe, which is a cancellation point: a cancelled thread would end in the middle
// of one of our calls or handlers.
TEST(CancelledThread, IsNotEndedByAWalk) {
  ASSERT_TRUE(start_call_paths(64));
  static std::atomic<bool> walked{false};
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_cancel(pthread_self());
        prepare_call_paths_of_thread();
        walked = true;
        pthread_testcancel();
        return nullptr;
      },
      nullptr);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(walked);
}

// A call whose number cannot be read off the code: it fails once, and the thread is left alone from then on.
TEST(UnknownCallUnderThousandTicks, FailsOnceAndEndsSampling) {
  test::Recording recording;
  settings.sampling = SamplingMode::Wall;
  settings.sampling_hz = 1000;
  ASSERT_TRUE(start_sampling(this_thread));
  const std::uint64_t before = unrepaired_system_calls();
  EXPECT_EQ(syscall(SYS_nanosleep, &kWaitSpec, nullptr), -1);  // the number comes in a register
  EXPECT_EQ(errno, EINTR);
  EXPECT_EQ(unrepaired_system_calls(), before + 1);
  EXPECT_EQ(syscall(SYS_nanosleep, &kWaitSpec, nullptr), 0);
  EXPECT_EQ(this_thread.sampler_timer, nullptr);
}

}  // namespace
}  // namespace waitprof
