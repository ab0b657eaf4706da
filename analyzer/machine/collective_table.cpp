// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/machine/collective_table.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "analyzer/machine/text_file.hpp"
#include "analyzer/model/trace_error.hpp"

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

// What can do the operation at all (collective_schedule.cpp).
bool fits(CollectiveOperation operation, CollectiveAlgorithm algorithm) {
  switch (operation) {
    case CollectiveOperation::Barrier:
      return algorithm == Dissemination || algorithm == TwoLevel;
    case CollectiveOperation::Bcast:
      return algorithm == Binomial || algorithm == BinomialFromFirst ||
             algorithm == ScatterRecursiveDoubling || algorithm == ScatterRing || algorithm == TwoLevel;
    case CollectiveOperation::Reduce:
      return algorithm == Binomial || algorithm == ReduceScatterGather || algorithm == TwoLevel;
    case CollectiveOperation::Allreduce:
      return algorithm == RecursiveDoubling || algorithm == ReduceScatterAllgather || algorithm == TwoLevel;
    case CollectiveOperation::Gather:
    case CollectiveOperation::Gatherv:
    case CollectiveOperation::Scatter:
    case CollectiveOperation::Scatterv:
      return algorithm == Binomial || algorithm == Linear;
    case CollectiveOperation::Allgather:
    case CollectiveOperation::Allgatherv:
      return algorithm == RecursiveDoubling || algorithm == Bruck || algorithm == Ring ||
             algorithm == Pairwise;
    case CollectiveOperation::Alltoall:
      return algorithm == Bruck || algorithm == Scattered || algorithm == Ring || algorithm == Pairwise;
    case CollectiveOperation::Alltoallv:
      return algorithm == Scattered;
    case CollectiveOperation::ReduceScatter:
      return algorithm == RecursiveHalving || algorithm == RecursiveDoubling || algorithm == Pairwise;
    case CollectiveOperation::Scan:
      return algorithm == RecursiveDoubling || algorithm == Linear;
    case CollectiveOperation::kCount:
      break;
  }
  return false;
}

AlgorithmRule rule_of(const Json& entry, const OperationName& operation, const std::string& place) {
  AlgorithmRule rule;
  bool found = false;
  for (const auto& [key, value] : entry.items()) {
    if (key == "algorithm") {
      for (const AlgorithmName& known : kAlgorithms) {
        if (value != known.name) continue;
        rule.algorithm = known.algorithm;
        found = fits(operation.operation, known.algorithm);
      }
    } else if (key == "min_ranks") {
      rule.min_ranks = value.get<std::uint64_t>();
    } else if (key == "max_ranks") {
      rule.max_ranks = value.get<std::uint64_t>();
    } else if (key == "max_bytes") {
      rule.max_bytes = value.get<std::uint64_t>();
    } else if (key == "power_of_two") {
      rule.power_of_two = value.get<bool>();
    } else if (key == "several_nodes") {
      rule.several_nodes = value.get<bool>();
    } else {
      throw TraceError(place + ": nothing is called " + key);
    }
  }
  if (!found) throw TraceError(place + ": needs an algorithm that can do " + operation.name);
  return rule;
}

bool can_be_stage(CollectiveOperation operation) {
  return CollectiveTable::is_by_blocks(operation) || operation == CollectiveOperation::Barrier ||
         operation == CollectiveOperation::Bcast || operation == CollectiveOperation::Reduce ||
         operation == CollectiveOperation::Allreduce;
}

std::vector<ConstructorStage> stages_of(const Json& entries, const std::string& place) {
  std::vector<ConstructorStage> stages;
  for (const Json& entry : entries) {
    ConstructorStage stage;
    bool found = false;
    for (const auto& [key, value] : entry.items()) {
      if (key == "operation") {
        for (const OperationName& known : kOperations) {
          if (value != known.name) continue;
          stage.operation = known.operation;
          found = can_be_stage(known.operation);
        }
      } else if (key == "algorithm") {
        for (const AlgorithmName& known : kAlgorithms)
          if (value == known.name) stage.algorithm = known.algorithm;
        if (!stage.algorithm) throw TraceError(place + ": no algorithm is called " + value.dump());
      } else if (key == "bytes") {
        stage.bytes = value.get<std::uint64_t>();
      } else {
        throw TraceError(place + ": nothing is called " + key);
      }
    }
    if (!found)
      throw TraceError(place +
                       ": needs an operation: barrier, bcast, reduce, allreduce, gather, scatter, allgather");
    const bool by_rules = !CollectiveTable::is_by_blocks(stage.operation);
    if (stage.algorithm && (by_rules || !fits(stage.operation, *stage.algorithm)))
      throw TraceError(place +
                       ": only gather, scatter and allgather take an algorithm, and one that can do it");
    stages.push_back(stage);
  }
  return stages;
}

bool is_unconditional(const AlgorithmRule& rule) {
  return rule.min_ranks == 0 && rule.max_ranks == UINT64_MAX && rule.max_bytes == UINT64_MAX &&
         !rule.power_of_two && !rule.several_nodes;
}

}  // namespace

const AlgorithmRule& CollectiveTable::choose(CollectiveOperation operation, std::uint64_t ranks,
                                             std::uint64_t bytes, bool several_nodes) const {
  const auto& rules = rules_[static_cast<std::size_t>(operation)];
  for (const AlgorithmRule& rule : rules) {
    if (ranks < rule.min_ranks || ranks > rule.max_ranks || bytes > rule.max_bytes) continue;
    if (rule.power_of_two && *rule.power_of_two != std::has_single_bit(ranks)) continue;
    if (rule.several_nodes && *rule.several_nodes != several_nodes) continue;
    return rule;
  }
  return rules.back();
}

const std::vector<ConstructorStage>& CollectiveTable::constructor(std::string_view function) const {
  const auto found = constructors_.find(function);
  return found != constructors_.end() ? found->second : constructors_.at("other");
}

CollectiveTable parse_collectives(std::string_view json, const std::string& source) try {
  const Json document = Json::parse(json);
  if (document.value("schema", "") != "waitdiag.collectives/1")
    throw TraceError(source + ": is no table of collectives: schema is not waitdiag.collectives/1");
  CollectiveTable table;
  table.throttle = std::max(1u, document.value("throttle", table.throttle));
  const Json& operations = document.at("operations");
  for (const OperationName& operation : kOperations) {
    auto& rules = table.rules_[static_cast<std::size_t>(operation.operation)];
    const std::string place = source + ": " + operation.name;
    const bool as_allgather =
        operation.operation == CollectiveOperation::Allgatherv && !operations.contains(operation.name);
    for (const Json& entry : operations.at(as_allgather ? "allgather" : operation.name))
      rules.push_back(rule_of(entry, operation, place + " rule " + std::to_string(rules.size() + 1)));
    if (rules.empty() || !is_unconditional(rules.back()))
      throw TraceError(place + ": the last rule must apply always, so it has an algorithm and nothing else");
    if (rules.back().algorithm == TwoLevel)
      throw TraceError(place + ": two_level needs other rules for inside and between nodes");
  }
  table.constructors_["other"] = {{}};
  if (const auto entries = document.find("constructors"); entries != document.end()) {
    for (const auto& [function, stages] : entries->items())
      table.constructors_[function] = stages_of(stages, source + ": constructor " + function);
    if (!entries->contains("other"))
      throw TraceError(source + ": constructors: needs other, for the functions that are not named");
  }
  return table;
} catch (const Json::parse_error& error) {
  const std::string_view before = json.substr(0, error.byte > 0 ? error.byte - 1 : 0);
  const std::size_t column = before.size() - (before.rfind('\n') + 1);  // npos + 1 is 0
  throw TraceError(source + ":" + std::to_string(1 + std::ranges::count(before, '\n')) + ":" +
                   std::to_string(column + 1) + ": no JSON goes on like this");
} catch (const Json::exception& error) {
  throw TraceError(source + ": " + error.what());
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
