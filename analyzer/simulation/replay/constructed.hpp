// Which communicators a constructor made: traces define communicators and their parents, but no call says
// which of them it made.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The new communicator of each member of the parent, by its number among those of one call; kNoMember: none,
// or not known. Empty: no member has a known one.
using ConstructedParts = std::vector<std::uint32_t>;

class ConstructedCommunicators {
 public:
  explicit ConstructedCommunicators(const Trace& trace) : trace_(trace) {}
  // Those made by the `nth` of `count` calls that make communicators from `parent`.
  ConstructedParts of(CommId parent, std::size_t nth, std::size_t count);
  // The same as communicators: kNoComm where it is not known.
  std::vector<CommId> communicators(CommId parent, std::size_t nth, std::size_t count);

 private:
  using MadeByCall = std::vector<std::vector<CommId>>;  // by call and member of the parent
  MadeByCall all_of(CommId parent, std::size_t count) const;

  const Trace& trace_;
  std::map<CommId, MadeByCall> known_;
};

}  // namespace waitdiag
