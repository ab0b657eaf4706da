// The agreement of simulated ranks. They share one environment, and communication between them would take
// simulated time: each decides for itself, and none waits for another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/agreement.hpp"

#include <simgrid/actor.h>
#include <simgrid/host.h>

#include <cstdio>

#include "libwaitprof/buffer/recorder.hpp"

namespace waitprof {

namespace {

bool records = false;

}  // namespace

void announce() noexcept {}

Agreement agree(bool ready, const ClockReading&) noexcept {
  records = ready;
  return ready ? Agreement::Together : Agreement::None;
}

bool agreed() noexcept {
  return records;
}

void wait_for_all_ranks() noexcept {}
void leave_together() noexcept {}

void end_agreement() noexcept {
  records = false;
}

void forget_agreement() noexcept {
  records = false;
}

void learn_place() noexcept {
  std::snprintf(world.host, sizeof world.host, "%s", sg_host_self_get_name());
  world.process = static_cast<std::uint64_t>(sg_actor_self_get_pid());
}

}  // namespace waitprof
