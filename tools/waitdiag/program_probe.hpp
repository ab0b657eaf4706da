// What the file of a program tells about how it could be recorded, without running it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace waitdiag::tool {

struct ProgramProbe {
  bool elf = false;                      // false: a script, or not readable
  bool dynamic = false;                  // the loader, and so LD_PRELOAD, has a say
  bool privileged = false;               // setuid or setgid: the loader ignores LD_PRELOAD
  std::vector<std::string> libraries{};  // it asks for directly ("libmpich.so.12")
};

ProgramProbe probe_program(const std::string& file);

}  // namespace waitdiag::tool
