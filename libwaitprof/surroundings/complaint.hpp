// Many ranks in the same trouble, one line on stderr: they cannot talk to each other then, but they share a
// directory, DIR/unfinished. What is worse is told after all.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Where the archive is; before that is known, each rank reports for itself.
void set_crash_safe_directory(const char* archive_directory) noexcept;
const char* crash_safe_directory() noexcept;

// By rank 0. Failure shows when somebody makes a file there.
void make_crash_safe_directory() noexcept;
void remove_crash_safe_directory() noexcept;

enum class Complaint : int {
  Notice,      // recording goes on
  Stopped,     // it does not
  Incomplete,  // nor can the archive be completed
};
inline constexpr int kComplaints = 3;

// True on the first rank that asks for this one.
bool first_to_complain(Complaint complaint) noexcept;

}  // namespace waitprof
