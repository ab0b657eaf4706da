// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/roots.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The place of the root in its communicator, and the number of members, in an instance of the call.
struct RootPlace {
  int place = 0, members = 1;
  Turn turn{};
};
using RootPlaces = std::vector<RootPlace>;

RootPlaces root_places(const Study& study, const CollectiveRecords& one) {
  RootPlaces places;
  for (std::size_t i = 0; i < one.root.size(); ++i)
    for (std::size_t rank = 0; rank < one.root[i].size(); ++rank) {
      if (one.root[i][rank] == kNoRank || one.comms[i][rank] == kNoComm) continue;
      const Instance& at = one.instances[i];
      const Communicator& comm = study.runs[at.run].trace->communicator(one.comms[i][rank]);
      const auto found = std::ranges::find(comm.members, one.root[i][rank]);
      places.push_back({comm.self ? 0 : static_cast<int>(found - comm.members.begin()),
                        comm.self ? 1 : static_cast<int>(comm.members.size()), at.turn});
    }
  return places;
}

// The same rank in all of them, cyclically.
bool is_root(int root, const RootPlaces& places) {
  return std::ranges::all_of(places, [root](const RootPlace& at) { return at.place == root % at.members; });
}

using Series = std::vector<const RootPlaces*>;

bool take_turns(const Series& series) {
  std::set<int> roots;
  for (const RootPlaces* places : series)
    for (const RootPlace& at : *places) {
      if (at.turn.of > 1) return false;
      roots.insert(at.place);
    }
  return roots.size() > 1;
}

// Each member is the root of so many operations in a row. Nothing: they do not take turns so.
std::optional<int> operations_of_a_root(const Series& series) {
  constexpr int kMost = 4;
  for (int each = 1; each <= kMost; ++each) {
    std::size_t nth = 0;
    while (nth < series.size() && is_root(static_cast<int>(nth) / each, *series[nth])) ++nth;
    if (nth == series.size()) return each;
  }
  return std::nullopt;
}

// Parts dealt in blocks (the panels of a matrix), of which each has one operation, from the first to the last or back, again
// and again. Nothing: there are no such parts.
std::optional<std::vector<RootLaw>> owners_of_parts(const Series& series) {
  std::vector<RootLaw> laws(series.size());
  const auto holds = [&](std::size_t i) {
    return std::ranges::all_of(*series[i],
                               [&](const RootPlace& at) { return at.place == laws[i].among(at.members, 0); });
  };
  const auto follow = [&](std::size_t parts, bool back) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      const std::size_t part = i % parts;
      laws[i] = {static_cast<int>(back ? parts - 1 - part : part), static_cast<int>(parts)};
      if (!holds(i)) return false;
    }
    return true;
  };
  for (std::size_t parts = 2; parts <= series.size(); ++parts)
    if (series.size() % parts == 0 && (follow(parts, false) || follow(parts, true))) return laws;
  return std::nullopt;
}

// `nth`: of its series.
int root_of(const RootPlaces& places, int nth, const std::string& name) {
  if (places.empty()) return RootLaw::kNotRooted;
  const auto all = [&](const auto& holds) { return std::ranges::all_of(places, holds); };
  if (all([&](const RootPlace& at) { return at.place == places.front().place; })) return places.front().place;
  if (all([](const RootPlace& at) { return at.place + 1 == at.members; })) return RootLaw::kLast;
  if (all([](const RootPlace& at) { return at.place == at.turn.number % at.members; })) return RootLaw::kTurn;
  constexpr int kMost = 1 << 16;
  if (is_root(nth, places)) return nth;
  for (int root = 0; root < kMost; ++root)
    if (is_root(root, places)) return root;
  throw TraceError(
      "cannot tell the root of " + name +
      " with more ranks: it is another one in each run (the same place, the last one, one after the "
      "other, and owners of blocks have a rule)");
}

}  // namespace

int RootLaw::among(int members, int turn) const {
  if (place == kLast) return members - 1;
  if (parts > 0) return static_cast<int>(static_cast<long>(place) * members / parts);
  return (place == kTurn ? turn : place) % members;
}

std::vector<RootLaw> find_roots(const Study& study, const std::vector<CollectiveRecords>& records,
                                const std::vector<RoleOfTurns>& roles) {
  std::vector<RootPlaces> places;
  for (const CollectiveRecords& one : records) places.push_back(root_places(study, one));
  std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> series;  // by name and role
  for (std::size_t i = 0; i < records.size(); ++i)
    series[{study.sequence.names[records[i].call], roles[i].first}].push_back(i);
  std::vector<RootLaw> roots(records.size());
  for (const auto& [key, members] : series) {
    Series of_series;
    for (const std::size_t i : members) of_series.push_back(&places[i]);
    const bool turns = take_turns(of_series);
    const std::optional<int> each = turns ? operations_of_a_root(of_series) : std::nullopt;
    const auto owners = turns && !each ? owners_of_parts(of_series) : std::nullopt;
    int nth = 0;
    for (const std::size_t i : members) {
      roots[i] = owners ? (*owners)[static_cast<std::size_t>(nth)]
                        : RootLaw{each ? nth / *each : root_of(places[i], nth, key.first)};
      ++nth;
    }
  }
  return roots;
}

}  // namespace waitdiag
