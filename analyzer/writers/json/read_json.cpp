// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/results/scaling.hpp"
#include "analyzer/trace/model/printable.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/json/object_reader.hpp"

namespace waitdiag {

nlohmann::json parse_printable(const std::string& text) {
  using nlohmann::json;
  return json::parse(text, [](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::value && parsed.is_string())
      make_printable(parsed.get_ref<std::string&>());
    return true;
  });
}

template <typename Result>
Result read_json(const std::string& text) {
  constexpr const char* kIncomplete = "is not a whole report of waitdiag: ";
  const std::string wanted = Document<Result>::kSchema;
  nlohmann::json from;
  try {
    from = parse_printable(text);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string(kIncomplete) + error.what());
  }
  const auto schema = from.find("schema");
  if (schema == from.end() || !schema->is_string())
    throw std::runtime_error("is not a report of waitdiag (it has no \"schema\")");
  if (*schema != wanted)
    throw std::runtime_error("has the schema " + schema->get<std::string>() + ", not " + wanted);
  try {
    Result result;
    const ObjectReader reader(from);
    fields(reader, result);
    return result;
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(kIncomplete) + error.what());
  }
}

template BalanceReport read_json(const std::string&);
template CheckResult read_json(const std::string&);
template Comparison read_json(const std::string&);
template GridReport read_json(const std::string&);
template PredictionReport read_json(const std::string&);
template Report read_json(const std::string&);
template ScalingReport read_json(const std::string&);

}  // namespace waitdiag
