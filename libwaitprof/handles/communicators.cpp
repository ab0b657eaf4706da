// The table of communicators: entries never move, handles come and go. An entry is made once, unless it is
// freed before any record refers to it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/communicators.hpp"

#include <algorithm>
#include <cstring>

#include "libwaitprof/handles/communicator_facts.hpp"
#include "libwaitprof/handles/communicator_key.hpp"
#include "libwaitprof/handles/handle_map.hpp"
#include "libwaitprof/handles/handle_table.hpp"
#include "libwaitprof/handles/journal_communicator.hpp"
#include "libwaitprof/handles/lost_handles.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof {

namespace {

using CommunicatorTable = HandleTable<Communicator>;
static_assert(CommunicatorTable::kNone == kUnknownComm);

constinit CommunicatorTable communicators;

// Communicators with the same parent and members.
struct Siblings {
  std::uint32_t made = 0;
  std::uint32_t spare = kUnknownComm;  // first of the ids that may be used again
};
constinit HandleMap<Siblings> siblings;  // by Communicator::alike

// Files are numbered apart from communicators: if only some processes could open a file, the others do not
// know of it.
constexpr int kFileSalt = 0x46696c65;

// The key of a file in the table of communicators. It never equals the handle of a communicator, which is an
// address or a 32-bit number.
std::uint64_t key_of_file(MPI_File file) noexcept {
  return ~key_of(file);
}

Siblings* siblings_of(std::uint64_t alike) noexcept {
  Siblings* const known = siblings.find(alike);
  return known != nullptr ? known : siblings.add(alike, {});
}

// A freed id of communicators like this one; kUnknownComm: there is none.
std::uint32_t take_spare(Siblings* like) noexcept {
  const std::uint32_t id = like != nullptr ? like->spare : kUnknownComm;
  if (id != kUnknownComm) {
    like->spare = communicators[id].next_spare;
  }
  return id;
}

// Under the table lock. A key that is not given is made: all members count communicators alike.
std::uint32_t insert_locked(std::uint64_t handle, Communicator entry, int salt) noexcept {
  Siblings* like = nullptr;
  entry.recorded = entry.again = false;
  if (entry.key == 0) {
    entry.alike = common_key(entry, salt);
    like = siblings_of(entry.alike);
    entry.key = like != nullptr ? numbered_key(entry.alike, ++like->made) : entry.alike;
  }
  if (const std::uint32_t id = take_spare(like); id != kUnknownComm) {
    entry.again = true;
    communicators[id] = entry;
    return communicators.add_again(handle, id);
  }
  return communicators.add(handle, [&entry](std::uint32_t id, Communicator& made) {
    made = entry;
    journal_communicator(id, made);
  });
}

std::uint32_t insert(std::uint64_t handle, const Communicator& entry, int salt) noexcept {
  const auto add = [&] {
    const TableLock lock;
    return insert_locked(handle, entry, salt);
  };
  return count_if_lost(add());
}

void note_record(std::uint32_t id) noexcept {
  if (id == kUnknownComm || communicators[id].recorded) {
    return;
  }
  communicators[id].recorded = true;
  if (communicators[id].again) {
    journal_communicator(id, communicators[id]);
  }
}

std::uint32_t find(MPI_Comm handle) noexcept {
  return communicators.find(key_of(handle));
}

}  // namespace

std::uint32_t communicator_count() noexcept {
  return communicators.count();
}

WAITPROF_HOT const Communicator& communicator(std::uint32_t id) noexcept {
  return communicators[id];
}

WAITPROF_HOT std::uint32_t communicator_of(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) {
    return kWorldComm;
  }
  if (handle == MPI_COMM_SELF) {
    return kSelfComm;
  }
  const TableLock lock;
  const std::uint32_t id = find(handle);
  note_record(id);
  return id;
}

std::uint32_t known_communicator(MPI_Comm handle) noexcept {
  const TableLock lock;
  return find(handle);
}

bool start_communicators() noexcept {
  if (communicator_count() > 0) {
    return true;
  }
  Communicator world_comm;
  Communicator self_comm;
  world_comm.key = 1;
  self_comm.key = 2;
  return describe_predefined(world_comm, self_comm) &&
         insert(key_of(MPI_COMM_WORLD), world_comm, 0) == kWorldComm &&
         insert(key_of(MPI_COMM_SELF), self_comm, 0) == kSelfComm;
}

std::uint32_t add_communicator(MPI_Comm handle, std::uint32_t parent, int salt, bool topology) noexcept {
  const Communicator* parent_entry = parent != kUnknownComm ? &communicator(parent) : nullptr;
  Communicator entry;
  if (!ask_mpi_about(handle, parent_entry, entry, topology)) {
    return entry.members.empty() ? count_if_lost(kUnknownComm) : kUnknownComm;
  }
  // The two sides of an inter-communicator come from different parents, so no parent is known to all members.
  const bool made_alike = parent_entry != nullptr && entry.remote_members.empty();
  entry.parent_key = made_alike ? parent_entry->key : 0;
  return insert(key_of(handle), entry, salt);
}

std::uint32_t add_copy(MPI_Comm handle, std::uint32_t parent) noexcept {
  if (parent == kUnknownComm) {
    return kUnknownComm;
  }
  Communicator entry = communicator(parent);
  entry.parent_key = entry.key;
  entry.key = 0;
  entry.name = nullptr;  // MPI does not copy names
  return insert(key_of(handle), entry, 0);
}

std::uint32_t add_file(MPI_File file, std::uint32_t parent) noexcept {
  if (parent == kUnknownComm || communicator(parent).members.size() < 2) {
    return kUnknownComm;
  }
  const Communicator& opened_with = communicator(parent);
  Communicator entry;
  entry.parent_key = opened_with.key;
  entry.members = opened_with.members;
  entry.rank = opened_with.rank;
  return insert(key_of_file(file), entry, kFileSalt);
}

std::uint32_t communicator_of(MPI_File file) noexcept {
  const TableLock lock;
  return communicators.find(key_of_file(file));
}

void forget_file(MPI_File file) noexcept {
  const TableLock lock;
  communicators.forget(key_of_file(file));
}

void journal_communicators() noexcept {
  for (std::uint32_t id = 0; id < communicator_count(); ++id) {
    journal_communicator(id, communicator(id));
    if (const char* name = communicator(id).name; name != nullptr) {
      journal(RecordKind::CommunicatorName, id, name);
    }
  }
}

bool forget_communicator(MPI_Comm handle) noexcept {
  const TableLock lock;
  const std::uint32_t id = find(handle);
  communicators.forget(key_of(handle));
  if (id == kUnknownComm || communicators[id].recorded) {
    return true;
  }
  Communicator& freed = communicators[id];
  if (Siblings* const like = siblings.find(freed.alike); like != nullptr) {
    freed.next_spare = like->spare;
    like->spare = id;
  }
  return false;
}

void name_communicator(std::uint32_t id, const char* name) noexcept {
  if (id == kUnknownComm) {
    return;
  }
  Communicator& named = communicators[id];
  keep_name(named.name, name);
  if (named.name != nullptr) {
    journal(RecordKind::CommunicatorName, id, named.name);
  }
}

void keep_name(const char*& kept, const char* name) noexcept {
  if (name == nullptr) {
    return;
  }
  const std::size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);
  // Takes room for the longest name once, so that a program that renames in a loop does not use up memory.
  auto* copy = const_cast<char*>(kept);
  copy = copy != nullptr ? copy : allocate_array_forever<char>(MPI_MAX_OBJECT_NAME);
  if (copy != nullptr) {
    std::memcpy(copy, name, length);
    copy[length] = '\0';
    kept = copy;
  }
}

}  // namespace waitprof
