// A recorder without MPI and without an archive: enough around call paths, sampling and regions to see what
// they record in the calling thread.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/settings/settings.hpp"

namespace waitprof::test {

// Gives the calling thread an event buffer and sets the recorder to Recording; undone at the end of the
// scope.
class Recording {
 public:
  explicit Recording(std::size_t events = 1 << 16);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::span<const Event> events() const;
  std::vector<Event> samples() const;
  std::uint32_t sampled_periods() const;  // sum of the samples' weights

 private:
  std::vector<Event> buffer_;
};

int flush_count();  // how often the archive was asked to take the buffer

// Frames of a call path, innermost first.
std::vector<std::uintptr_t> frames_of(std::uint32_t path);

// Names of the functions of a call path, innermost first ("?" where the dynamic symbol table knows none).
std::vector<std::string> functions_of(std::uint32_t path);

}  // namespace waitprof::test
