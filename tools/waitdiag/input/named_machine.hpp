// The machine that a user named.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag::tool {

bool is_ready_machine(const std::string& name);  // one that comes with waitdiag

// One that comes with waitdiag, or a machine file. Throws TraceError, with the name that was probably meant.
Machine named_machine(const std::string& name_or_file);

// Nothing for "recorded" and for no name: the machine on which the runs were recorded.
std::optional<Machine> machine_of(const std::string& name_or_file);

}  // namespace waitdiag::tool
