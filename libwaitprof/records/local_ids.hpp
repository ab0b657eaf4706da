// Region ids as used in a process's event files: so that they take few bytes, what is frequent in the first
// events comes first (0 takes one byte, up to 255 two), then in order of first use. Only regions that occur
// are defined.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/memory/id_table.hpp"

namespace waitprof::archive {

inline constexpr std::uint32_t kNoRegion = 0xffffffff;

struct LocalIds {
  IdTable<std::uint32_t> regions{1U << 20};
  IdTable<std::uint32_t> created_communicators{1U << 20};
};

// Selects whose ids the functions below use: this process's, unless the archive of another process is
// recovered.
void use_local_ids(LocalIds& ids) noexcept;

// Maps the tables, unless that has been done; false: there is no memory for them.
bool map_local_ids() noexcept;

// Gives ids to the regions that these events enter, the most frequent one first, if there are no ids yet.
[[gnu::noinline]] void number_by_frequency(std::span<const Event> events);

// Region of regions/regions.hpp -> id in the event files; kNoRegion when the table is full. Needs
// map_local_ids().
[[gnu::noinline]] std::uint32_t local_region(std::uint32_t region) noexcept;

std::uint32_t local_region_count() noexcept;
std::uint32_t region_of_local(std::uint32_t local) noexcept;

// Communicators whose creation is in the event files.
[[gnu::noinline]] void note_created(std::uint32_t communicator) noexcept;
bool was_created(std::uint32_t communicator) noexcept;

}  // namespace waitprof::archive
