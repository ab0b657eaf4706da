// An event buffer that is divided into excerpts (WAITPROF_PROFILE=light).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "libwaitprof/recover/read_journal.hpp"

namespace waitprof::archive {

// Which excerpts all ranks have. When a program is killed, some ranks may have reached a mark at which they
// gave up excerpts for the next ones, and others not: excerpts of only some ranks do not show who waited for
// whom. The newest excerpt of each rank is kept, because of the calls that are open in it.
class CommonExcerpts {
 public:
  void add(std::span<const std::byte> file);  // the buffer of a rank's first thread
  bool has(std::uint64_t number) const;
  std::size_t left_out() const;

 private:
  std::map<std::uint64_t, std::size_t> ranks_with_;  // an excerpt
  std::set<std::uint64_t> newest_;
  std::size_t ranks_ = 0;
};

// `all`: the buffer's events. The events in the slots of common excerpts become buffer.rest, in the order of
// the excerpts.
void join_excerpts(std::span<const Event> all, const CommonExcerpts& common, BufferedEvents& buffer);

// The totals of all calls, as the file has them; none if it is cut off.
std::span<const CallTotals> totals_in(std::span<const std::byte> file, const crash_safe::EventArea& area);

}  // namespace waitprof::archive
