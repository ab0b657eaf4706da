// What the threads of teams did: by functions, as far as samples and the calls in which they were blocked tell.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/results/threads.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class WorkInTeams {
 public:
  explicit WorkInTeams(const Trace& trace);

  // The innermost function with which one of the team's threads takes longer than the others do; "": not known.
  std::string of_late_thread(const Teams::Team& team);
  // The same of all its threads, against the teams that the same call opened on other ranks.
  std::string of_late_rank(const Teams::Team& team);

 private:
  using Functions = std::vector<RegionId>;           // outermost first, from what the team executes on
  using Work = std::map<Functions, double>;          // sampling periods
  using OfRank = std::map<Rank, std::vector<Work>>;  // of each thread of the rank

  const OfRank& work_by_rank(const Teams::Team& team);
  std::string longest_in(const Work& late, const std::vector<const Work*>& others) const;
  std::string name_of(const Functions& functions, const std::vector<const Work*>& all) const;

  const Trace& trace_;
  std::set<RegionId> begun_;             // by threads that call no MPI
  std::map<std::string, OfRank> known_;  // by call path that opens the team
};

}  // namespace waitdiag
