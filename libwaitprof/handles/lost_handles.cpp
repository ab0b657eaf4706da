// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/lost_handles.hpp"

#include <atomic>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/handles/handle_table.hpp"
#include "libwaitprof/handles/windows.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

static_assert(kUnknownComm == kUnknownWindow);

std::uint32_t count_if_lost(std::uint32_t id) noexcept {
  if (id != kUnknownComm) {
    return id;
  }
  ++this_thread.left_out.lost_handles;
  static constinit std::atomic<bool> said{false};
  if (!said.exchange(true) && first_to_complain(Complaint::Notice)) {
    say("more than %u communicators (with files) or windows were made: what goes over further ones is not "
        "recorded.",
        kMostHandles);
  }
  return id;
}

}  // namespace waitprof
