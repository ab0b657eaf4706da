// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/workers.hpp"

#include <algorithm>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/sampling/worker_threads.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {

namespace {

// Whether the thread began in one of MPI's libraries.
bool serves_mpi(const WorkerSample& sample) noexcept {
  const std::uintptr_t function = sample.complete ? thread_function_of_walk(sample.frames) : 0;
  return function != 0 && is_in_library_of_mpi(function);
}

void write_worker_sample(ThreadState*& location, const WorkerSample& sample) noexcept {
  if (serves_mpi(sample)) {
    return;
  }
  if (location == nullptr && (location = place_for_samples()) == nullptr) {
    return;
  }
  if (location->cursor >= location->limit && !archive::flush_samples(*location)) {
    return;
  }
  Event event = event_at(EventType::Sample, sample.time);
  event.u.sample = {.call_path = call_path_of_walk(sample.frames, sample.complete), .weight = sample.weight};
  append(*location, event);
}

}  // namespace

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
  upkeep = std::max(upkeep, most_upkeep_of_workers());
  this_thread.left_out.unsampled_threads = unsampled_workers();
}

}  // namespace waitprof
