// Finds the name that the user probably meant to type.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitdiag::tool {

// The most similar of `names`, or "" if none is similar enough to have been meant.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

}  // namespace waitdiag::tool
