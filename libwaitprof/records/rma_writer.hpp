// One-sided communication of one thread -> OTF2 records. Numbers the operations, so that readers can tell
// which synchronisation completed them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/trace_files/event_file.hpp"

namespace waitprof::archive {

class RmaWriter {
 public:
  // An event may become several records, or none.
  void write(EventFile& file, const Event& event, std::uint64_t time);

 private:
  using Target = std::pair<std::uint32_t, std::int32_t>;  // window, rank in its communicator

  void write_access(EventFile& file, const RmaData& data, std::uint64_t time);
  void write_sync(EventFile& file, const RmaData& data, std::uint64_t time);
  // Writes that all operations on one target, or on all targets, are complete: locally, or at the target as
  // well.
  void complete(EventFile& file, const RmaData& data, std::uint64_t time, bool there);

  // Numbers of the operations that are not complete at their target yet: without a request, and with one.
  std::map<Target, std::uint64_t> open_;
  std::map<Target, std::vector<std::uint64_t>> requested_;
  std::uint64_t next_number_ = 0;
  std::uint32_t request_ = 0;  // of the next access; 0: none
};

}  // namespace waitprof::archive
