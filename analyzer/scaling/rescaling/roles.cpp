// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/roles.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Ranks of one colour share a communicator, in the order of their ranks.
using Colour = std::function<int(int rank, int ranks, const Grid* grid)>;
struct Colouring {
  const GridLaw* law = nullptr;
  Colour colour{};
};

bool compatible(const UsedComms& role, const UsedComms& comms) {
  for (std::size_t run = 0; run < role.size(); ++run)
    for (std::size_t rank = 0; rank < role[run].size(); ++rank)
      if (role[run][rank] != kNoComm && comms[run][rank] != kNoComm && role[run][rank] != comms[run][rank])
        return false;
  return true;
}

const Communicator* any_of(const Study& study, std::size_t run, const UsedComms& role) {
  for (const CommId comm : role[run])
    if (comm != kNoComm) return &study.runs[run].trace->communicator(comm);
  return nullptr;
}

std::vector<Colouring> colourings(const Study& study, std::size_t size) {
  const int block = std::max(1, static_cast<int>(size));
  std::vector<Colouring> all;
  all.push_back({nullptr, [](int, int, const Grid*) { return 0; }});
  all.push_back({nullptr, [](int rank, int, const Grid*) { return rank; }});
  for (const GridLaw& law : study.grids) {
    const std::size_t dimensions = law.target.extents.size();
    for (unsigned kept = 1; kept + 1 < 1u << dimensions; ++kept)
      all.push_back({&law, [kept](int rank, int, const Grid* grid) {
                       const std::vector<int> at = grid->coordinates(rank);
                       int colour = 0;
                       for (std::size_t d = 0; d < at.size(); ++d)
                         if ((kept >> d & 1) == 0) colour = colour * grid->extents[d] + at[d];
                       return colour;
                     }});
  }
  all.push_back({nullptr, [block](int rank, int, const Grid*) { return rank / block; }});
  all.push_back({nullptr, [](int rank, int, const Grid*) { return rank % 2; }});
  all.push_back({nullptr, [](int rank, int ranks, const Grid*) { return 2 * rank / ranks; }});
  return all;
}

std::map<int, std::vector<Rank>> by_colour(const Colouring& colouring, int ranks, const Grid* grid) {
  std::map<int, std::vector<Rank>> members;
  for (int rank = 0; rank < ranks; ++rank) members[colouring.colour(rank, ranks, grid)].push_back(Rank(rank));
  return members;
}

bool explains(const Study& study, const UsedComms& role, const Colouring& colouring) {
  for (std::size_t run = 0; run < role.size(); ++run) {
    const Grid* grid = colouring.law == nullptr ? nullptr : &colouring.law->of_run[run];
    const int ranks = study.sizes[run].ranks;
    const auto expected = by_colour(colouring, ranks, grid);
    for (int rank = 0; rank < ranks; ++rank) {
      const CommId comm = role[run][static_cast<std::size_t>(rank)];
      if (comm == kNoComm) continue;
      const Communicator& real = study.runs[run].trace->communicator(comm);
      const std::vector<Rank>& members = expected.at(colouring.colour(rank, ranks, grid));
      if (real.self ? members.size() != 1 : real.members != members) return false;
    }
  }
  return true;
}

}  // namespace

std::size_t Roles::role_of(const UsedComms& comms) {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (!compatible(roles_[i], comms)) continue;
    for (std::size_t run = 0; run < comms.size(); ++run)
      for (std::size_t rank = 0; rank < comms[run].size(); ++rank)
        if (comms[run][rank] != kNoComm) roles_[i][run][rank] = comms[run][rank];
    return i;
  }
  roles_.push_back(comms);
  return roles_.size() - 1;
}

CommId Roles::first(std::size_t role) const {
  for (const CommId comm : roles_[role].back())
    if (comm != kNoComm) return comm;
  return kNoComm;
}

std::vector<std::size_t> Roles::in_order_of_making() const {
  std::vector<std::size_t> order(roles_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [this](std::size_t role) { return first(role); });
  return order;
}

std::optional<std::size_t> Roles::parent(std::size_t role) const {
  const CommId comm = first(role);
  if (comm == kNoComm) return std::nullopt;
  const CommId parent = study_.largest().communicator(comm).parent;
  for (std::size_t other = 0; parent != kNoComm && other < roles_.size(); ++other)
    if (other != role && std::ranges::find(roles_[other].back(), parent) != roles_[other].back().end())
      return other;
  return std::nullopt;
}

std::vector<double> Roles::sizes(std::size_t role) const {
  std::vector<double> sizes;
  for (std::size_t run = 0; run < roles_[role].size(); ++run) {
    std::optional<std::size_t> size;
    for (const CommId comm : roles_[role][run]) {
      if (comm == kNoComm) continue;
      const Communicator& real = study_.runs[run].trace->communicator(comm);
      const std::size_t members = real.self ? 1 : real.members.size();
      if (size && *size != members) return {};
      size = members;
    }
    if (!size) return {};
    sizes.push_back(static_cast<double>(*size));
  }
  return sizes;
}

std::string Roles::name(std::size_t role) const {
  const Communicator* const comm = any_of(study_, study_.runs.size() - 1, roles_[role]);
  return comm == nullptr ? "" : comm->name;
}

bool Roles::self(std::size_t role) const {
  const Communicator* const comm = any_of(study_, study_.runs.size() - 1, roles_[role]);
  return comm != nullptr && comm->self;
}

std::vector<std::vector<Rank>> Roles::members(std::size_t role) const {
  const Communicator* const comm = any_of(study_, study_.runs.size() - 1, roles_[role]);
  if (comm != nullptr && !comm->remote_members.empty())
    throw TraceError("communicator \"" + comm->name + "\" joins two groups: such a run cannot be rescaled");
  for (const Colouring& colouring : colourings(study_, comm == nullptr ? 1 : comm->members.size())) {
    if (!explains(study_, roles_[role], colouring)) continue;
    std::vector<std::vector<Rank>> result;
    const Grid* grid = colouring.law == nullptr ? nullptr : &colouring.law->target;
    for (auto& [colour, members] : by_colour(colouring, study_.target.ranks, grid)) result.push_back(members);
    return result;
  }
  throw TraceError("cannot tell who is in communicator \"" + name(role) +
                   "\" with more ranks: no rule gives its members in all runs (all ranks, rows or planes of "
                   "a grid, blocks, "
                   "even and odd ranks, halves)");
}

}  // namespace waitdiag
