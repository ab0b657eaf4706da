// What the ids of this rank mean, written when they are made, in case the rank never reaches its regular end.
// Append-only, in a shared mapping; no lock, no malloc; any thread and any signal handler may write. Without
// a journal (none wanted, no room, MPI not initialised yet) all functions here do nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {

using crash_safe::RecordKind;

// Room for a record of `bytes`, to be filled and then committed; nullptr: no journal, or no room.
std::byte* journal_room(std::size_t bytes) noexcept;
void commit_record(std::byte* room, RecordKind kind) noexcept;

// A record of plain data followed by a text.
void journal(RecordKind kind, std::span<const std::byte> data, const char* text = nullptr) noexcept;

template <class Record>
requires std::is_trivially_copyable_v<Record>
void journal(RecordKind kind, const Record& record, const char* text = nullptr) noexcept {
  journal(kind, std::as_bytes(std::span(&record, 1)), text);
}

// A numbered array: ArrayRecord, then `elements`.
void journal_array(RecordKind kind, std::uint32_t id, std::size_t count,
                   std::span<const std::byte> elements) noexcept;

bool has_journal() noexcept;

// Writes down the module that contains this code, once.
void journal_module_of(std::uintptr_t address) noexcept;

// Gives back the address space that the journal will not need any more: most of what was reserved.
void give_back_journal_room() noexcept;

// Used by crash_safe.cpp.
void start_journal(std::byte* mapping, std::size_t allocated, std::size_t most, const char* path) noexcept;
void stop_journal() noexcept;

}  // namespace waitprof
