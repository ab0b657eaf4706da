// Merges the definitions of several ranks: equal things get one id. No MPI and no OTF2 here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

class Unifier {
 public:
  // Adds one set of definitions, which is empty afterwards; returns the new ids of its ids.
  IdMaps add(Definitions&& definitions);

  Definitions& unified() { return unified_; }
  // Also frees the tables: nothing can be added afterwards.
  Definitions take();

 private:
  using Ids = std::unordered_map<std::string, std::uint32_t>;  // content -> id

  void add_call_paths(const Definitions& definitions, const std::vector<std::uint32_t>& modules,
                      std::vector<std::uint32_t>& ids);
  std::uint32_t add_window(Window&& window);
  std::uint32_t add_communicator(Communicator&& communicator, std::uint32_t local_id);

  Definitions unified_;
  Ids modules_, texts_, regions_, places_, groups_;
  std::unordered_map<std::uint64_t, std::uint32_t> call_paths_;               // by parent and place
  std::unordered_map<std::uint64_t, std::uint32_t> communicators_, windows_;  // by key
};

// first, then second: ids of a rank -> ids of its subtree -> ids of all ranks.
IdMaps compose(const IdMaps& first, const IdMaps& second);

// A parent's call paths always come before it, so one pass names the whole tree. Equal for the same path in
// every run of the same binaries: made of file names and offsets, not of load addresses, ranks or
// directories.
std::vector<std::uint64_t> stable_ids(const Definitions& definitions);

}  // namespace waitprof::archive
