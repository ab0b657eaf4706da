// Prints one line on stderr when many ranks have the same trouble: they cannot communicate then, but they
// share a directory, DIR/unfinished. Worse trouble is still reported after lesser trouble.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Where the archive is; before that is known, each rank reports for itself.
void set_crash_safe_directory(const char* archive_directory) noexcept;
const char* crash_safe_directory() noexcept;

// Called by rank 0. A failure shows when a rank creates a file there.
void make_crash_safe_directory() noexcept;
void remove_crash_safe_directory() noexcept;

enum class Complaint : int {
  Notice,      // recording continues
  Stopped,     // it does not
  Incomplete,  // nor can the archive be completed
};
inline constexpr int kComplaints = 3;

// True on the first rank that asks for this one.
bool first_to_complain(Complaint complaint) noexcept;

// The worst one that this rank was the first to ask for, from 1; 0: none.
int worst_own_complaint() noexcept;

}  // namespace waitprof
