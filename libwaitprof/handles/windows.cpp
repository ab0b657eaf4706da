// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/windows.hpp"

#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/crash_safe/kept_arrays.hpp"
#include "libwaitprof/handles/communicator_facts.hpp"
#include "libwaitprof/handles/communicator_key.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/handle_map.hpp"
#include "libwaitprof/handles/handle_table.hpp"
#include "libwaitprof/handles/lost_handles.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof {

namespace {

using WindowTable = HandleTable<Window>;
static_assert(WindowTable::kNone == kUnknownWindow);

constinit WindowTable windows;
constinit HandleMap<std::uint32_t> window_numbers;  // communicator's key -> windows so far
constinit KeptArrays<int> groups{std::size_t{1} << 20, RecordKind::RankGroup};

// Windows of a communicator are made in the same order on all its members; under the table lock.
std::uint64_t new_key(std::uint32_t comm) noexcept {
  const std::uint64_t base = communicator(comm).key;
  std::uint32_t* number = window_numbers.find(base);
  if (number == nullptr) {
    number = window_numbers.add(base, 0);
  }
  return number != nullptr ? numbered_key(base, ++*number) : base;
}

}  // namespace

std::uint32_t window_count() noexcept {
  return windows.count();
}

Window& window(std::uint32_t id) noexcept {
  return windows[id];
}

std::uint32_t window_of(MPI_Win handle) noexcept {
  const TableLock lock;
  return windows.find(key_of(handle));
}

std::uint32_t add_window(MPI_Win handle, std::uint32_t comm, bool allocated) noexcept {
  if (comm == kUnknownComm) {
    return kUnknownWindow;
  }
  const auto fill = [&](std::uint32_t id, Window& made) {
    made = Window{.key = new_key(comm), .comm = comm, .allocated = allocated};
    journal(RecordKind::Window, crash_safe::WindowRecord{.key = made.key, .id = id, .comm = comm});
  };
  const auto add = [&] {
    const TableLock lock;
    return windows.add(key_of(handle), fill);
  };
  return count_if_lost(add());
}

void forget_window(MPI_Win handle) noexcept {
  const TableLock lock;
  windows.forget(key_of(handle));
}

void name_window(std::uint32_t id, const char* name) noexcept {
  if (id == kUnknownWindow) {
    return;
  }
  Window& named = window(id);
  keep_name(named.name, name);
  if (named.name != nullptr) {
    journal(RecordKind::WindowName, id, named.name);
  }
}

std::uint32_t rank_group_of(MPI_Group group) noexcept {
  const std::span<const int> ranks = world_ranks_of(group);
  return groups.id(ranks, [](int rank) { return static_cast<std::uint64_t>(static_cast<unsigned>(rank)); });
}

std::uint32_t rank_group_count() noexcept {
  return groups.count();
}

std::span<const int> rank_group(std::uint32_t id) noexcept {
  return groups[id];
}

}  // namespace waitprof
