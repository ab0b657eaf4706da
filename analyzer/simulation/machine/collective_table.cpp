// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/collective_table.hpp"

#include <algorithm>
#include <bit>

#include "analyzer/simulation/machine/placed_json.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using Json = nlohmann::json;
using enum CollectiveAlgorithm;

struct OperationName {
  const char* name;
  CollectiveOperation operation;
};
constexpr OperationName kOperations[] = {
    {"barrier", CollectiveOperation::Barrier},     {"bcast", CollectiveOperation::Bcast},
    {"reduce", CollectiveOperation::Reduce},       {"allreduce", CollectiveOperation::Allreduce},
    {"gather", CollectiveOperation::Gather},       {"gatherv", CollectiveOperation::Gatherv},
    {"scatter", CollectiveOperation::Scatter},     {"scatterv", CollectiveOperation::Scatterv},
    {"allgather", CollectiveOperation::Allgather}, {"allgatherv", CollectiveOperation::Allgatherv},
    {"alltoall", CollectiveOperation::Alltoall},   {"alltoallv", CollectiveOperation::Alltoallv},
    {"scan", CollectiveOperation::Scan},           {"reduce_scatter", CollectiveOperation::ReduceScatter},
};

struct AlgorithmName {
  const char* name;
  CollectiveAlgorithm algorithm;
};
constexpr AlgorithmName kAlgorithms[] = {
    {"binomial", Binomial},
    {"binomial_from_first", BinomialFromFirst},
    {"binomial_smallest_first", BinomialSmallestFirst},
    {"scatter_recursive_doubling", ScatterRecursiveDoubling},
    {"scatter_ring", ScatterRing},
    {"recursive_doubling", RecursiveDoubling},
    {"reduce_scatter_allgather", ReduceScatterAllgather},
    {"reduce_scatter_gather", ReduceScatterGather},
    {"bruck", Bruck},
    {"ring", Ring},
    {"scattered", Scattered},
    {"pairwise", Pairwise},
    {"recursive_halving", RecursiveHalving},
    {"linear", Linear},
    {"dissemination", Dissemination},
    {"two_level", TwoLevel},
};

// Can the algorithm do the operation at all (collective_schedule.cpp)?
bool fits(CollectiveOperation operation, CollectiveAlgorithm algorithm) {
  switch (operation) {
    case CollectiveOperation::Barrier:
      return algorithm == Dissemination || algorithm == TwoLevel;
    case CollectiveOperation::Bcast:
      return algorithm == Binomial || algorithm == BinomialFromFirst ||
             algorithm == ScatterRecursiveDoubling || algorithm == ScatterRing || algorithm == Linear ||
             algorithm == TwoLevel;
    case CollectiveOperation::Reduce:
      return algorithm == Binomial || algorithm == ReduceScatterGather || algorithm == Linear ||
             algorithm == TwoLevel;
    case CollectiveOperation::Allreduce:
      return algorithm == RecursiveDoubling || algorithm == ReduceScatterAllgather || algorithm == Linear ||
             algorithm == TwoLevel;
    case CollectiveOperation::Gather:
    case CollectiveOperation::Gatherv:
      return algorithm == Binomial || algorithm == Linear;
    case CollectiveOperation::Scatter:
    case CollectiveOperation::Scatterv:
      return algorithm == Binomial || algorithm == BinomialSmallestFirst || algorithm == Linear;
    case CollectiveOperation::Allgather:
    case CollectiveOperation::Allgatherv:
      return algorithm == RecursiveDoubling || algorithm == Bruck || algorithm == Ring ||
             algorithm == Pairwise || algorithm == Linear;
    case CollectiveOperation::Alltoall:
      return algorithm == Bruck || algorithm == Scattered || algorithm == Ring || algorithm == Pairwise ||
             algorithm == Linear;
    case CollectiveOperation::Alltoallv:
      return algorithm == Scattered || algorithm == Linear;
    case CollectiveOperation::ReduceScatter:
      return algorithm == RecursiveHalving || algorithm == RecursiveDoubling || algorithm == Pairwise ||
             algorithm == Linear;
    case CollectiveOperation::Scan:
      return algorithm == RecursiveDoubling || algorithm == Linear;
    case CollectiveOperation::kCount:
      break;
  }
  return false;
}

// The one of `all` with this name; null: none.
template <typename Named, std::size_t kCount>
const Named* find_named(const Named (&all)[kCount], const Json& name) {
  const auto* const text = name.get_ptr<const std::string*>();
  const auto found =
      std::ranges::find_if(all, [&](const Named& known) { return text != nullptr && *text == known.name; });
  return found != std::end(all) ? found : nullptr;
}

constexpr char kWhole[] = "a whole number, 0 or more";
constexpr char kYesOrNo[] = "true or false";

AlgorithmRule rule_of(const PlacedJson& json, const Json& entry, const OperationName& operation) {
  AlgorithmRule rule;
  bool found = false;
  PlacedJson::for_each_member(entry, [&](const std::string& key, const Json& value) {
    if (key == "algorithm") {
      if (const AlgorithmName* const known = find_named(kAlgorithms, value); known != nullptr) {
        rule.algorithm = known->algorithm;
        found = fits(operation.operation, known->algorithm);
      }
    } else if (key == "min_ranks") {
      rule.min_ranks = json.get<std::uint64_t>(entry, key, kWhole);
    } else if (key == "max_ranks") {
      rule.max_ranks = json.get<std::uint64_t>(entry, key, kWhole);
    } else if (key == "max_bytes") {
      rule.max_bytes = json.get<std::uint64_t>(entry, key, kWhole);
    } else if (key == "power_of_two") {
      rule.power_of_two = json.get<bool>(entry, key, kYesOrNo);
    } else if (key == "several_nodes") {
      rule.several_nodes = json.get<bool>(entry, key, kYesOrNo);
    } else if (key == "nonblocking") {
      rule.nonblocking = json.get<bool>(entry, key, kYesOrNo);
    } else {
      json.fail(entry, "nothing is called " + key);
    }
  });
  if (!found) json.fail(entry, std::string("needs an algorithm that can do ") + operation.name);
  return rule;
}

bool can_be_stage(CollectiveOperation operation) {
  return CollectiveTable::is_by_blocks(operation) || operation == CollectiveOperation::Barrier ||
         operation == CollectiveOperation::Bcast || operation == CollectiveOperation::Reduce ||
         operation == CollectiveOperation::Allreduce;
}

ConstructorStage stage_of(const PlacedJson& json, const Json& entry) {
  ConstructorStage stage;
  bool found = false;
  PlacedJson::for_each_member(entry, [&](const std::string& key, const Json& value) {
    if (key == "operation") {
      if (const OperationName* const known = find_named(kOperations, value); known != nullptr) {
        stage.operation = known->operation;
        found = can_be_stage(known->operation);
      }
    } else if (key == "algorithm") {
      if (const AlgorithmName* const known = find_named(kAlgorithms, value); known != nullptr)
        stage.algorithm = known->algorithm;
      else
        json.fail(entry, "no algorithm is called " + value.dump());
    } else if (key == "bytes") {
      stage.bytes = json.get<std::uint64_t>(entry, key, kWhole);
    } else if (key == "on_new") {
      stage.on_new = json.get<bool>(entry, key, kYesOrNo);
    } else {
      json.fail(entry, "nothing is called " + key);
    }
  });
  if (!found)
    json.fail(entry, "needs an operation: barrier, bcast, reduce, allreduce, gather, scatter, allgather");
  const bool by_rules = !CollectiveTable::is_by_blocks(stage.operation);
  if (stage.algorithm && (by_rules || !fits(stage.operation, *stage.algorithm)))
    json.fail(entry, "only gather, scatter and allgather take an algorithm, and one that can do it");
  return stage;
}

bool is_unconditional(const AlgorithmRule& rule) {
  return rule.min_ranks == 0 && rule.max_ranks == UINT64_MAX && rule.max_bytes == UINT64_MAX &&
         !rule.power_of_two && !rule.several_nodes && !rule.nonblocking;
}

}  // namespace

const AlgorithmRule& CollectiveTable::choose(const CollectiveCase& one) const {
  const auto& rules = rules_[static_cast<std::size_t>(one.operation)];
  for (const AlgorithmRule& rule : rules) {
    if (one.ranks < rule.min_ranks || one.ranks > rule.max_ranks || one.bytes > rule.max_bytes) continue;
    if (rule.power_of_two && *rule.power_of_two != std::has_single_bit(one.ranks)) continue;
    if (rule.several_nodes && *rule.several_nodes != one.several_nodes) continue;
    if (rule.nonblocking && *rule.nonblocking != one.nonblocking) continue;
    return rule;
  }
  return rules.back();
}

const std::vector<ConstructorStage>& CollectiveTable::constructor(std::string_view function) const {
  const auto found = constructors_.find(function);
  return found != constructors_.end() ? found->second : constructors_.at("other");
}

const std::vector<ConstructorStage>* CollectiveTable::composition(std::string_view function) const {
  const auto found = compositions_.find(function);
  return found != compositions_.end() ? &found->second : nullptr;
}

namespace {

// By function: the operations that it consists of.
std::map<std::string, std::vector<ConstructorStage>, std::less<>> stages_by_function(const PlacedJson& json,
                                                                                     const char* key) {
  std::map<std::string, std::vector<ConstructorStage>, std::less<>> all;
  const Json functions = json.get<Json::object_t>(json.document(), key, "an object of lists");
  PlacedJson::for_each_member(functions, [&](const std::string& function, const Json&) {
    auto& stages = all[function];
    for (const Json& entry : json.get<Json::array_t>(functions, function, "a list of operations"))
      stages.push_back(stage_of(json, entry));
  });
  return all;
}

}  // namespace

CollectiveTable parse_collectives(std::string_view text, const std::string& source) {
  const PlacedJson json(text, source);
  const Json& document = json.document();
  constexpr char kSchema[] = "waitdiag.collectives/1";
  if (json.get<std::string>(document, "schema", "waitdiag.collectives/1 in a table of collectives") !=
      kSchema)
    json.fail(document, std::string("is no table of collectives: schema is not ") + kSchema);
  CollectiveTable table;
  if (document.contains("throttle"))
    table.throttle = std::max(1u, json.get<std::uint32_t>(document, "throttle", kWhole));
  const Json operations = json.get<Json::object_t>(document, "operations", "an object of lists of rules");
  PlacedJson::for_each_member(operations, [&](const std::string& key, const Json&) {
    if (find_named(kOperations, key) == nullptr) json.fail(operations, "no operation is called " + key);
  });
  for (const OperationName& operation : kOperations) {
    auto& rules = table.rules_[static_cast<std::size_t>(operation.operation)];
    const bool as_allgather =
        operation.operation == CollectiveOperation::Allgatherv && !operations.contains(operation.name);
    const Json entries = json.get<Json::array_t>(operations, as_allgather ? "allgather" : operation.name,
                                                 "a list of rules, also where there is one only");
    for (const Json& entry : entries) rules.push_back(rule_of(json, entry, operation));
    const Json& last = entries.empty() ? operations : entries.back();
    const std::string name = operation.name;
    if (rules.empty() || !is_unconditional(rules.back()))
      json.fail(last,
                "the last rule of " + name + " must apply always, so it has an algorithm and nothing else");
    if (rules.back().algorithm == TwoLevel)
      json.fail(last, "two_level needs other rules of " + name + " for inside and between nodes");
  }
  table.constructors_["other"] = {{}};
  if (document.contains("constructors")) {
    table.constructors_ = stages_by_function(json, "constructors");
    if (!table.constructors_.contains("other"))
      json.fail(document["constructors"],
                "constructors need \"other\", for the functions that are not named");
  }
  if (document.contains("compositions")) {
    table.compositions_ = stages_by_function(json, "compositions");
    for (const auto& [function, stages] : table.compositions_)
      if (function != "MPI_Win_fence" && function != "MPI_Win_create" && function != "MPI_Win_free")
        json.fail(document["compositions"],
                  "only MPI_Win_fence, MPI_Win_create and MPI_Win_free may be composed, not " + function);
  }
  return table;
}

CollectiveTable find_collectives(const std::string& name_or_file) {
  std::string names;
  for (const ReadyCollectives& table : ready_collectives()) {
    if (name_or_file == table.name)
      return parse_collectives(table.text, "collectives-" + name_or_file + ".json");
    names += (names.empty() ? "" : ", ") + std::string(table.name);
  }
  const auto text = read_text_file(name_or_file);
  if (!text)
    throw TraceError("cannot read the table of collectives " + name_or_file + "; give " + names +
                     " or a file of schema waitdiag.collectives/1");
  return parse_collectives(*text, name_or_file);
}

}  // namespace waitdiag
