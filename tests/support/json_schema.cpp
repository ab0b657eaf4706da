// Checks a JSON document against one of the shipped schemas. A target of its own: the validator's headers do
// not compile with our warnings.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/json_schema.hpp"

#include <fstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace waitdiag::test {

std::string schema_complaints(const std::string& schema_file, const nlohmann::json& document) {
  std::ifstream file(schema_file);
  if (!file) return "cannot read " + schema_file;
  const nlohmann::json schema_document = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_document), schema);

  valijson::Validator validator;
  valijson::ValidationResults results;
  std::string complaints;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results))
    return complaints;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& step : error.context) complaints += step;
    complaints += ": " + error.description + '\n';
  }
  return complaints;
}

}  // namespace waitdiag::test
