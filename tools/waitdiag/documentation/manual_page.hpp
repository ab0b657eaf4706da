// Manual pages (roff, section 1) of waitdiag and its commands.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/documentation/described_command.hpp"

namespace waitdiag::tool {

std::string manual_page(const DescribedCommand& program);
std::string manual_page(const DescribedCommand& program, const DescribedCommand& command);

}  // namespace waitdiag::tool
