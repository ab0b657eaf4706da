// A thread of a team waits for others of it, from here to the end of the scope.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/openmp/team.hpp"

namespace waitprof {

class WaitInTeam {
 public:
  [[gnu::always_inline]] WaitInTeam(const Caller& caller, TeamWait what) noexcept
      : thread_(this_thread), team_(*thread_.team), id_(thread_.team_id), watch_(caller, what) {
    pause_in_team(thread_, waits_for(what));
  }
  WaitInTeam(const WaitInTeam&) = delete;
  WaitInTeam& operator=(const WaitInTeam&) = delete;
  ~WaitInTeam() {
    if (watch_.end()) {
      watch_.write(0, nullptr);
    }
    go_on_in_team(thread_, team_, id_);
  }

 private:
  ThreadState& thread_;
  Team& team_;
  const std::uint64_t id_;
  CallWatch watch_;
};

}  // namespace waitprof
