// The process-wide tree of call paths: a node is (parent, address). Every node carries the hash of the whole
// path from the root, so that a path seen before is found by one look-up, however deep it is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/callpath/call_paths.hpp"

namespace waitprof {

inline constexpr std::size_t kMostPathFrames = 256;  // highest WAITPROF_CALLPATH_DEPTH

inline std::uintptr_t address_of(const void* frame) noexcept {
  return reinterpret_cast<std::uintptr_t>(frame);
}

// Maps the tree's memory; false: the system has none.
bool prepare_path_tree() noexcept;

// The id of the path whose frames (kMostPathFrames at most) are given innermost first; `exact_leaf` as in
// CallPathNode::exact. 0: no frames, or the tree is full (counted).
std::uint32_t path_id(std::span<void* const> frames, bool exact_leaf) noexcept;

}  // namespace waitprof
