// Hashing of communicators.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/communicator_key.hpp"

namespace waitprof {

namespace {

// SplitMix64's finaliser over a running sum. The constant is added to every value: otherwise small numbers
// would cancel, {1} and {2, 0} would have the same hash, and the two halves of a split would become one
// communicator.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

std::uint64_t hash_of_members(std::span<const int> members) noexcept {
  std::uint64_t hash = mix(0, members.size());
  for (const int member : members) {
    hash = mix(hash, static_cast<std::uint32_t>(member));
  }
  return hash;
}

}  // namespace

std::uint64_t common_key(const Communicator& communicator, int salt) noexcept {
  std::uint64_t members = hash_of_members(communicator.members);
  if (!communicator.remote_members.empty()) {
    members += hash_of_members(communicator.remote_members);
  }
  return mix(mix(communicator.parent_key, members), static_cast<std::uint32_t>(salt));
}

std::uint64_t numbered_key(std::uint64_t common_key, std::uint32_t number) noexcept {
  return mix(common_key, number);
}

}  // namespace waitprof
