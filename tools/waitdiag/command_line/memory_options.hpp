// How much memory a command may take, and where the rest lies.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {
class App;
}

namespace waitdiag::tool {

// --memory SIZE and --scratch DIR
void add_memory_options(CLI::App& command);

// Until --memory says something else: half of what the machine or its cgroup has.
void limit_memory_as_usual();

}  // namespace waitdiag::tool
