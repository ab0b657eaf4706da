// See path_memo.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/path_memo.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "libwaitprof/callpath/loaded_code.hpp"
#include "libwaitprof/callpath/stack_words.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {
namespace {

// A word of the stack and its value. Nodes of one walk follow each other in the array.
struct WordNode {
  const std::uintptr_t* place;
  std::uintptr_t value;
  std::uint32_t other;  // another value that this word had; 0: none
  // The node at the end of a walk matches no word and names the path that was found; 0 in the others.
  std::uint32_t path : 30, truncated : 1, unloadable : 1;
};
static_assert(sizeof(WordNode) == 24);

struct Start {
  const std::uintptr_t* frame;
  std::uintptr_t return_address;
  std::uint32_t node;  // 0: free
};

constexpr std::uint32_t kMostPath = 0x3fffffff;
constexpr std::size_t kNodes = std::size_t{1} << 15;
constexpr std::size_t kStarts = std::size_t{1} << 12;
constexpr std::size_t kProbes = 8;
constexpr std::size_t kSightings = std::size_t{1} << 11;

struct Memo {
  std::uintptr_t frame_pointer;    // the caller's register, where a node can point to it
  std::uintptr_t never;            // 0, the word that the node at the end of a walk points to
  std::uint32_t used;              // number of nodes in use; the first one is a dummy
  std::uint64_t generation;        // of the code, when the first path was remembered
  std::uint64_t generation_asked;  // time
  PathMemoCounts counts;
  StackWords walk;  // the one that is being remembered
  std::array<Start, kStarts> starts;
  std::array<std::uint64_t, kSightings> sightings;  // hashes of walks that were seen once
  std::array<WordNode, kNodes> nodes;
};

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t hash = (a ^ (b * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 32);
}

void begin(Memo& memo) noexcept {
  memo.used = 1;
  memo.generation = code_generation();
  memo.generation_asked = now();
}

void clear(Memo& memo) noexcept {
  ++memo.counts.cleared;
  std::memset(memo.starts.data(), 0, sizeof memo.starts);
  begin(memo);
}

Memo* memo_of_thread() noexcept {
  if (this_memo == nullptr) {
    this_memo = map_pages(sizeof(Memo));
    if (this_memo != nullptr) begin(*static_cast<Memo*>(this_memo));
  }
  return static_cast<Memo*>(this_memo);
}

std::uint64_t hash_of(const Caller& caller) noexcept {
  return mixed(reinterpret_cast<std::uintptr_t>(caller.frame), caller.return_address());
}

// The entry of the caller in the table, or the free entry where it belongs; nullptr: there is neither.
Start* find_start(Memo& memo, const Caller& caller) noexcept {
  const std::uint64_t hash = hash_of(caller);
  const std::uintptr_t address = caller.return_address();
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    Start& start = memo.starts[(hash + probe) % kStarts];
    if (start.node == 0 || (start.frame == caller.frame && start.return_address == address)) return &start;
  }
  return nullptr;
}

// Learning costs as much as some fifty hits save.
bool pays(const Memo& memo) noexcept {
  constexpr std::uint64_t kFree = 10'000, kHitsPerPath = 16;
  return memo.counts.remembered + memo.counts.not_explained < kFree + memo.counts.hits / kHitsPerPath;
}

bool second_sighting(Memo& memo, const Caller& caller, std::uint32_t path) noexcept {
  const std::uint64_t hash = mixed(hash_of(caller), path) | 1;
  std::uint64_t& seen = memo.sightings[(hash >> 20) % kSightings];
  const bool again = seen == hash;
  seen = hash;
  return again;
}

// Follows the words that are known already, and appends the rest after the last node.
void add(Memo& memo, Start& start, const Caller& caller, const RememberedPath& path) noexcept {
  const StackWords& walk = memo.walk;
  std::uint32_t* link = &start.node;
  std::size_t known = 0;
  for (std::uint32_t at = *link; at != 0;) {
    WordNode& node = memo.nodes[at];
    if (known == walk.count) return;                                // it is already known
    if (node.place != walk.words[known].place) return clear(memo);  // other code is there now
    if (node.value != walk.words[known].value) {
      link = &node.other;
      at = *link;
    } else {
      ++known;
      ++at;
    }
  }
  start.frame = caller.frame;
  start.return_address = caller.return_address();
  *link = memo.used;
  for (; known < walk.count; ++known)
    memo.nodes[memo.used++] = {walk.words[known].place, walk.words[known].value, 0, 0, 0, 0};
  memo.nodes[memo.used++] = {&memo.never, 1, 0, path.id & kMostPath, path.truncated, walk.unloadable};
}

// Code was unloaded since: paths through it may be wrong.
bool out_of_date(Memo& memo) noexcept {
  const std::uint64_t time = now();
  if (time - memo.generation_asked < kShortestExchange) return false;
  memo.generation_asked = time;
  return code_generation() != memo.generation;
}

// False: it is not, and all is forgotten.
[[gnu::noinline]] bool is_up_to_date(Memo& memo) noexcept {
  const bool forget = out_of_date(memo);
  if (forget) {
    clear(memo);
  }
  return !forget;
}

// Most are where they belong; the rest is out of the way, and so are the registers that it needs.
[[gnu::noinline]] const Start* find_start_behind(const Memo& memo, std::size_t first,
                                                 const Caller& caller) noexcept {
  for (std::size_t probe = 1; probe < kProbes; ++probe) {
    const Start& start = memo.starts[(first + probe) % kStarts];
    if (start.node == 0) return nullptr;
    if (start.frame == caller.frame && start.return_address == caller.return_address()) return &start;
  }
  return nullptr;
}

}  // namespace

WAITPROF_HOT RememberedPath remembered_path(const Caller& caller) noexcept {
  auto* const memo = static_cast<Memo*>(this_memo);
  if (memo == nullptr) return {};
  const std::size_t first = hash_of(caller) % kStarts;
  const Start* start = &memo->starts[first];
  if (start->frame != caller.frame || start->return_address != caller.return_address()) [[unlikely]] {
    start = find_start_behind(*memo, first, caller);
    if (start == nullptr) return {};
  }
  if (start->node == 0) return {};
  memo->frame_pointer = caller.frame_pointer;
  const WordNode* node = &memo->nodes[start->node];
  for (;; ++node) {
    while (__builtin_expect(*node->place != node->value, 0)) {
      if (node->path != 0) {
        if (node->unloadable != 0 && !is_up_to_date(*memo)) return {};
        ++memo->counts.hits;
        return {.id = node->path, .truncated = node->truncated != 0};
      }
      if (node->other == 0) return {};
      node = &memo->nodes[node->other];
    }
  }
}

void remember_path(const Caller& caller, std::span<void* const> stack, bool complete,
                   const RememberedPath& path) noexcept {
  Memo* const memo = memo_of_thread();
  if (memo == nullptr || path.id == 0 || path.id > kMostPath) return;
  ++memo->counts.misses;
  if (!second_sighting(*memo, caller, path.id) || !pays(*memo)) return;
  memo->frame_pointer = caller.frame_pointer;
  if (!explain_walk(caller, &memo->frame_pointer, stack, complete, memo->walk)) {
    ++memo->counts.not_explained;
    return;
  }
  Start* const start = find_start(*memo, caller);
  if (start == nullptr || memo->used + memo->walk.count >= kNodes) return clear(*memo);
  add(*memo, *start, caller, path);
  ++memo->counts.remembered;
}

void forget_remembered_paths() noexcept {
  if (this_memo != nullptr) unmap_pages(this_memo, sizeof(Memo));
  this_memo = nullptr;
}

PathMemoCounts path_memo_counts() noexcept {
  return this_memo != nullptr ? static_cast<Memo*>(this_memo)->counts : PathMemoCounts{};
}

}  // namespace waitprof
