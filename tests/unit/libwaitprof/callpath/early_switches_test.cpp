// The thread that asks the kernel for switches while MPI is initialised leaves nothing behind.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/early_switches.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iterator>

#include "libwaitprof/schema/switch_events.hpp"
#include "libwaitprof/settings/settings.hpp"

namespace waitprof {
namespace {

std::ptrdiff_t count_in(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}
std::ptrdiff_t descriptors() {
  return count_in("/proc/self/fd");
}

TEST(EarlySwitches, AreAskedForOnceAndLeaveNothing) {
  const int possible = schema::open_switches_of_this_thread();
  if (possible < 0) GTEST_SKIP() << "the kernel tells no switches here";
  close(possible);
  settings.off_processor = PresenceSource::Switches;
  const std::ptrdiff_t threads = count_in("/proc/self/task"), before = descriptors();
  for (int times = 0; times < 2; ++times) {
    ask_for_switches_early();
    for (int tries = 0; tries < 4000 && (count_in("/proc/self/task") > threads || descriptors() == before);
         ++tries)
      usleep(5000);
    EXPECT_EQ(count_in("/proc/self/task"), threads);
    EXPECT_EQ(descriptors(), before + 1);
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
  end_early_switches();
  EXPECT_EQ(descriptors(), before);
}

}  // namespace
}  // namespace waitprof
