// Reductions with an operator of the program, which the members run as the algorithm wants it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

constexpr double kWayToPartner = 3;

}  // namespace

// What a member did: it waits until the other operand is there, and then runs the operator.
struct SimulatedRanks::Reduction {
  double now = 0, waited = 0;
  std::vector<std::pair<double, double>> runs{};

  void await(double arrival) {
    waited += std::max(0.0, arrival - now);
    now = std::max(now, arrival);
  }
  void run(double time) {
    if (time > 0) runs.emplace_back(now, now + time);
    now += time;
  }
};

// The operation is begun in the call's first part and ends in its last one.
void SimulatedRanks::finish_reduction(int rank, const std::string& what, const std::string& function,
                                      const Reduction& done) {
  constexpr int kRequest = 90;
  const std::size_t space = what.find(' ');
  const std::string name = what.substr(0, space);
  waited_[at(rank)] += done.waited;
  if (done.runs.empty()) {
    const double waited = waited_[at(rank)];
    call(rank, done.now, "main", what);
    waited_[at(rank)] = waited;
    return;
  }
  close_gap(rank);
  double begin = now(rank);
  std::string part =
      fmt::format("main/{} alone starts {} {}{}", name, kRequest, name.substr(4), what.substr(space));
  for (const auto& [first, last] : done.runs) {
    line(rank, begin, std::max(first, begin + 1), part);
    line(rank, std::max(first, begin + 1), last, path(rank, function));
    computed_ += last - first;
    begin = last;
    part = fmt::format("main/{} alone", name);
  }
  const double leave = std::round(std::max(done.now, begin) + call_cost());
  line(rank, begin, leave, fmt::format("{} completes {}", part, kRequest));
  now_[at(rank)] = gap_begin_[at(rank)] = leave;
}

// By recursive doubling; where the members are no power of two, the first ones work in pairs.
void SimulatedRanks::reduce_to_all(const std::string& function, const std::vector<double>& times) {
  std::vector<Reduction> members(at(ranks()));
  for (int rank = 0; rank < ranks(); ++rank) members[at(rank)].now = now(rank);
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks()))), pairs = ranks() - power;
  const auto member_of = [&](int place) { return place < pairs ? 2 * place + 1 : place + pairs; };
  for (int pair = 0; pair < pairs; ++pair) {
    members[at(2 * pair + 1)].await(members[at(2 * pair)].now + kWayToPartner);
    members[at(2 * pair + 1)].run(times[at(2 * pair + 1)]);
  }
  for (int bit = 1; bit < power; bit *= 2) {
    const std::vector<Reduction> before = members;
    for (int place = 0; place < power; ++place) {
      const int rank = member_of(place);
      members[at(rank)].await(before[at(member_of(place ^ bit))].now + kWayToPartner);
      members[at(rank)].run(times[at(rank)]);
    }
  }
  for (int pair = 0; pair < pairs; ++pair)
    members[at(2 * pair)].await(members[at(2 * pair + 1)].now + kWayToPartner);
  for (int rank = 0; rank < ranks(); ++rank)
    finish_reduction(rank, "MPI_Allreduce bytes 8", function, members[at(rank)]);
}

// Along a binomial tree: each runs the operator once for every child.
void SimulatedRanks::reduce_to(int root, const std::string& function, const std::vector<double>& times) {
  std::vector<Reduction> members(at(ranks()));
  const auto member = [&](int place) { return (root + place) % ranks(); };
  for (int place = ranks() - 1; place >= 0; --place) {
    Reduction& mine = members[at(member(place))];
    mine.now = now(member(place));
    for (int bit = 1; place + bit < ranks() && (place & bit) == 0; bit *= 2) {
      mine.await(members[at(member(place + bit))].now + kWayToPartner);
      mine.run(times[at(member(place))]);
    }
  }
  for (int rank = 0; rank < ranks(); ++rank)
    finish_reduction(rank, fmt::format("MPI_Reduce bytes 8 root {}", root), function, members[at(rank)]);
}

}  // namespace waitdiag::test
