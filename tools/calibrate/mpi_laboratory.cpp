// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/mpi_laboratory.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <map>

namespace waitdiag::measuring {
namespace {

constexpr double kNs = 1e9;
constexpr int kQuickRepetitions = 20, kFewRepetitions = 5, kRounds = 9, kCombinations = 9;
constexpr double kMeasurements = 1000;                      // that share the time, roughly
constexpr double kWaitBase = 200e-6, kWaitPerByte = 10e-9;  // s; after that a message has arrived

}  // namespace

MpiLaboratory::MpiLaboratory(Participant& participant, std::vector<std::string> hosts, int repetitions,
                             double seconds)
    : own_(participant),
      hosts_(std::move(hosts)),
      repetitions_(repetitions),
      budget_s_(seconds / kMeasurements) {
  end_s_ = MPI_Wtime() + seconds;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiLaboratory::~MpiLaboratory() {
  for (int rank = 1; rank < ranks_; ++rank) own_.send_order({}, rank);
}

std::pair<Measured, Measured> MpiLaboratory::with_pair(RankPair pair, Order order) {
  const int sender = static_cast<int>(pair.from), receiver = static_cast<int>(pair.to);
  order.budget_s = budget_s_;
  Order first = order, second = order;
  first.begins = 1;
  first.peers = {receiver};
  second.peers = {sender};
  if (sender != 0) own_.send_order(first, sender);
  if (receiver != 0) own_.send_order(second, receiver);
  Measured own;
  if (sender == 0) own = own_.take_part(first);
  if (receiver == 0) own = own_.take_part(second);
  const Measured sent = sender == 0 ? own : own_.receive_result(sender);
  const Measured received = receiver == 0 ? own : own_.receive_result(receiver);
  return {sent, received};
}

TimedSize MpiLaboratory::ping_pong(RankPair pair, std::uint64_t bytes, bool quick) {
  const int repetitions = quick ? std::min(kQuickRepetitions, repetitions_) : repetitions_;
  const Measured sent =
      with_pair(pair, {.task = Task::PingPong, .repetitions = repetitions, .bytes = bytes}).first;
  return {bytes, std::max(sent.typical * kNs, 1e-3), sent.spread};
}

TimedSize MpiLaboratory::send(RankPair pair, std::uint64_t bytes, bool blocking) {
  const int repetitions = std::min(kQuickRepetitions, repetitions_);
  const Task task = blocking ? Task::Send : Task::Isend;
  const Measured sent = with_pair(pair, {.task = task, .repetitions = repetitions, .bytes = bytes}).first;
  return {bytes, sent.typical * kNs, sent.spread};
}

TimedSize MpiLaboratory::receive(RankPair pair, std::uint64_t bytes) {
  const Order order{.task = Task::Receive,
                    .repetitions = std::min(kQuickRepetitions, repetitions_),
                    .bytes = bytes,
                    .late_s = kWaitBase + kWaitPerByte * static_cast<double>(bytes)};
  const Measured received = with_pair(pair, order).second;
  return {bytes, received.typical * kNs, received.spread};
}

Laboratory::LateReceive MpiLaboratory::late_receive(RankPair pair, std::uint64_t bytes, double late_ns) {
  const Order order{
      .task = Task::LateReceive, .repetitions = kFewRepetitions, .bytes = bytes, .late_s = late_ns / kNs};
  const auto [sent, received] = with_pair(pair, order);
  return {sent.typical * kNs, received.typical * kNs};
}

bool MpiLaboratory::time_is_over() const {
  return MPI_Wtime() > end_s_;
}

double MpiLaboratory::flows(std::span<const RankPair> pairs, std::uint64_t bytes) {
  std::map<int, Order> orders;
  const auto order_of = [&](std::uint32_t rank) -> Order& {
    Order& order = orders[static_cast<int>(rank)];
    order.task = Task::Flows;
    order.repetitions = kRounds;
    order.bytes = bytes;
    return order;
  };
  for (const RankPair& pair : pairs) {
    order_of(pair.from).peers.push_back(static_cast<int>(pair.to));
    ++order_of(pair.from).sends;
  }
  for (const RankPair& pair : pairs) order_of(pair.to).peers.push_back(static_cast<int>(pair.from));
  std::vector<int> others;
  for (const auto& [rank, order] : orders) {
    if (rank == 0) continue;
    own_.send_order(order, rank);
    others.push_back(rank);
  }
  own_.release(others);
  double longest = 0;
  if (orders.contains(0)) longest = own_.take_part(orders[0]).typical;
  for (const int rank : others) longest = std::max(longest, own_.receive_result(rank).typical);
  return longest * kNs;
}

double MpiLaboratory::combine_ns_per_byte() {
  constexpr int kNumbers = 1 << 16;
  std::vector<double> left(kNumbers, 1), right(kNumbers, 1);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCombinations; ++i) {
    const double begin = MPI_Wtime();
    MPI_Reduce_local(left.data(), right.data(), kNumbers, MPI_DOUBLE, MPI_SUM);
    least = std::min(least, MPI_Wtime() - begin);
  }
  return least * kNs / (kNumbers * sizeof(double));
}

}  // namespace waitdiag::measuring
