// Files (MPI 4.0, 14): what is read and written, with the bytes that were moved on the Leave of the region,
// and calls that all members of the file's communicator make together, as collectives on it. OTF2 has no
// operation for these: files are opened and closed like handles, and everything else is a barrier, though MPI
// lets a call end before others have begun theirs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

struct FileOpen {
  MPI_Comm comm;
  const char* filename;
  const MPI_File* fh;

  void after(RecordedCall& call) const noexcept;
};

struct FileClose {
  const MPI_File* fh;
  MPI_File handle = MPI_FILE_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

// Moves nothing.
struct FileCollective {
  MPI_File fh;

  void after(RecordedCall& call) const noexcept;
};

// Blocking calls, and MPI_File_*_end: the status says what was moved.
struct FileAccess {
  MPI_Status* status;
  MPI_File fh = MPI_FILE_NULL;  // of calls that all members make

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

// Nonblocking calls: records what was asked for.
struct FileRequest {
  MPI_Count count;
  MPI_Datatype datatype;
  const MPI_Request* request;

  void after(RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks
