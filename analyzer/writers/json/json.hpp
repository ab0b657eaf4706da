// Results as JSON of the schemas in share/schema, and back. Results are read back exactly as written: times
// are seconds, shares 0..1, an undefined figure is null.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

namespace waitdiag {

// For every result that is a Document (analyzer/results/fields.hpp).
template <typename Result>
void write_json(const Result& result, std::ostream& out);

// Unknown keys are skipped. Throws std::runtime_error that says what is wrong with `text`: not JSON, another
// schema, a part that is missing or of the wrong type.
template <typename Result>
Result read_json(const std::string& text);

// The schema, as published in share/schema.
template <typename Result>
std::string json_schema();

}  // namespace waitdiag
