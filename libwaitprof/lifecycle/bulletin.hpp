// Where ranks of several machines leave a word before MPI_Init that others can read after it: with MPICH's
// launcher, which keeps a table for them (PMI), or as files in the directory where the archive is to be and in the one
// that the program runs in: all that nodes share will do.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/surroundings/launched_job.hpp"

namespace waitprof {

class Bulletin {
 public:
  // Signs for the rank of this process; false: neither place can be written.
  bool sign(const LaunchedJob& job) noexcept;

  // Called after MPI_Init. Without a successful sign() before, no rank counts as signed.
  bool is_signed_by(long rank) const noexcept;
  // Whether this rank may print a message: of all ranks that ask, at least one may, and usually only one.
  bool may_speak(long rank) const noexcept;
  void clear(long rank) const noexcept;

 private:
  struct Directory {
    char path[3800] = "";
    bool known() const noexcept { return path[0] != '\0'; }
    bool sign(const char* parent, const LaunchedJob& job) noexcept;
  };

  bool sign_with_launcher(const LaunchedJob& job) noexcept;
  bool sign_in_directories(const LaunchedJob& job) noexcept;
  bool ask_launcher(const char* question, char (&answer)[1024]) const noexcept;

  int launcher_ = -1;
  char table_[256] = "";      // of the launcher
  Directory directories_[2];  // or these
};

}  // namespace waitprof
