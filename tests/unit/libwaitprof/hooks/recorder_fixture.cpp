// The fixture, and stand-ins for the rooms that hooks depend on.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

#include <algorithm>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/sampling/helper_threads.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/sampling/started_threads.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

RoomCalls& room_calls() {
  static RoomCalls calls;
  return calls;
}

namespace {
bool note(const char* what, bool result = true) {
  room_calls().order.emplace_back(what);
  return result;
}
}  // namespace

bool archive::open() noexcept {
  return note("open archive", room_calls().archive_opens);
}
void archive::apply_function_filter() noexcept {}
void archive::compare_clocks(ThreadState&, bool) noexcept {
  note("compare clocks");
}

bool archive::flush(ThreadState& thread) noexcept {
  thread.cursor = room_calls().flush_works ? thread.begin : thread.cursor;
  return note("flush", room_calls().flush_works);
}
bool archive::flush_samples(ThreadState&) noexcept {
  return true;
}
void archive::close() noexcept {
  note("close archive");
}
bool archive::open_alone() noexcept {
  return note("open archive alone", room_calls().archive_opens);
}
void archive::end_alone() noexcept {
  note("end archive alone");
}
void archive::abandon(int code) noexcept {
  room_calls().order.emplace_back("abandon " + std::to_string(code));
}
bool start_call_paths(int) noexcept {
  return note("start call paths");
}
std::uint32_t call_path_of_caller(const Caller& caller) noexcept {
  return static_cast<std::uint32_t>(caller.return_address());
}
void forget_call_paths_of_thread() noexcept {}
bool call_path_in_handler(const Caller& caller, std::uint32_t& path) noexcept {
  path = call_path_of_caller(caller);
  return true;
}

bool start_sampling(ThreadState&) noexcept {
  return note("start sampling");
}
void stop_sampling(ThreadState&) noexcept {
  note("stop sampling");
}
bool is_tick(const siginfo_t&) noexcept {
  return false;
}
void start_sampling_workers(WriteWorkerSample) noexcept {}
std::uint64_t unrepaired_system_calls() noexcept {
  return 0;
}
ImportReplacements imports_of_started_threads() noexcept {
  return {};
}
void block_worker(const Caller&, std::uint64_t, std::string_view) noexcept {}
void end_started_thread(ThreadState&) noexcept {}
void mark_worker(EventType, std::uint64_t, void*) noexcept {}
bool adopt_worker() noexcept {
  return false;
}
void keep_signals_from_helper_threads() noexcept {}
void look_for_workers() noexcept {}
void take_worker_samples() noexcept {}
void stop_workers() noexcept {}
ThreadState* leave_workers() noexcept {
  return nullptr;
}
void forget_mpi_thread() noexcept {}
WorkerUpkeep upkeep_of_workers() noexcept {
  return {};
}
std::uint64_t unsampled_workers() noexcept {
  return 0;
}
std::uint32_t call_path_of_walk(std::span<void* const>, bool) noexcept {
  return 0;
}
std::uintptr_t thread_function_of_walk(std::span<void* const>) noexcept {
  return 0;
}
std::uint32_t region_of_library(const char*) noexcept {
  return 0;
}
std::uint32_t region_by_address(std::uintptr_t) noexcept {
  return kFirstUserRegion;
}
std::uint32_t region_by_name(const char*) noexcept {
  return kFirstUserRegion;
}
void open_regions(ThreadState&) noexcept {
  note("open regions");
}
void close_regions(ThreadState&) noexcept {
  note("close regions");
}

namespace {

// Made once per process, as in a program: the recorder never forgets a communicator.
void make_communicators() {
  stand_in::State& mpi = stand_in::state();
  mpi.comms[MPI_COMM_WORLD] = {{0, 1, 2, 3, 4}, {}, 0, {}, {}, {}};
  mpi.comms[MPI_COMM_SELF] = {{0}, {}, 0, {}, {}, {}};
  mpi.comms[kRowComm] = {{0, 2, 4}, {}, 0, {}, {}, {}};
  mpi.comms[kInterComm] = {{0, 1}, {2, 3, 4}, 0, {}, {}, {}};
  mpi.type_sizes[kDerivedType] = 24;
  mpi.error_class = MPI_SUCCESS;
  mpi.other_ranks_ready = true;
  if (communicator_count() == 0) {
    world.size = 5;
    start_communicators();
    add_communicator(kRowComm, kWorldComm, 0);
    add_communicator(kInterComm, kWorldComm, 0);
  }
}

}  // namespace

RecorderTest::RecorderTest() {
  settings.buffer_mib = 1;
  settings.usage_hz = 0;
  settings.off_processor = PresenceSource::None;
  recorder_state = RecorderState::Idle;
  registered_thread();
  this_thread.repeated_calls = nullptr;  // tests want to see every event
  make_communicators();
  clear();
  room_calls() = {};
  recorder_state = RecorderState::Recording;
}

RecorderTest::~RecorderTest() {
  recorder_state = RecorderState::Idle;
  threads_call_mpi_together = false;
  world.alone = false;
  times_initialised = 0;
  EXPECT_EQ(this_thread.mpi_depth, 0);
}

std::vector<EventType> RecorderTest::types() const {
  std::vector<EventType> result;
  for (const Event& event : events()) {
    result.push_back(event.type);
  }
  return result;
}

Event RecorderTest::the(EventType type) const {
  const std::vector<Event> all = events();
  EXPECT_EQ(std::ranges::count(all, type, [](const Event& e) { return e.type; }), 1);
  const auto found = std::ranges::find(all, type, [](const Event& e) { return e.type; });
  return found != all.end() ? *found : Event{};
}

MPI_Status received(int source, int tag, std::uint64_t bytes) {
  MPI_Status status{};
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  status.count_lo = static_cast<int>(bytes & 0xffffffffU);
  status.count_hi_and_cancelled = static_cast<int>((bytes >> 32) << 1);
  return status;
}

}  // namespace waitprof

void waitprof_use_ompt(void (*)(void*)) noexcept {}
WaitprofTimeToLoad waitprof_time_to_load() noexcept {
  return {0, 0};
}
