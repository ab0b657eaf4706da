// See path_tree.hpp. A path's hash is a sum over its frames of address times a constant of the frame's place,
// counted from the outermost. So a node's hash follows from its parent's, and a whole path is hashed without
// waiting for one multiplication after the other. Two such sums, 128 bits, stand for the path itself:
// comparing frame by frame would cost as much as the walk up the stack.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/path_tree.hpp"

#include <array>
#include <atomic>

#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/crash_safe/seen_modules.hpp"
#include "libwaitprof/memory/id_table.hpp"

namespace waitprof {
namespace {

struct PathHash {
  std::uint64_t first = 0x5be0cd19137e2179U, second = 0x1f83d9abfb41bd6bU;
  bool operator==(const PathHash&) const = default;
};

struct PathNode {
  PathHash hash;
  std::uintptr_t address;
  std::uint32_t parent;
  bool exact;
};

// A quarter of a million nodes: 12 MiB of address space, of which only what is used becomes memory, and as
// much again in MPI_Finalize on the rank that joins the trees of all.
constinit IdTable<PathNode> nodes{1U << 18};
constinit std::atomic<std::uint64_t> without_room{0};

struct PlaceConstants {
  std::uint64_t first, second;
};

constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {  // splitmix64
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

constexpr auto kPlaces = [] {
  std::array<PlaceConstants, kMostPathFrames> places{};
  std::uint64_t state = 1;
  for (PlaceConstants& place : places) place = {next_random(state) | 1, next_random(state) | 1};
  return places;
}();

// The leaf of a sample may have the address of a call's return: they are different frames.
constexpr std::uint64_t kExactMark = std::uint64_t{1} << 63;

void add_frame(PathHash& hash, std::uint64_t address, std::size_t place) noexcept {
  hash.first += address * kPlaces[place].first;
  hash.second += address * kPlaces[place].second;
}

PathHash hash_of(std::span<void* const> frames, bool exact_leaf) noexcept {
  PathHash hash;
  const std::size_t last = frames.size() - 1;
  for (std::size_t i = 0; i < last; ++i) add_frame(hash, address_of(frames[last - i]), i);
  add_frame(hash, address_of(frames[0]) | (exact_leaf ? kExactMark : 0), last);
  return hash;
}

// The path has a name even if its library is unloaded, and by the journal even if the process is killed.
void keep_names_of(std::uint32_t id, const PathNode& node) noexcept {
  see_module_of(node.address);
  if (has_journal()) {
    journal_module_of(node.address);
    journal(RecordKind::CallPath, crash_safe::CallPathRecord{id, node.parent, node.address, node.exact});
  }
}

std::uint32_t add_path(std::span<void* const> frames, bool exact_leaf) noexcept {
  std::uint32_t id = 0;
  PathHash hash;
  const std::size_t last = frames.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const bool exact = exact_leaf && i == last;
    const std::uint64_t address = address_of(frames[last - i]);
    add_frame(hash, address | (exact ? kExactMark : 0), i);
    const PathNode node{hash, address, id, exact};
    id = nodes.find_or_add(
        hash.first, node, [&hash](const PathNode& known) { return known.hash == hash; },
        [&node](std::uint32_t added) { keep_names_of(added, node); });
    if (id == 0) {
      without_room.fetch_add(1, std::memory_order_relaxed);
      return 0;
    }
  }
  return id;
}

}  // namespace

bool prepare_path_tree() noexcept {
  return nodes.ready();
}

std::uint32_t path_id(std::span<void* const> frames, bool exact_leaf) noexcept {
  if (frames.empty()) return 0;
  const PathHash hash = hash_of(frames, exact_leaf);
  const std::uint32_t known =
      nodes.find(hash.first, [&hash](const PathNode& node) { return node.hash == hash; });
  return known != 0 ? known : add_path(frames, exact_leaf);
}

std::uint32_t call_path_count() noexcept {
  return nodes.count();
}

CallPathNode call_path_node(std::uint32_t id) noexcept {
  const PathNode& node = nodes[id];
  return {.parent = node.parent, .address = node.address, .exact = node.exact};
}

std::uint64_t lost_call_paths() noexcept {
  return without_room.load(std::memory_order_relaxed);
}

}  // namespace waitprof
