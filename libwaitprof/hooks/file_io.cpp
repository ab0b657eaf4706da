// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/file_io.hpp"

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/own_status.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"
#include "libwaitprof/surroundings/file_name.hpp"

namespace waitprof::hooks {

namespace {

void add_file_bytes(RecordedCall& call, std::uint64_t bytes) noexcept {
  call.add_message(EventType::FileBytes, call.left(), {bytes, 0, 0, 0, 0});
}

// Files of one process, and those opened before recording began, have no communicator here.
void add_file_collective(RecordedCall& call, MPI_File file) noexcept {
  const std::uint32_t comm = file != MPI_FILE_NULL ? communicator_of(file) : kUnknownComm;
  if (comm != kUnknownComm) {
    call.add_collective_begin();
    call.add_collective_end(CollectiveOp::Barrier, comm);
  }
}

}  // namespace

void FileOpen::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = add_file(*fh, communicator_of(comm));
  if (id != kUnknownComm) {
    name_communicator(id, filename != nullptr ? file_name(filename) : nullptr);
    call.add_collective_begin();
    call.add_communicator(EventType::CommCreate, id);
    call.add_collective_end(CollectiveOp::CreateHandle, id);
  }
}

void FileClose::before(const RecordedCall&) noexcept {
  handle = fh != nullptr ? *fh : MPI_FILE_NULL;
}

void FileClose::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = communicator_of(handle);
  if (id != kUnknownComm) {
    forget_file(handle);
    call.add_collective_begin();
    call.add_communicator(EventType::CommDestroy, id);
    call.add_collective_end(CollectiveOp::DestroyHandle, id);
  }
}

void FileCollective::after(RecordedCall& call) const noexcept {
  add_file_collective(call, fh);
}

void FileAccess::before(const RecordedCall& call) noexcept {
  MPI_Status* const filled = statuses_to_fill(call.thread(), status, 1);
  if (filled != status && filled != nullptr) {
    *filled = {};
  }
  status = filled;
}

void FileAccess::after(RecordedCall& call) const noexcept {
  add_file_collective(call, fh);
  if (is_filled(status)) {
    add_file_bytes(call, received_bytes(*status));
  }
}

void FileRequest::after(RecordedCall& call) const noexcept {
  forget_request(*request, request);
  add_file_bytes(call, bytes_of(count, datatype));
}

}  // namespace waitprof::hooks
