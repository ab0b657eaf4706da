// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/roles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/scaling/quantity_laws/time_law.hpp"
#include "analyzer/scaling/rank_laws/rank_subsets.hpp"
#include "analyzer/simulation/replay/constructed.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Ranks of one colour share a communicator, in the order of their ranks.
using Colour = std::function<int(int rank, int ranks, const Grid* grid, const Turn& turn)>;
struct Colouring {
  const GridLaw* law = nullptr;
  Colour colour{};
};

// Nobody is in two of the communicators of both together.
bool disjoint(const Trace& trace, const std::vector<CommId>& comms, const std::vector<CommId>& others) {
  std::set<CommId> all(comms.begin(), comms.end());
  all.insert(others.begin(), others.end());
  all.erase(kNoComm);
  if (all.size() < 2) return true;
  std::vector<bool> taken(comms.size(), false);
  for (const CommId comm : all) {
    if (trace.communicator(comm).self) continue;
    for (const Rank member : trace.communicator(comm).members) {
      if (taken[index(member)]) return false;
      taken[index(member)] = true;
    }
  }
  return true;
}

bool compatible(const Study& study, const Instances& instances, const UsedComms& role,
                const UsedComms& comms) {
  for (std::size_t i = 0; i < role.size(); ++i) {
    for (std::size_t rank = 0; rank < role[i].size(); ++rank)
      if (role[i][rank] != kNoComm && comms[i][rank] != kNoComm && role[i][rank] != comms[i][rank])
        return false;
    if (!disjoint(*study.runs[instances[i].run].trace, role[i], comms[i])) return false;
  }
  return true;
}

bool same_instances(const Instances& a, const Instances& b) {
  return std::ranges::equal(a, b, [](const Instance& one, const Instance& other) {
    return one.run == other.run && one.turn == other.turn;
  });
}

// The same in all turns of each run: these, by run. Nothing: they differ.
std::optional<UsedComms> comms_of_runs(const Study& study, const Instances& instances,
                                       const UsedComms& comms) {
  UsedComms of_runs = by_rank(study, each_run(study), kNoComm);
  for (std::size_t i = 0; i < comms.size(); ++i)
    for (std::size_t rank = 0; rank < comms[i].size(); ++rank) {
      CommId& known = of_runs[instances[i].run][rank];
      if (known != kNoComm && comms[i][rank] != kNoComm && known != comms[i][rank]) return std::nullopt;
      if (known == kNoComm) known = comms[i][rank];
    }
  return of_runs;
}

int members_of(const Communicator& comm) {
  return comm.self ? 1 : static_cast<int>(comm.members.size());
}

// Blocks of ranks, or every so manieth of them, whose size changes from turn to turn.
void add_changing(const Study& study, const Instances& instances, const UsedComms& comms,
                  std::vector<Colouring>& all) {
  for (const Progress progress : kProgresses) {
    if (progress == Progress::Same) continue;
    for (std::size_t i = instances.size(); i-- > 0;) {
      const auto& [run, turn] = instances[i];
      const auto used = std::ranges::find_if(comms[i], [](CommId comm) { return comm != kNoComm; });
      if (turn.number != first_multiple(progress, turn.of) || used == comms[i].end()) continue;
      const int block = members_of(study.runs[run].trace->communicator(*used)),
                every = std::max(1, study.sizes[run].ranks / block);
      all.push_back({nullptr, [=](int rank, int, const Grid*, const Turn& at) {
                       return static_cast<int>(rank / (block * multiple_at(progress, at)));
                     }});
      all.push_back({nullptr, [=](int rank, int, const Grid*, const Turn& at) {
                       return static_cast<int>(rank % (every * multiple_at(progress, at)));
                     }});
      break;
    }
  }
}

std::vector<Colouring> colourings(const Study& study, std::size_t size) {
  const int block = std::max(1, static_cast<int>(size));
  std::vector<Colouring> all;
  all.push_back({nullptr, [](int, int, const Grid*, const Turn&) { return 0; }});
  all.push_back({nullptr, [](int rank, int, const Grid*, const Turn&) { return rank; }});
  for (const GridLaw& law : study.grids) {
    const std::size_t dimensions = law.target.extents.size();
    for (unsigned kept = 1; kept + 1 < 1u << dimensions; ++kept)
      all.push_back({&law, [kept](int rank, int, const Grid* grid, const Turn&) {
                       const std::vector<int> at = grid->coordinates(rank);
                       int colour = 0;
                       for (std::size_t d = 0; d < at.size(); ++d)
                         if ((kept >> d & 1) == 0) colour = colour * grid->extents[d] + at[d];
                       return colour;
                     }});
  }
  all.push_back({nullptr, [block](int rank, int, const Grid*, const Turn&) { return rank / block; }});
  all.push_back({nullptr, [](int rank, int, const Grid*, const Turn&) { return rank % 2; }});
  const int every = study.sizes.back().ranks / block;
  all.push_back(
      {nullptr, [every](int rank, int, const Grid*, const Turn&) { return rank % std::max(1, every); }});
  all.push_back({nullptr, [](int rank, int ranks, const Grid*, const Turn&) { return 2 * rank / ranks; }});
  return all;
}

// Some of the ranks, and all others.
void add_subsets(const Study& study, const std::vector<CommId>& comms, std::vector<Colouring>& all) {
  const auto used = std::ranges::find_if(comms, [](CommId comm) { return comm != kNoComm; });
  if (used == comms.end()) return;
  std::vector<bool> chosen(comms.size(), false);
  for (const Rank member : study.largest().communicator(*used).members) chosen[index(member)] = true;
  for (const auto& subsets : {one_of_each_group, ranks_in_a_row, parts_of_ranks})
    for (const RankSubset& subset : subsets(chosen))
      all.push_back({nullptr, [has = subset.has](int rank, int ranks, const Grid*, const Turn&) {
                       return has(rank, ranks) ? 1 : 0;
                     }});
}

std::map<int, std::vector<Rank>> by_colour(const Colouring& colouring, int ranks, const Grid* grid,
                                           const Turn& turn) {
  std::map<int, std::vector<Rank>> members;
  for (int rank = 0; rank < ranks; ++rank)
    members[colouring.colour(rank, ranks, grid, turn)].push_back(Rank(rank));
  return members;
}

bool explains(const Study& study, const Instances& instances, const UsedComms& comms,
              const Colouring& colouring) {
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const auto& [run, turn] = instances[i];
    const Grid* grid = colouring.law == nullptr ? nullptr : &colouring.law->of_run[run];
    const int ranks = study.sizes[run].ranks;
    const auto expected = by_colour(colouring, ranks, grid, turn);
    for (int rank = 0; rank < ranks; ++rank) {
      const CommId comm = comms[i][static_cast<std::size_t>(rank)];
      if (comm == kNoComm) continue;
      const Communicator& real = study.runs[run].trace->communicator(comm);
      const std::vector<Rank>& members = expected.at(colouring.colour(rank, ranks, grid, turn));
      if (real.self ? members.size() != 1 : real.members != members) return false;
    }
  }
  return true;
}

}  // namespace

// `turns`: of the loop in the target; each has a role.
std::size_t Roles::role_of(Role wanted, int turns) {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].turn != Turn{0, turns} || !same_instances(roles_[i].instances, wanted.instances) ||
        !compatible(study_, wanted.instances, roles_[i].comms, wanted.comms))
      continue;
    for (std::size_t at = 0; at < wanted.comms.size(); ++at)
      for (std::size_t rank = 0; rank < wanted.comms[at].size(); ++rank)
        if (const CommId comm = wanted.comms[at][rank]; comm != kNoComm)
          for (int turn = 0; turn < turns; ++turn)
            roles_[i + static_cast<std::size_t>(turn)].comms[at][rank] = comm;
    return i;
  }
  const std::size_t first = roles_.size();
  for (int turn = 0; turn < turns; ++turn) {
    wanted.turn = {turn, turns};
    roles_.push_back(wanted);
  }
  return first;
}

std::size_t Roles::role_of(const UsedComms& comms) {
  return role_of({each_run(study_), comms}, 1);
}

RoleOfTurns Roles::role_of(std::uint32_t call, const Instances& instances, const UsedComms& comms) {
  if (const auto of_runs = comms_of_runs(study_, instances, comms)) return {role_of(*of_runs), false};
  return {role_of({instances, comms}, study_.sequence.loop(call)->in_target), true};
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

// In the turn that is most like that in the target.
const std::vector<CommId>& Roles::of_largest_run(const Role& role) const {
  const std::size_t last = study_.runs.size() - 1;
  std::size_t best = role.instances.size() - 1;
  for (std::size_t i = 0; i < role.instances.size(); ++i)
    if (role.instances[i].run == last && role.instances[i].turn.number <= role.turn.number) best = i;
  return role.comms[best];
}

CommId Roles::first(std::size_t role) const {
  for (const CommId comm : of_largest_run(roles_[role]))
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
    if (const auto& comms = of_largest_run(roles_[other]);
        other != role && std::ranges::find(comms, parent) != comms.end())
      return other;
  return std::nullopt;
}

std::vector<double> Roles::sizes(std::size_t role) const {
  const auto& [instances, comms, turn] = roles_[role];
  std::vector<double> sizes(study_.runs.size(), 0);
  for (std::size_t i = 0; i < instances.size(); ++i)
    for (const CommId comm : comms[i]) {
      if (comm == kNoComm) continue;
      const std::size_t run = instances[i].run;
      const double members = members_of(study_.runs[run].trace->communicator(comm));
      if (sizes[run] != 0 && sizes[run] != members) return {};
      sizes[run] = members;
    }
  return std::ranges::find(sizes, 0) == sizes.end() ? sizes : std::vector<double>();
}

std::string Roles::name(std::size_t role) const {
  const CommId comm = first(role);
  return comm == kNoComm ? "" : study_.largest().communicator(comm).name;
}

bool Roles::self(std::size_t role) const {
  if (roles_[role].turn.of == 1) {
    const CommId comm = first(role);
    return comm != kNoComm && study_.largest().communicator(comm).self;
  }
  return std::ranges::all_of(members(role), [](const auto& group) { return group.size() == 1; });
}

std::vector<FirstUse> Roles::first_uses(std::size_t role) const {
  std::map<CollectiveKind, RankFigures> by_kind;
  const auto& [instances, comms, turn] = roles_[role];
  for (std::size_t i = 0; i < instances.size(); ++i)
    for (std::size_t rank = 0; rank < comms[i].size(); ++rank) {
      const std::size_t run = instances[i].run;
      const CommId comm = comms[i][rank];
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

std::optional<Roles::Members> Roles::find_members(const Role& role) const {
  int size = 1;
  for (const CommId comm : of_largest_run(role))
    if (comm != kNoComm) {
      size = members_of(study_.largest().communicator(comm));
      break;
    }
  std::vector<Colouring> all = colourings(study_, static_cast<std::size_t>(size));
  add_subsets(study_, of_largest_run(role), all);
  if (role.turn.of > 1) add_changing(study_, role.instances, role.comms, all);
  for (const Colouring& colouring : all) {
    if (!explains(study_, role.instances, role.comms, colouring)) continue;
    Members members;
    if (colouring.law != nullptr)
      members.grid = static_cast<std::size_t>(colouring.law - study_.grids.data());
    const Grid* const grid = colouring.law == nullptr ? nullptr : &colouring.law->target;
    for (auto& [colour, group] : by_colour(colouring, study_.target.ranks, grid, role.turn))
      members.groups.push_back(std::move(group));
    return members;
  }
  return std::nullopt;
}

std::vector<std::vector<Rank>> Roles::members(std::size_t role) const {
  const CommId comm = first(role);
  if (comm != kNoComm && !study_.largest().communicator(comm).remote_members.empty())
    throw TraceError("communicator \"" + name(role) + "\" joins two groups: such a run cannot be rescaled");
  std::optional<Members> found = find_members(roles_[role]);
  if (!found)
    throw TraceError(
        "cannot tell who is in communicator \"" + name(role) +
        "\" with more ranks: no rule gives its members in all runs (all ranks, rows or planes of "
        "a grid, blocks, one rank of each block, halves again and again)");
  return std::move(found->groups);
}

std::set<std::size_t> Roles::used_grids() const {
  std::set<std::size_t> used;
  for (const Role& role : roles_)
    if (const auto members = find_members(role); members && members->grid) used.insert(*members->grid);
  return used;
}

}  // namespace waitdiag
