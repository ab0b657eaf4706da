// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/file_io.hpp"

#include "libwaitprof/hooks/own_status.hpp"
#include "libwaitprof/record/mpi_library.hpp"

namespace waitprof::hooks {

namespace {

void add_file_bytes(RecordedCall& call, std::uint64_t bytes) noexcept {
  call.add_message(EventType::FileBytes, call.left(), {bytes, 0, 0, 0, 0});
}

}  // namespace

void FileAccess::before(const RecordedCall& call) noexcept {
  MPI_Status* const filled = statuses_to_fill(call, status, 1);
  if (filled != status && filled != nullptr) {
    *filled = {};
  }
  status = filled;
}

void FileAccess::after(RecordedCall& call) const noexcept {
  if (is_filled(status)) {
    add_file_bytes(call, received_bytes(*status));
  }
}

void FileRequest::after(RecordedCall& call) const noexcept {
  add_file_bytes(call, bytes_of(count, datatype));
}

}  // namespace waitprof::hooks
