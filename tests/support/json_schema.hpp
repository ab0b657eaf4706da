// Checks a JSON document against one of the shipped schemas.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace waitdiag::test {

// One line per violation; "" when the document is valid. A schema that cannot be read is a violation.
std::string schema_complaints(const std::string& schema_file, const nlohmann::json& document);

}  // namespace waitdiag::test
