// Other tools with MPI functions of their own (PMPI tools) in the same process.
//
//   program -> tool in front -> PMPI           the recorder does not see these calls
//   program -> recorder -> tool behind -> PMPI both see them
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// "libtool.so (2 MPI functions: MPI_Barrier, MPI_Send)"; "": there is none.
struct OtherTools {
  char in_front[512] = "";
  char behind[512] = "";
};
extern constinit OtherTools other_tools;

void look_for_other_tools() noexcept;

// MPI was initialised under a PMPI name; that call returned `result` to `caller`. If that is a tool that took
// the program's MPI_Init, nothing is recorded, and the user is told. Returns `result`.
int seen_by_another_tool(std::uintptr_t caller, int result) noexcept;

}  // namespace waitprof
