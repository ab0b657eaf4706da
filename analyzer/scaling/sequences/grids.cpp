// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/grids.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The recorder's property of a communicator (libwaitprof/schema/schema.hpp).
constexpr std::string_view kTopologyProperty = "WAITPROF::TOPOLOGY::COMM_",
                           kCartesian = "cart dims=", kPeriodsOf = " periods=";

std::vector<int> numbers_of(std::string_view text, char separator) {
  std::vector<int> numbers;
  while (!text.empty()) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != separator) return {};
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

std::optional<Grid> grid_of(std::string_view text) {
  const std::size_t periods = text.find(kPeriodsOf);
  if (!text.starts_with(kCartesian) || periods == std::string_view::npos) return std::nullopt;
  Grid grid{.extents = numbers_of(text.substr(kCartesian.size(), periods - kCartesian.size()), 'x')};
  for (const int period : numbers_of(text.substr(periods + kPeriodsOf.size()), ','))
    grid.periodic.push_back(period != 0);
  const bool whole = !grid.extents.empty() && grid.extents.size() == grid.periodic.size() &&
                     *std::min_element(grid.extents.begin(), grid.extents.end()) > 0;
  return whole ? std::optional(grid) : std::nullopt;
}

// The grids of all ranks, each once, in the order of their communicators.
std::vector<Grid> recorded_grids(const Trace& trace) {
  std::map<int, Grid> by_communicator;
  for (const auto& [name, value] : trace.facts().properties) {
    if (!name.starts_with(kTopologyProperty)) continue;
    const std::vector<int> id = numbers_of(std::string_view(name).substr(kTopologyProperty.size()), ' ');
    const std::optional<Grid> grid = grid_of(value);
    if (id.size() == 1 && grid && grid->size() == static_cast<int>(trace.ranks()))
      by_communicator.emplace(id.front(), *grid);
  }
  std::vector<Grid> grids;
  for (const auto& [id, grid] : by_communicator) {
    const bool known = std::any_of(grids.begin(), grids.end(), [&grid = grid](const Grid& other) {
      return other.extents == grid.extents && other.periodic == grid.periodic;
    });
    if (!known) grids.push_back(grid);
  }
  return grids;
}

// The extents of the runs, except along the only dimension that differs between them, which takes the
// target's whole increase.
std::optional<std::vector<int>> grown(const std::vector<Grid>& runs, int ranks) {
  const std::size_t dimensions = runs.front().extents.size();
  std::vector<int> extents(dimensions, 0);
  std::vector<std::size_t> growing;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const int first = runs.front().extents[d];
    const bool same =
        std::all_of(runs.begin(), runs.end(), [&](const Grid& g) { return g.extents[d] == first; });
    same ? void(extents[d] = first) : growing.push_back(d);
  }
  if (growing.size() != 1) return std::nullopt;
  int rest = 1;
  for (const int extent : extents) rest *= std::max(extent, 1);
  if (ranks % rest != 0) return std::nullopt;
  extents[growing.front()] = ranks / rest;
  return extents;
}

GridLaw recorded_law(std::vector<Grid> runs, const RunSize& target, const std::vector<int>& wanted) {
  GridLaw law{.of_run = std::move(runs), .recorded = true};
  law.target = law.of_run.front();
  const auto dimensions = static_cast<int>(law.target.extents.size());
  const bool even = std::all_of(law.of_run.begin(), law.of_run.end(), [&](const Grid& grid) {
    return grid.extents == even_extents(grid.size(), dimensions);
  });
  const char* why = "as the user says";
  if (wanted.size() == law.target.extents.size()) {
    law.target.extents = wanted;
  } else if (even) {
    law.target.extents = even_extents(target.ranks, dimensions);
    why = "as even as possible, like the grids of the runs";
  } else if (const auto extents = grown(law.of_run, target.ranks)) {
    law.target.extents = *extents;
    why = "growing along the dimension in which the runs grow";
  } else {
    std::string of_runs;
    for (const Grid& grid : law.of_run) of_runs += (of_runs.empty() ? "" : ", ") + extents_text(grid.extents);
    throw TraceError(
        fmt::format("cannot tell which grid the program makes of {} ranks: the runs have {}; say it with "
                    "--grid, for example --grid {}",
                    target.ranks, of_runs, extents_text(even_extents(target.ranks, dimensions))));
  }
  law.text = extents_text(law.target.extents) + ", " + why;
  return law;
}

GridLaw assumed_law(const std::vector<const Trace*>& runs, const RunSize& target, const Grid& pattern,
                    const std::vector<int>& wanted) {
  GridLaw law;
  const auto dimensions = static_cast<int>(pattern.periodic.size());
  const auto shaped = [&](int ranks) {
    Grid grid = pattern;
    grid.extents = even_extents(ranks, dimensions);
    return grid;
  };
  for (const Trace* run : runs) law.of_run.push_back(shaped(static_cast<int>(run->ranks())));
  law.target = shaped(target.ranks);
  if (wanted.size() == law.target.extents.size()) law.target.extents = wanted;
  law.text = extents_text(law.target.extents) + (pattern.periodic.front() ? ", periodic" : "") +
             (pattern.first_fastest ? ", first dimension fastest" : "") + ", found from who talks to whom";
  return law;
}

// Groups of neighbours in MPI_COMM_WORLD, or ranks dealt to groups in turn; all of one size.
struct Groups {
  bool in_turn = false;
  int count = 0, members = 0;
  auto operator<=>(const Groups&) const = default;
};

std::optional<Groups> groups_of(const Communicator& communicator, int ranks) {
  const auto members = static_cast<int>(communicator.members.size());
  if (members < 2 || members == ranks || ranks % members != 0) return std::nullopt;
  const auto first = static_cast<int>(index(communicator.members[0]));
  const int stride = static_cast<int>(index(communicator.members[1])) - first, count = ranks / members;
  for (int i = 0; i < members; ++i)
    if (static_cast<int>(index(communicator.members[static_cast<std::size_t>(i)])) != first + i * stride)
      return std::nullopt;
  if (stride == 1 && first % members == 0) return Groups{false, count, members};
  if (stride == count && first < stride) return Groups{true, count, members};
  return std::nullopt;
}

// Grids of two dimensions: the groups that communicators divide all ranks into, and the places in these. As many
// groups in all runs, or as many members of each.
std::vector<std::vector<Grid>> grids_of_groups(const std::vector<const Trace*>& runs, int target) {
  std::vector<std::set<Groups>> seen;
  for (const Trace* run : runs) {
    std::set<Groups>& of_run = seen.emplace_back();
    for (const Communicator& communicator : run->communicators())
      if (const auto groups = groups_of(communicator, static_cast<int>(run->ranks()))) of_run.insert(*groups);
  }
  std::vector<std::vector<Grid>> grids;
  for (const Groups& model : seen.back())
    for (const bool same_count : {true, false}) {
      std::vector<int> sizes;
      for (const Trace* run : runs) sizes.push_back(static_cast<int>(run->ranks()));
      sizes.push_back(target);
      std::vector<Grid> shapes;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const int other = same_count ? model.count : model.members;
        if (sizes[i] % other != 0) break;
        const int count = same_count ? other : sizes[i] / other, members = sizes[i] / count;
        if (i < runs.size() && !seen[i].contains({model.in_turn, count, members})) break;
        shapes.push_back(
            {.extents = model.in_turn ? std::vector{members, count} : std::vector{count, members},
             .periodic = {false, false}});
      }
      const bool even = std::ranges::all_of(
          shapes, [](const Grid& grid) { return grid.extents == even_extents(grid.size(), 2); });
      if (shapes.size() == sizes.size() && !even) grids.push_back(std::move(shapes));
    }
  return grids;
}

// Grids of three dimensions: layers, or nodes, of which there are as many in all runs, or that have as many ranks, and
// grids of two dimensions of what grows. The larger extent comes first, or last.
std::vector<std::vector<Grid>> grids_in_groups(const std::vector<std::vector<Grid>>& of_groups) {
  std::vector<std::vector<Grid>> grids;
  for (const std::vector<Grid>& shapes : of_groups)
    for (const std::size_t growing : {0, 1}) {
      const int fixed = shapes.front().extents[1 - growing];
      if (std::ranges::any_of(shapes, [&](const Grid& g) { return g.extents[1 - growing] != fixed; }))
        continue;
      for (const bool larger_first : {true, false}) {
        std::vector<Grid> split;
        for (const Grid& shape : shapes) {
          std::vector<int> extents = even_extents(shape.extents[growing], 2);
          if (!larger_first) std::ranges::reverse(extents);
          extents.insert(growing == 1 ? extents.begin() : extents.end(), fixed);
          split.push_back({.extents = std::move(extents)});
        }
        const auto is_same = [&split](const std::vector<Grid>& other) {
          return std::ranges::equal(other, split, {}, &Grid::extents, &Grid::extents);
        };
        if (std::ranges::none_of(grids, is_same)) grids.push_back(std::move(split));
      }
    }
  return grids;
}

// The last shape is that of the target.
GridLaw law_of_groups(std::vector<Grid> shapes, bool periodic) {
  for (Grid& grid : shapes) grid.periodic.assign(grid.extents.size(), periodic);
  GridLaw law{.target = std::move(shapes.back())};
  shapes.pop_back();
  law.of_run = std::move(shapes);
  law.text = extents_text(law.target.extents) + (periodic ? ", periodic" : "") +
             ", found from communicators that divide all ranks";
  return law;
}

// Than the user gave, whichever dimension comes first.
bool is_another(const std::vector<int>& extents, const std::vector<int>& wanted) {
  if (extents.size() != wanted.size()) return false;
  return extents != wanted && !std::equal(extents.begin(), extents.end(), wanted.rbegin());
}

}  // namespace

std::string extents_text(const std::vector<int>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

int Grid::size() const {
  return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
}

std::vector<int> Grid::coordinates(int rank) const {
  std::vector<int> result(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t d = first_fastest ? i : extents.size() - 1 - i;
    result[d] = rank % extents[d];
    rank /= extents[d];
  }
  return result;
}

std::optional<int> Grid::rank_at(std::vector<int> coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t d = first_fastest ? extents.size() - 1 - i : i;
    if (periodic[d]) coordinates[d] = ((coordinates[d] % extents[d]) + extents[d]) % extents[d];
    if (coordinates[d] < 0 || coordinates[d] >= extents[d]) return std::nullopt;
    rank = rank * extents[d] + coordinates[d];
  }
  return rank;
}

std::vector<int> even_extents(int ranks, int dimensions) {
  if (dimensions == 1) return {ranks};
  std::vector<int> best;
  // The largest extent is at least the root; the smallest of all possible ones is the most even.
  for (int first = 1; first <= ranks; ++first) {
    if (ranks % first != 0) continue;
    std::vector<int> rest = even_extents(ranks / first, dimensions - 1);
    if (rest.front() > first) continue;
    rest.insert(rest.begin(), first);
    const auto spread = [](const std::vector<int>& extents) { return extents.front() - extents.back(); };
    if (best.empty() || spread(rest) < spread(best)) best = rest;
  }
  return best;
}

std::vector<int> recorded_extents(const Trace& trace) {
  const std::vector<Grid> grids = recorded_grids(trace);
  return grids.empty() ? std::vector<int>() : grids.front().extents;
}

std::vector<GridLaw> grid_laws(const std::vector<const Trace*>& runs, const RunSize& target,
                               const std::vector<int>& wanted) {
  std::vector<std::vector<Grid>> recorded;
  for (const Trace* run : runs) recorded.push_back(recorded_grids(*run));
  std::vector<GridLaw> laws;
  for (std::size_t i = 0; i < recorded.front().size(); ++i) {
    std::vector<Grid> same;
    for (const std::vector<Grid>& grids : recorded)
      if (i < grids.size() && grids[i].periodic == recorded.front()[i].periodic) same.push_back(grids[i]);
    if (same.size() == runs.size()) laws.push_back(recorded_law(std::move(same), target, wanted));
  }
  constexpr std::size_t kMostDimensions = 3;
  for (std::size_t dimensions = 1; dimensions <= kMostDimensions; ++dimensions)
    for (const bool periodic : {false, true})
      for (const bool first_fastest : {false, true}) {
        if (dimensions == 1 && first_fastest) continue;
        laws.push_back(assumed_law(
            runs, target, {.periodic = std::vector(dimensions, periodic), .first_fastest = first_fastest},
            wanted));
      }
  const std::vector<std::vector<Grid>> of_groups = grids_of_groups(runs, target.ranks);
  for (const auto& grids : {of_groups, grids_in_groups(of_groups)})
    for (const std::vector<Grid>& shapes : grids) {
      if (is_another(shapes.back().extents, wanted)) continue;
      for (const bool periodic : {false, true}) laws.push_back(law_of_groups(shapes, periodic));
    }
  return laws;
}

}  // namespace waitdiag
