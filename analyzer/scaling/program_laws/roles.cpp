// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/roles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/scaling/program_laws/time_law.hpp"
#include "analyzer/simulation/replay/constructed.hpp"
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
  const int every = study.sizes.back().ranks / block;
  all.push_back({nullptr, [every](int rank, int, const Grid*) { return rank % std::max(1, every); }});
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

void Roles::add_constructed() {
  std::map<std::uint32_t, UsedComms> made;  // by call
  for (std::size_t run = 0; run < study_.runs.size(); ++run) {
    ConstructedCommunicators constructed(*study_.runs[run].trace);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(study_.sizes[run].ranks); ++rank) {
      std::map<CommId, std::vector<std::uint32_t>> calls;  // by parent
      for (const CollectivePart& part : study_.timeline(run, static_cast<int>(rank)).collectives())
        if (part.kind == CollectiveKind::CreateHandle && part.comm != kNoComm)
          calls[part.comm].push_back(study_.sequence.call(run, rank, part.op));
      for (const auto& [parent, of_parent] : calls) {
        const std::vector<Rank>& members = study_.runs[run].trace->communicator(parent).members;
        const auto place = std::ranges::find(members, Rank(rank)) - members.begin();
        for (std::size_t nth = 0; nth < of_parent.size(); ++nth) {
          const std::vector<CommId> comms = constructed.communicators(parent, nth, of_parent.size());
          if (static_cast<std::size_t>(place) >= comms.size()) continue;
          made.try_emplace(of_parent[nth], by_rank(study_, each_run(study_), kNoComm))
              .first->second[run][rank] = comms[static_cast<std::size_t>(place)];
        }
      }
    }
  }
  for (const auto& [call, comms] : made) {
    const auto known = [](const std::vector<CommId>& run) {
      return std::ranges::any_of(run, [](CommId comm) { return comm != kNoComm; });
    };
    if (!std::ranges::all_of(comms, known)) continue;
    const std::size_t before = roles_.size();
    const std::size_t role = role_of(comms);
    if (role < before) continue;
    try {
      members(role);
    } catch (const TraceError&) {
      roles_.pop_back();
    }
  }
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

std::vector<FirstUse> Roles::first_uses(std::size_t role) const {
  std::map<CollectiveKind, RankFigures> by_kind;
  for (std::size_t run = 0; run < roles_[role].size(); ++run)
    for (std::size_t rank = 0; rank < roles_[role][run].size(); ++rank) {
      const CommId comm = roles_[role][run][rank];
      if (comm == kNoComm) continue;
      for (const FirstUse& use : study_.runs[run].trace->communicator(comm).first_uses)
        by_kind.try_emplace(use.kind, by_rank(study_, each_run(study_), kAbsent)).first->second[run][rank] =
            static_cast<double>(use.own.count());
    }
  std::vector<FirstUse> uses;
  for (const auto& [kind, figures] : by_kind) {
    const TimeLaw law(study_, {}, make_factors(study_, {}), figures, TimeLaw::Of::Call);
    if (const Duration own(std::llround(law.at(0))); own > Duration::zero()) uses.push_back({kind, own});
  }
  return uses;
}

namespace {

// The first colouring that gives the members of a role in all runs; nothing: none does.
std::optional<Colouring> find_colouring(const Study& study, const UsedComms& role) {
  const Communicator* const comm = any_of(study, study.runs.size() - 1, role);
  for (Colouring& colouring : colourings(study, comm == nullptr ? 1 : comm->members.size()))
    if (explains(study, role, colouring)) return std::move(colouring);
  return std::nullopt;
}

}  // namespace

std::vector<std::vector<Rank>> Roles::members(std::size_t role) const {
  const Communicator* const comm = any_of(study_, study_.runs.size() - 1, roles_[role]);
  if (comm != nullptr && !comm->remote_members.empty())
    throw TraceError("communicator \"" + comm->name + "\" joins two groups: such a run cannot be rescaled");
  const std::optional<Colouring> colouring = find_colouring(study_, roles_[role]);
  if (!colouring)
    throw TraceError(
        "cannot tell who is in communicator \"" + name(role) +
        "\" with more ranks: no rule gives its members in all runs (all ranks, rows or planes of "
        "a grid, blocks, one rank of each block, halves)");
  std::vector<std::vector<Rank>> result;
  const Grid* grid = colouring->law == nullptr ? nullptr : &colouring->law->target;
  for (auto& [colour, members] : by_colour(*colouring, study_.target.ranks, grid)) result.push_back(members);
  return result;
}

std::set<std::size_t> Roles::used_grids() const {
  std::set<std::size_t> used;
  for (const UsedComms& role : roles_)
    if (const auto colouring = find_colouring(study_, role); colouring && colouring->law != nullptr)
      used.insert(static_cast<std::size_t>(colouring->law - study_.grids.data()));
  return used;
}

}  // namespace waitdiag
