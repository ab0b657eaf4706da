// Communicators by the part they play in the program: a role is one communicator of all ranks, or a set with
// one for each row of a grid. Their members are found for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

// The communicator that a call uses, by run (or instance of the call) and rank; kNoComm where nothing was recorded.
using UsedComms = std::vector<std::vector<CommId>>;

// Of a call in a loop that grows: `differ`: each turn in the target has a role of its own, one after the other.
struct RoleOfTurns {
  std::size_t first = 0;
  bool differ = false;
};

class Roles {
 public:
  explicit Roles(const Study& study) : study_(study) {}

  // The role of a call that uses these (by run); the same as that of other calls unless they contradict it.
  std::size_t role_of(const UsedComms& comms);
  // By instance: ever smaller groups, for example.
  RoleOfTurns role_of(std::uint32_t call, const Instances& instances, const UsedComms& comms);
  // Roles of communicators that the program makes, whether it uses them or not; where no rule gives their members,
  // they are left out.
  void add_constructed();
  std::size_t size() const { return roles_.size(); }

  // For the target, by role: the members of every communicator, in their order. Throws TraceError if no rule
  // gives the members in all runs.
  std::vector<std::vector<Rank>> members(std::size_t role) const;
  // Whose rows, columns or planes communicators are (places in study.grids).
  std::set<std::size_t> used_grids() const;
  // As the largest run calls it.
  std::string name(std::size_t role) const;
  // In the largest run: each role after the one whose communicator it was made from.
  std::vector<std::size_t> in_order_of_making() const;
  std::optional<std::size_t> parent(std::size_t role) const;
  // How many members a communicator of this role has, by run; empty: they differ in size.
  std::vector<double> sizes(std::size_t role) const;
  bool self(std::size_t role) const;
  // In the target: what the first operations in a communicator of this role take beyond later ones, as far as the
  // runs show it.
  std::vector<FirstUse> first_uses(std::size_t role) const;

 private:
  struct Role {
    Instances instances{};  // all runs, or all turns in all of them
    UsedComms comms{};      // by instance
    Turn turn{};            // in the target
  };
  std::size_t role_of(Role wanted, int turns);
  // Members of the communicators in the target, as the first rule gives them that holds in all instances.
  struct Members {
    std::optional<std::size_t> grid{};  // whose rows or planes they are: place in study.grids
    std::vector<std::vector<Rank>> groups{};
  };
  std::optional<Members> find_members(const Role& role) const;
  const std::vector<CommId>& of_largest_run(const Role& role) const;
  CommId first(std::size_t role) const;  // of the largest run's communicators

  const Study& study_;
  std::vector<Role> roles_;
};

}  // namespace waitdiag
