// The usual time of a cause on the ranks that run it: the fair comparison where a wait's victim did other
// work in its interval, or ran less of the cause because it ran it at another time.
//
// At another time: in a pipeline a rank has run one block more than the next one whenever that one waits, and
// among ranks that write in turn none of the later ones has written yet. Over the time step they run it
// equally often. So the victim is assumed to have run as much as it will have when it is as far as the other;
// where it runs none in this step, none. Where ranks synchronise with each other in different steps, or several times
// in a step, each stretch between two operations of all ranks counts as a step: what a rank runs behind such an
// operation says nothing about how late another one came to it.
//
// In a step of its own: owners of panels run the cause one at a time, each in another step, where the victim runs none of
// it. If one of them takes much longer, what the others take is usual; if all take as long, nothing is.
//
// Other work: the peers of a cause are the ranks that run it, and those that compute and call what these do otherwise
// and nothing else instead of it. A master is not a peer of its workers; a rank that lacks the additional work of
// another one is a peer of it. Where MPI runs it inside a call, a reduction operator, MPI decides who runs it: only ranks
// that do are peers. For a victim that is not a peer, the usual time in a step is the lower median
// of the peers: of two, the smaller; and zero where most do not run it in that step. With one peer nothing is
// known: all of the time may be excess, and the gain of a repair is an upper bound. A whole group of peers
// may be late although none takes longer than usual: then a peer that took less in that step, and was kept waiting for
// as long, shows by how much; or a victim that has work of its own for a good part of that time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/causes/excess.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/diagnosis/steps/parts.hpp"

namespace waitdiag {

class UsualTimes {
 public:
  // `places` must outlive this.
  UsualTimes(const Trace& trace, const WaitStates& states, const WaitForGraph& graph, const Steps& steps,
             const Profile& profile, const CausePlaces& places);

  // What `late` ran too long in its interval: `compared` is its excess over the victim. `in_turn`: what the victim will
  // run later it could run at the same time.
  double excess(const Stretch& late, const Stretch& victim, std::size_t cause, const ExcessTime& compared,
                bool in_turn) const;
  // Is it most of what it runs of the cause in these steps? Not so in a pipeline of several blocks.
  bool all_of_steps(const Stretch& late, std::size_t cause) const;
  // Does excess() ask for ExcessTime::instead?
  bool asks_instead(Location victim, std::size_t cause) const { return role(victim, cause) == Role::Other; }
  // Nobody else runs it, or is known to do the same work otherwise: nothing is usual.
  bool runs_on_one(std::size_t cause) const { return runs_on_one_[cause] != 0; }
  // Do these savings, by location, take all of it, though nobody does the same without it? Whoever runs it does so in
  // a step of its own, as the owners of panels do: nothing is usual, either.
  bool is_all_taken(std::size_t cause, const std::vector<std::vector<Saving>>& savings) const;

 private:
  enum class Role : std::uint8_t {
    Other,        // does other work
    Runs,         // runs the cause
    DoesWithout,  // does what those do otherwise, and never runs it
  };
  struct Sums {
    double ran = 0, excess = 0;  // in all windows before
  };
  using PeersOfCauses = std::vector<std::vector<Location>>;
  PeersOfCauses find_peers(const Profile& profile);
  std::vector<bool> run_by_mpi() const;  // by cause; empty: none
  Role role(Location location, std::size_t cause) const {
    return roles_[index(location) * places_.causes() + cause];
  }
  // How long the victim will still run the cause in the steps of `late`, until it has run it as often for its
  // part; or has run it there already. `only_before`: that alone.
  double at_another_time(const Stretch& victim, const Stretch& late, std::size_t cause,
                         bool only_before) const;
  // What those who run the cause one at a time, each in a step of its own, take for it at one place; 0: they do not,
  // or none of them takes much longer.
  double in_own_step(std::size_t cause, const std::vector<Location>& peers) const;
  // The part of it that is usual, where the victim has no such step meanwhile.
  double in_step_of_its_own(const Stretch& late, const Stretch& victim, std::size_t cause) const;
  // How much of what ran there is more than usual (0..1).
  double excess_share(const Stretch& late, std::size_t cause) const;
  std::size_t most_windows() const;
  void divide_by_steps(const Steps& steps);
  void divide_by_joint_calls(const WaitForGraph& graph);
  std::size_t joint_calls(const WaitForGraph& graph) const;  // of all ranks
  bool meet_in_same_windows(const WaitForGraph& graph) const;
  template <typename Visit>
  void for_each_joint_call(const WaitForGraph& graph, Visit visit) const;
  std::vector<double> waited(const WaitStates& states) const;  // by location and window
  double usual(std::size_t cause, const std::vector<Location>& peers, std::size_t window,
               const std::vector<double>& waited) const;
  void compare(std::size_t cause, const std::vector<Location>& peers, const std::vector<double>& waited);
  // In the windows first .. last.
  double ran(Location location, std::size_t cause, std::size_t first, std::size_t last) const {
    return sums_[at(location, cause, last + 1)].ran - sums_[at(location, cause, first)].ran;
  }
  double count(Location location, std::size_t cause, std::size_t first, std::size_t last) const;
  std::size_t window_of(Location location, Place place) const {
    const std::vector<Place>& begins = begins_[index(location)];
    return static_cast<std::size_t>(std::ranges::upper_bound(begins, place) - begins.begin()) - 1;
  }
  // The first and the last one that it lies in.
  std::pair<std::size_t, std::size_t> windows_of(const Stretch& stretch) const;
  std::size_t at(Location location, std::size_t cause, std::size_t window) const {
    return (index(location) * places_.causes() + cause) * (windows_ + 1) + window;
  }

  const Trace& trace_;
  const CausePlaces& places_;
  std::size_t windows_ = 1;
  std::vector<std::vector<Place>> begins_;  // by location: the first place of each window
  std::vector<Sums> sums_;                  // by location, cause, window; and one more: of all of them
  std::vector<double> in_own_step_;         // by cause
  std::vector<std::uint8_t> runs_on_one_;   // by cause; not bits: they are set side by side
  std::vector<Role> roles_;                 // by location, cause
};

}  // namespace waitdiag
