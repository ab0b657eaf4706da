// Strong ids. Every id is a dense index into the table it names, so that columns can be plain vectors;
// mixing two kinds of id does not compile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace waitdiag {

enum class Rank : std::int32_t {};         // rank in MPI_COMM_WORLD
enum class Location : std::uint32_t {};    // one thread of one rank: index into Trace::timelines()
enum class RegionId : std::uint32_t {};    // function or user region
enum class CallPathId : std::uint32_t {};  // node of the call tree; its region is the innermost frame
enum class CommId : std::uint32_t {};      // communicator
enum class PeerListId : std::uint32_t {};  // how much each member exchanged with which in a collective

constexpr Rank kNoRank{-1};
constexpr CallPathId kNoCallPath{std::numeric_limits<std::uint32_t>::max()};
constexpr RegionId kNoRegion{std::numeric_limits<std::uint32_t>::max()};
constexpr PeerListId kNoPeerList{std::numeric_limits<std::uint32_t>::max()};
constexpr CommId kNoComm{std::numeric_limits<std::uint32_t>::max()};
constexpr std::uint32_t kNoOp = std::numeric_limits<std::uint32_t>::max();

template <typename Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

// One operation (MPI call) of one location.
struct OpRef {
  Location location{};
  std::uint32_t op = kNoOp;
  constexpr bool valid() const { return op != kNoOp; }
  friend constexpr auto operator<=>(const OpRef&, const OpRef&) = default;
};

}  // namespace waitdiag
