// Communicators made, freed and named.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/communicator.hpp"

#include <cstdint>

#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/handles/communicators.hpp"

namespace waitprof::hooks {
namespace {

// A number that distinguishes communicators which threads create from the same processes at the same time.
int salt_of(int tag, const char* stringtag) noexcept {
  std::uint32_t hash = static_cast<std::uint32_t>(tag);
  for (; stringtag != nullptr && *stringtag != '\0'; ++stringtag) {
    hash = (hash ^ static_cast<unsigned char>(*stringtag)) * 0x01000193;  // FNV-1a
  }
  return static_cast<int>(hash);
}

}  // namespace

void CommConstructor::after(RecordedCall& call) const noexcept {
  const std::uint32_t parent_id = communicator_of(parent);
  std::uint32_t id = kUnknownComm;
  if (*newcomm != MPI_COMM_NULL) {
    const bool copy = meaning == Copy || meaning == CopyLater;
    id = copy ? add_copy(*newcomm, parent_id)
              : add_communicator(*newcomm, parent_id, salt_of(tag, stringtag), topology);
  }
  const std::uint32_t over = meaning == FromGroup ? communicator_of(*newcomm) : parent_id;
  const bool synchronises = meaning != CopyLater && over != kUnknownComm;
  if (synchronises) {
    call.add_collective_begin();
  }
  if (id != kUnknownComm) {
    call.add_communicator(EventType::CommCreate, id);
  }
  if (synchronises) {
    call.add_collective_end(CollectiveOp::CreateHandle, over);
  }
}

void JobConnector::after(RecordedCall& call) const noexcept {
  CommConstructor{.parent = comm, .newcomm = newcomm, .topology = false}.after(call);
  int rank = root, others = 0;
  if (comm != MPI_COMM_NULL) {
    pmpi::Comm_rank(comm, &rank);
  }
  const bool foreign = *newcomm != MPI_COMM_NULL && known_communicator(*newcomm) == kUnknownComm;
  if (rank == root && foreign && pmpi::Comm_remote_size(*newcomm, &others) == MPI_SUCCESS) {
    note_other_processes(static_cast<std::uint32_t>(others), spawns);
  }
}

void CommFree::before(const RecordedCall&) noexcept {
  handle = comm != nullptr ? *comm : MPI_COMM_NULL;
}

void CommFree::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = known_communicator(handle);
  if (id == kUnknownComm) {
    return;
  }
  if (!forget_communicator(handle)) {
    return call.add_communicator(EventType::CommDestroy, id);
  }
  call.add_collective_begin();
  call.add_communicator(EventType::CommDestroy, id);
  call.add_collective_end(CollectiveOp::DestroyHandle, id);
}

void CommSetName::after(const RecordedCall&) const noexcept {
  name_communicator(communicator_of(comm), name);
}

}  // namespace waitprof::hooks
