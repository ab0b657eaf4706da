// The JSON schema of a result, from its field lists.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/results/scaling.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using Schema = nlohmann::ordered_json;

// Figures are not negative, shares at most 1, unless their traits say otherwise.
Schema number(const char* type, const FieldTraits& traits) {
  Schema schema;
  if (traits.undefined)
    schema["type"] = {type, "null"};
  else
    schema["type"] = type;
  if (!traits.negative) schema["minimum"] = 0;
  if (traits.share) schema["maximum"] = 1;
  return schema;
}

Schema or_null(Schema schema) {
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  return schema.contains("type") ? schema : Schema{{"anyOf", {schema, {{"type", "null"}}}}};
}

class SchemaWriter {
 public:
  void operator()(const char* name, const auto& member, const char* about = "",
                  const FieldTraits& traits = {}) {
    add(name, about, traits, of(member, traits));
  }
  void group(const char* name, const char* about, const FieldTraits& traits, const auto& list) {
    SchemaWriter inside;
    list(inside);
    add(name, about, traits, inside.object());
  }
  Schema object() const { return {{"type", "object"}, {"required", required_}, {"properties", properties_}}; }

 private:
  void add(const char* name, const char* about, const FieldTraits& traits, Schema schema) {
    if (*about != 0) schema["description"] = about;
    if (traits.always) required_.push_back(name);
    properties_[name] = std::move(schema);
  }

  template <typename Struct>
  static Schema of(const Struct& value, const FieldTraits&) {
    SchemaWriter inside;
    fields(inside, value);
    if constexpr (!kIsRow<Struct>) return inside.object();
    return {{"type", "array"},
            {"items", inside.properties_.begin().value()},
            {"minItems", inside.properties_.size()},
            {"maxItems", inside.properties_.size()}};
  }
  static Schema of(double, const FieldTraits& traits) { return number("number", traits); }
  static Schema of(bool, const FieldTraits&) { return {{"type", "boolean"}}; }
  template <std::integral Number>
  static Schema of(const Number&, const FieldTraits& traits) {
    return number("integer", traits);
  }
  static Schema of(const std::string&, const FieldTraits& traits) {
    if (!traits.words.empty()) return words(traits.words);
    return traits.identifier ? Schema{{"type", "string"}, {"pattern", "^[a-z][a-z0-9_]*$"}}
                             : Schema{{"type", "string"}};
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  static Schema of(const Enum&, const FieldTraits&) { return words(kWords<Enum>); }
  static Schema words(std::span<const std::string_view> list) {
    Schema schema = {{"enum", Schema::array()}};
    for (const std::string_view word : list) schema["enum"].push_back(std::string(word));
    return schema;
  }
  template <typename T>
  static Schema of(const std::optional<T>&, const FieldTraits& traits) {
    Schema schema = of(T{}, traits);
    return traits.always ? or_null(std::move(schema)) : schema;
  }
  template <typename T>
  static Schema of(const std::vector<T>&, const FieldTraits& traits) {
    return {{"type", "array"}, {"items", of(T{}, {.negative = traits.negative})}};
  }
  template <typename T>
  static Schema of(const std::map<std::string, T>&, const FieldTraits& traits) {
    return {{"type", "object"}, {"additionalProperties", of(T{}, {.negative = traits.negative})}};
  }
  template <typename T>
  static Schema of(const NullFor<T>&, const FieldTraits& traits) {
    return or_null(of(std::remove_const_t<T>{}, traits));
  }
  // Factors and shares that may be undefined.
  template <typename T>
  static Schema of(const Exact<T>& exact, const FieldTraits& traits) {
    return traits.share ? of(exact.value, traits) : or_null(of(exact.value, traits));
  }
  template <typename T>
  static Schema of(const Derived<T>& derived, const FieldTraits& traits) {
    return of(derived.value, traits);
  }
  template <typename List, typename Key, typename Value>
  static Schema of(const Keyed<List, Key, Value>&, const FieldTraits&) {
    static_assert(std::is_same_v<Key, std::string>);
    return {{"type", "object"}, {"additionalProperties", of(Value{}, FieldTraits{})}};
  }
  template <typename List, typename Key, typename Value>
  static Schema of(const Ranged<List, Key, Value>&, const FieldTraits&) {
    return {{"type", "object"},
            {"patternProperties", {{"^[0-9]+(-[0-9]+)?$", of(Value{}, FieldTraits{})}}},
            {"additionalProperties", false}};
  }

  Schema required_ = Schema::array(), properties_ = Schema::object();
};

}  // namespace

template <typename Result>
std::string json_schema() {
  const Result result{};
  SchemaWriter writer;
  fields(writer, result);
  Schema whole = writer.object();
  Schema schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                   {"title", Document<Result>::kSchema},
                   {"description", Document<Result>::kAbout}};
  schema["type"] = "object";
  schema["required"] = whole["required"];
  schema["required"].insert(schema["required"].begin(), "schema");
  schema["properties"]["schema"] = {{"const", Document<Result>::kSchema}};
  schema["properties"].update(whole["properties"]);
  return schema.dump(1) + '\n';
}

template std::string json_schema<BalanceReport>();
template std::string json_schema<CheckResult>();
template std::string json_schema<Comparison>();
template std::string json_schema<GridReport>();
template std::string json_schema<PredictionReport>();
template std::string json_schema<Report>();
template std::string json_schema<ScalingReport>();

}  // namespace waitdiag
