// One-sided communication of one thread -> OTF2 records. Numbers the operations, so that readers can tell
// which synchronisation completed them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <utility>

#include "libwaitprof/record/event.hpp"

namespace waitprof::archive {

class RmaWriter {
 public:
  // Clears `whole` if a record could not be written.
  void write(OTF2_EvtWriter* writer, const Event& event, std::uint64_t time, bool& whole);
  // Written so far: an event may become several records, or none.
  std::uint64_t records() const noexcept { return records_; }

 private:
  using Target = std::pair<std::uint32_t, std::int32_t>;  // window, rank in its communicator

  OTF2_ErrorCode counted(OTF2_ErrorCode status) noexcept {
    ++records_;
    return status;
  }
  OTF2_ErrorCode write_access(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time);
  OTF2_ErrorCode write_sync(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time);
  // Writes that all operations on a target, or on all, are complete; locally, or there as well.
  OTF2_ErrorCode complete(OTF2_EvtWriter* writer, const RmaData& data, std::uint64_t time, bool there);

  std::map<Target, std::uint64_t> open_;  // number of the operations on a target that are not complete yet
  std::uint64_t next_number_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t request_ = 0;  // of the access that comes next; 0: none
};

}  // namespace waitprof::archive
