// See recorder_fakes.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/entries/load_backend.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {

constinit std::atomic<RecorderState> recorder_state{RecorderState::Idle};
constinit std::atomic<std::uint32_t> threads_that_called_mpi{0};
constinit std::atomic<bool (*)(ThreadState&) noexcept> flush_buffer{nullptr};
constinit const Backend kFakeBackend = {.version = "",
                                        .entries = 0,
                                        .thread_bytes = 0,
                                        .wrappers = nullptr,
                                        .enter_region = enter_region,
                                        .leave_region = leave_region,
                                        .enter_function = enter_function,
                                        .leave_function = leave_function,
                                        .begin_step = nullptr,
                                        .adopt_regions = adopt_early_regions};
constinit std::atomic<const Backend*> loaded_backend{&kFakeBackend};
constinit Settings settings;
constinit World world;

namespace {
int flushes = 0;

bool count_flush(ThreadState& thread) noexcept {
  ++flushes;
  thread.cursor = thread.begin;
  return true;
}

[[maybe_unused]] const bool has_old_glibc = [] {
  const bool asked_for = std::getenv("WAITPROF_TEST_OBJECT_TABLE") != nullptr;
  if (asked_for) use_own_object_table(true);
  return asked_for;
}();
}  // namespace

// There is no journal here.
bool has_journal() noexcept {
  return false;
}
void journal(RecordKind, std::span<const std::byte>, const char*) noexcept {}
void journal_module_of(std::uintptr_t) noexcept {}

namespace test {

Recording::Recording(std::size_t events) : buffer_(events + 1) {
  this_thread.begin = this_thread.cursor = buffer_.data();
  this_thread.end = this_thread.begin + events;
  this_thread.limit = this_thread.begin + events / 4 * 3;
  flushes = 0;
  flush_buffer = count_flush;
  recorder_state = RecorderState::Recording;
}

Recording::~Recording() {
  recorder_state = RecorderState::Idle;
  this_thread.begin = this_thread.cursor = this_thread.limit = this_thread.end = nullptr;
}

std::span<const Event> Recording::events() const {
  return {this_thread.begin, this_thread.cursor};
}

std::vector<Event> Recording::samples() const {
  std::vector<Event> result;
  for (const Event& event : events())
    if (event.type == EventType::Sample) result.push_back(event);
  return result;
}

std::uint32_t Recording::sampled_periods() const {
  std::uint32_t sum = 0;
  for (const Event& sample : samples()) sum += sample.u.sample.weight;
  return sum;
}

int flush_count() {
  return flushes;
}

std::vector<std::uintptr_t> frames_of(std::uint32_t path) {
  std::vector<std::uintptr_t> frames;
  for (; path != 0; path = call_path_node(path).parent) frames.push_back(call_path_node(path).address);
  return frames;
}

std::vector<std::string> functions_of(std::uint32_t path) {
  std::vector<std::string> names;
  for (; path != 0; path = call_path_node(path).parent) {
    const CallPathNode node = call_path_node(path);
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<void*>(node.address - (node.exact ? 0 : 1)), &info) != 0;
    names.emplace_back(known && info.dli_sname != nullptr ? info.dli_sname : "?");
  }
  return names;
}

}  // namespace test
}  // namespace waitprof
