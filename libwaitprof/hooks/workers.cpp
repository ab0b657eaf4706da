// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/workers.hpp"

#include <sched.h>

#include <algorithm>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

namespace {

// 0: not known.
std::uint64_t processors_of_process() noexcept {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  return sched_getaffinity(0, sizeof ours, &ours) == 0 ? static_cast<std::uint64_t>(CPU_COUNT(&ours)) : 0;
}

// Whether the thread began in one of MPI's libraries.
bool serves_mpi(const WorkerSample& sample) noexcept {
  const std::uintptr_t function = sample.complete ? thread_function_of_walk(sample.frames) : 0;
  return function != 0 && is_in_library_of_mpi(function);
}

void write_blocked(ThreadState& location, const WorkerSample& sample) noexcept {
  const std::uint32_t region = region_of_library(sample.call);
  if (region == 0) {
    return;
  }
  const std::uint32_t path = call_path_of_walk(sample.frames, sample.complete);
  append(location, EventType::Enter, sample.since, &Event::Payload::region, {region, path});
  append(location, EventType::OffProcessor, sample.time, &Event::Payload::off_processor,
         {sample.time - sample.since, 0, static_cast<std::uint32_t>(OffReason::Blocked), 0});
  append(location, EventType::Leave, sample.time, &Event::Payload::region, {region, kNoCallPathId});
}

void write_worker_sample(ThreadState*& location, const WorkerSample& sample) noexcept {
  if (!sample.mark && serves_mpi(sample)) {
    return;
  }
  if (location == nullptr && (location = place_for_samples()) == nullptr) {
    return;
  }
  if (location->cursor >= location->limit && !archive::flush_samples(*location)) {
    return;
  }
  if (sample.call != nullptr) {
    return write_blocked(*location, sample);
  }
  if (sample.mark) {
    const std::uint32_t path = sample.frames.empty() ? kNoCallPathId : call_path_of_walk(sample.frames, true);
    append(*location, *sample.mark, sample.time, &Event::Payload::thread, {sample.thread, path, 0});
    return;
  }
  Event event = event_at(EventType::Sample, sample.time);
  event.u.sample = {.call_path = call_path_of_walk(sample.frames, sample.complete), .weight = sample.weight};
  append(*location, event);
}

}  // namespace

std::uint64_t upkeep_by_the_clock(std::uint64_t own, const WorkerUpkeep& of_workers,
                                  std::uint64_t processors) noexcept {
  const std::uint64_t all = own + of_workers.all;
  return std::max({own, of_workers.most, processors > 0 ? all / processors : 0});
}

void start_recording_workers() noexcept {
  if (settings.profile == RecordingProfile::Full && settings.usage_hz > 0) {
    start_sampling_workers(write_worker_sample);
  }
}

void record_workers() noexcept {
  look_for_workers();
  take_worker_samples();
}

void finish_recording_workers() noexcept {
  stop_workers();
  std::uint64_t& upkeep = this_thread.left_out.upkeep_ns;
  upkeep = upkeep_by_the_clock(upkeep, upkeep_of_workers(), processors_of_process());
  this_thread.left_out.unsampled_threads = unsampled_workers();
  this_thread.left_out.cut_short_calls = unrepaired_system_calls();
}

}  // namespace waitprof
