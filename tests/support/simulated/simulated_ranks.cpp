// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/simulated/simulated_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace waitdiag::test {
namespace {

constexpr double kLatency = 3, kSamplingPeriod = 10000;

// Positions count from the root on.
int parent(Tree tree, int position) {
  switch (tree) {
    case Tree::Binomial:
      return position & (position - 1);
    case Tree::Binary:
      return (position - 1) / 2;
    case Tree::Chain:
      return position - 1;
    default:
      return 0;
  }
}

}  // namespace

double Chance::fraction() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((mixed ^ (mixed >> 31)) >> 11) * 0x1.0p-53;
}

SimulatedRanks::SimulatedRanks(int ranks, std::uint64_t seed, bool sampled, double noise)
    : sampled_(sampled),
      ranks_(ranks),
      noise_(noise),
      seed_(seed),
      threads_(at(ranks)),
      chance_(seed),
      now_(at(ranks), 0),
      gap_begin_(now_),
      waited_(now_),
      processor_(now_),
      samples_(now_.size()),
      lost_(now_.size()),
      lines_(now_.size()) {
  for (int rank = 0; rank < ranks; ++rank) {
    threads_[at(rank)].rank = rank;
    noise_of_.emplace_back(seed * 1000 + at(rank));
    samples_of_.emplace_back(seed * 1000 + at(rank) + 500);
    next_sample_.push_back(kSamplingPeriod * samples_of_.back().fraction());
  }
}

Group SimulatedRanks::everybody() const {
  std::vector<int> all(at(ranks()));
  std::iota(all.begin(), all.end(), 0);
  return {"", all};
}

Group SimulatedRanks::group(const std::string& communicator, std::vector<int> ranks) {
  groups_ += fmt::format("comm {} = {}\n", communicator, fmt::join(ranks, " "));
  return {" comm " + communicator, std::move(ranks)};
}

void SimulatedRanks::line(int rank, double begin, double end, const std::string& what) {
  const auto first = std::llround(begin), last = std::llround(end);
  if (first < last) fmt::format_to(std::back_inserter(lines_[at(rank)]), "{}..{} {}\n", first, last, what);
}

void SimulatedRanks::mark_step(int rank) {
  lines_[at(rank)] += fmt::format("step {:.0f}\n", now(rank));
}

// Samples are taken at random instants, one in every period of processor time.
void SimulatedRanks::use_processor(int rank, const std::string& function, double time) {
  processor_[at(rank)] += time;
  while (next_sample_[at(rank)] <= processor_[at(rank)]) {
    if (!function.empty()) ++samples_[at(rank)][function];
    const double period = std::floor(next_sample_[at(rank)] / kSamplingPeriod) + 1;
    next_sample_[at(rank)] = (period + samples_of_[at(rank)].fraction()) * kSamplingPeriod;
  }
}

void SimulatedRanks::compute(int rank, const std::string& function, double time) {
  compute(rank, function, time * (1 + noise_ * noise_of_[at(rank)].fraction()), true);
}

void SimulatedRanks::compute(int rank, const std::string& function, double time, bool busy) {
  if (time <= 0) return;
  const double begin = now_[at(rank)];
  now_[at(rank)] = std::round(begin + time);
  if (busy) computed_ += time;
  if (!sampled(rank)) return line(rank, begin, now(rank), path(rank, function));
  if (busy) use_processor(rank, path(rank, function), time);
}

std::string SimulatedRanks::path(int rank, const std::string& function) const {
  return (threads_[at(rank)].thread > 0 ? "work/" : "main/") + function;
}

void SimulatedRanks::close_gap(int rank) {
  if (!sampled(rank)) return;
  std::string samples;
  for (const auto& [function, count] : samples_[at(rank)]) samples += fmt::format(" {}:{}", function, count);
  line(rank, gap_begin_[at(rank)], now(rank), samples.empty() ? "-" : "samples" + samples);
  samples_[at(rank)].clear();
}

void SimulatedRanks::call(int rank, double needed, const std::string& caller, const std::string& what) {
  close_gap(rank);
  const double enter = now(rank);
  const double waiting = std::max(0.0, needed - enter);
  double leave = std::round(std::max(enter, needed) + call_cost());
  waited_[at(rank)] += waiting;
  use_processor(rank, "", leave - enter);
  const std::string lost = lost_in(rank, waiting, leave);
  line(rank, enter, leave, caller + "/" + what + lost);
  now_[at(rank)] = gap_begin_[at(rank)] = leave;
}

void SimulatedRanks::lose_processor(int rank, double share_of_waiting, double behind) {
  lost_[at(rank)] = {share_of_waiting, std::round(behind)};
}

// In a call that ends at `leave`, which may become later.
std::string SimulatedRanks::lost_in(int rank, double waiting, double& leave) {
  const auto [share_of_waiting, behind] = std::exchange(lost_[at(rank)], {});
  leave += behind;
  computed_ += behind;
  const auto lost = std::llround(1000 * (share_of_waiting * waiting + behind));
  return lost > 0 ? fmt::format(" preempted {}", lost) : "";
}

void SimulatedRanks::send(int from, int to, const std::string& caller) {
  in_flight_[{from, to}].push_back(now(from) + kLatency);
  const Thread& receiver = threads_[at(to)];
  call(from, 0, caller, fmt::format("MPI_Send to {} tag {} bytes 64", receiver.rank, receiver.thread + 1));
}

void SimulatedRanks::receive(int to, int from, const std::string& caller, bool any) {
  std::deque<double>& messages = in_flight_.at({from, to});
  const double arrival = messages.front();
  messages.pop_front();
  const Thread& sender = threads_[at(from)];
  call(to, arrival, caller,
       fmt::format("MPI_Recv from {} tag {} bytes 64{}", sender.rank, sender.thread + 1, any ? " any" : ""));
}

void SimulatedRanks::poll(int to, int from, const std::string& pause, double time, bool sleeps) {
  std::deque<double>& messages = in_flight_.at({from, to});
  const double arrival = messages.front();
  messages.pop_front();
  call(to, 0, "main", "MPI_Irecv request 77");
  while (now(to) < arrival) {
    const double begin = now(to);
    call(to, 0, "main", "MPI_Test");
    compute(to, pause, time, !sleeps);
    waited_[at(to)] += std::min(now(to), arrival) - begin;
  }
  call(to, 0, "main", fmt::format("MPI_Test completes 77 from {} tag 1 bytes 64", from));
}

void SimulatedRanks::serve(int to, const std::string& test, const std::string& pause, double time,
                           bool sleeps) {
  std::map<double, int> missing;
  for (int from = 0; from < ranks(); ++from) {
    if (from == to) continue;
    std::deque<double>& messages = in_flight_.at({from, to});
    double arrival = messages.front();
    while (missing.contains(arrival)) arrival += 1e-3;
    missing[arrival] = from;
    messages.pop_front();
    call(to, 0, "main", fmt::format("MPI_Irecv request {}", 300 + from));
  }
  while (!missing.empty()) {
    const double first = missing.begin()->first, begin = now(to);
    if (first > begin) {
      call(to, 0, "main", test);
      compute(to, pause, time, !sleeps);
      waited_[at(to)] += std::min(now(to), first) - begin;
      continue;
    }
    std::string what = test;
    for (auto next = missing.begin(); next != missing.end() && next->first <= begin;) {
      what += fmt::format(" completes {} from {} tag 1 bytes 64", 300 + next->second, next->second);
      next = missing.erase(next);
      if (test == "MPI_Testany") break;
    }
    call(to, 0, "main", what);
  }
}

void SimulatedRanks::crowd(int one_in, double longest) {
  stalled_one_in_ = one_in;
  longest_stall_ = longest;
  for (int rank = 0; rank < ranks(); ++rank)
    lines_[at(rank)] += fmt::format("usage {:.0f} cpu 0 memory 4096 load {}\n", now(rank), ranks());
}

double SimulatedRanks::call_cost() {
  const double usual = chance_.between(2, 12);
  if (stalled_one_in_ == 0 || !chance_.one_in(stalled_one_in_)) return usual;
  return usual + longest_stall_ * chance_.fraction();
}

void SimulatedRanks::start_exchange(int rank, const std::vector<int>& partners, int bytes) {
  exchanged_bytes_ = bytes;
  for (std::size_t i = 0; i < partners.size(); ++i)
    call(rank, 0, "main/exchange", fmt::format("MPI_Irecv request {}", 100 + i));
  for (std::size_t i = 0; i < partners.size(); ++i) {
    exchanged_[{rank, partners[i]}].push_back(now(rank) + kLatency);
    call(rank, 0, "main/exchange",
         fmt::format("MPI_Isend to {} tag 2 bytes {} request {}", partners[i], bytes, 200 + i));
  }
}

std::string SimulatedRanks::completion(const std::vector<int>& partners) const {
  std::string what = "MPI_Waitall";
  for (std::size_t i = 0; i < partners.size(); ++i)
    what += fmt::format(" completes {} from {} tag 2 bytes {}", 100 + i, partners[i], exchanged_bytes_);
  for (std::size_t i = 0; i < partners.size(); ++i) what += fmt::format(" completes {}", 200 + i);
  return what;
}

void SimulatedRanks::complete_exchange(int rank, const std::vector<int>& partners) {
  double needed = 0;
  for (const int partner : partners) {
    std::deque<double>& arrivals = exchanged_.at({partner, rank});
    needed = std::max(needed, arrivals.front());
    arrivals.pop_front();
  }
  call(rank, needed, "main/exchange", completion(partners));
}

void SimulatedRanks::complete_exchanges_inside() {
  std::map<int, std::vector<int>> partners;
  const std::vector<double> entered = now_;
  for (auto& [pair, arrivals] : exchanged_) {
    partners[pair.second].push_back(pair.first);
    arrivals.pop_front();
  }
  for (const auto& [rank, from] : partners) {
    double needed = 0;
    for (const int partner : from) needed = std::max(needed, entered[at(partner)] + kLatency);
    std::vector<int> order = from;
    // In the order in which they were started.
    std::ranges::sort(order, {},
                      [&, rank = rank](int partner) { return partner != (rank + ranks() - 1) % ranks(); });
    call(rank, needed, "main/exchange", completion(order));
  }
}

void SimulatedRanks::meet(const std::string& name, const Group& group, const std::string& caller) {
  double last = 0;
  for (const int rank : group.ranks) last = std::max(last, now(rank));
  const std::string bytes = name == "MPI_Barrier" || name == "MPI_Win_fence" ? "" : " bytes 8";
  for (const int rank : group.ranks) call(rank, last, caller, name + bytes + group.communicator);
}

// A rank that has the data sends it to its children one after another, to the nearest last.
void SimulatedRanks::spread(const std::string& name, const Group& group, int root, Tree tree) {
  const auto size = static_cast<int>(group.ranks.size());
  std::vector<double> arrival(at(size), 0);
  for (int position = 0; position < size; ++position) {
    const int rank = group.ranks[at((root + position) % size)];
    double sends = std::max(now(rank), arrival[at(position)]);
    for (int child = size - 1; child > position; --child) {
      if (parent(tree, child) == position) arrival[at(child)] = (sends += 1) + kLatency;
    }
    call(rank, arrival[at(position)], "main",
         fmt::format("{} bytes 8 root {}{}", name, group.ranks[at(root)], group.communicator));
  }
}

void SimulatedRanks::collect(const std::string& name, const Group& group, int root, Tree tree) {
  const auto size = static_cast<int>(group.ranks.size());
  std::vector<double> needed(at(size), 0);
  for (int position = size - 1; position >= 0; --position) {
    const int rank = group.ranks[at((root + position) % size)];
    double& of_parent = needed[at(position == 0 ? 0 : parent(tree, position))];
    const double sends = std::max(now(rank), needed[at(position)]);
    call(rank, needed[at(position)], "main",
         fmt::format("{} bytes 8 root {}{}", name, group.ranks[at(root)], group.communicator));
    if (position > 0) of_parent = std::max(of_parent, sends + 1 + kLatency);
  }
}

void SimulatedRanks::start_collective(const std::string& name, int request) {
  double& started = started_collective_[request] = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    started = std::max(started, now(rank));
    call(rank, 0, "main",
         fmt::format("{} starts {}{} bytes 8", name, request, name == "MPI_Start" ? " Allreduce" : ""));
  }
}

void SimulatedRanks::complete_collective(bool inside, int request) {
  double& started = started_collective_[request];
  if (inside) started = std::max(started, *std::ranges::max_element(now_) + kLatency);
  for (int rank = 0; rank < ranks(); ++rank)
    call(rank, started, "main", fmt::format("MPI_Wait completes {}", request));
}

std::string SimulatedRanks::text() const {
  std::string text = "unit us\n" + thread_definitions() + groups_;
  const std::string node = longest_stall_ > 0 ? fmt::format(" node n0 processors {}", (ranks() + 2) / 3) : "";
  for (int rank = 0; rank < ranks(); ++rank) {
    text += fmt::format("rank {}{}\n", rank, node) + lines_[at(rank)];
    if (longest_stall_ > 0)
      text += fmt::format("usage {:.0f} cpu 0 memory 4096 load {}\n", now(rank), ranks());
  }
  return text + thread_texts();
}

double SimulatedRanks::seconds() const {
  return 1e-6 * *std::max_element(now_.begin(), now_.end());
}

double SimulatedRanks::waited_seconds() const {
  return 1e-6 * std::accumulate(waited_.begin(), waited_.end(), 0.0);
}

}  // namespace waitdiag::test
