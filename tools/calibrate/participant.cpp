// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/participant.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace waitdiag::measuring {
namespace {

constexpr int kOrderTag = 1, kResultTag = 2, kReadyTag = 3, kGoTag = 4, kTag = 5, kTokenTag = 6;
constexpr int kBlock = 10;  // round trips between two clock readings
constexpr double kMostSpread = 0.5;
constexpr double kNap = 100e-6;
constexpr std::size_t kOrderHead = 7;  // numbers before the peers

void sleep_for(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  nanosleep(&time, nullptr);
}

int count(std::uint64_t bytes) {
  return static_cast<int>(bytes);
}
void send_token(int peer) {
  MPI_Send(nullptr, 0, MPI_BYTE, peer, kTokenTag, MPI_COMM_WORLD);
}
void receive_token(int peer) {
  MPI_Recv(nullptr, 0, MPI_BYTE, peer, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The typical time is the 10th percentile: disturbances make a time longer, never shorter.
Measured summary(std::vector<double>& times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const double typical = times[times.size() / 10], half = times[times.size() / 2];
  const double spread =
      typical > 0 ? 2 * (half - typical) / typical / std::sqrt(static_cast<double>(times.size())) : 0;
  return {typical, std::min(spread, kMostSpread)};
}
Measured median(std::vector<double>& times) {
  Measured result = summary(times);
  if (!times.empty()) result.typical = times[times.size() / 2];
  return result;
}

}  // namespace

void Participant::serve() {
  for (;;) {
    const Order order = receive_order();
    if (order.task == Task::Stop) return;
    const Measured result = take_part(order);
    const std::array<double, 2> numbers = {result.typical, result.spread};
    MPI_Send(numbers.data(), 2, MPI_DOUBLE, 0, kResultTag, MPI_COMM_WORLD);
  }
}

void Participant::await(int rank, int tag) const {
  for (int here = 0; patient_;) {
    MPI_Iprobe(rank, tag, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
    if (here != 0) return;
    sleep_for(kNap);
  }
}

void Participant::send_order(const Order& order, int rank) const {
  std::vector<double> numbers = {static_cast<double>(order.task),
                                 static_cast<double>(order.begins),
                                 static_cast<double>(order.repetitions),
                                 static_cast<double>(order.sends),
                                 static_cast<double>(order.bytes),
                                 order.budget_s,
                                 order.late_s};
  numbers.insert(numbers.end(), order.peers.begin(), order.peers.end());
  MPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, rank, kOrderTag, MPI_COMM_WORLD);
}

Order Participant::receive_order() const {
  await(0, kOrderTag);
  MPI_Status status;
  int length = 0;
  MPI_Probe(0, kOrderTag, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &length);
  std::vector<double> numbers(static_cast<std::size_t>(length));
  MPI_Recv(numbers.data(), length, MPI_DOUBLE, 0, kOrderTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const auto whole = [&](std::size_t i) { return static_cast<std::int32_t>(numbers[i]); };
  Order order{static_cast<Task>(whole(0)),
              whole(1),
              whole(2),
              whole(3),
              static_cast<std::uint64_t>(numbers[4]),
              numbers[5],
              numbers[6],
              {}};
  for (std::size_t i = kOrderHead; i < numbers.size(); ++i) order.peers.push_back(whole(i));
  return order;
}

Measured Participant::receive_result(int rank) const {
  await(rank, kResultTag);
  std::array<double, 2> numbers{};
  MPI_Recv(numbers.data(), 2, MPI_DOUBLE, rank, kResultTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return {numbers[0], numbers[1]};
}

void Participant::release(const std::vector<int>& ranks) const {
  for (const int rank : ranks)
    MPI_Recv(nullptr, 0, MPI_BYTE, rank, kReadyTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (const int rank : ranks) MPI_Send(nullptr, 0, MPI_BYTE, rank, kGoTag, MPI_COMM_WORLD);
}

char* Participant::room(std::uint64_t bytes, std::size_t number) {
  if (rooms_.size() <= number) rooms_.resize(number + 1);
  if (rooms_[number].size() < bytes + 1) rooms_[number].assign(bytes + 1, 1);
  return rooms_[number].data();
}

Measured Participant::take_part(const Order& order) {
  switch (order.task) {
    case Task::PingPong:
      return ping_pong(order);
    case Task::Send:
    case Task::Isend:
      return time_send(order);
    case Task::Receive:
      return time_receive(order);
    case Task::LateReceive:
      return time_late_receive(order);
    case Task::Flows:
      return flows(order);
    case Task::Stop:
      break;
  }
  return {};
}

// Each round trip is timed by itself, so that it does not include how the ranks got started. Trips come in
// blocks, of which the first trip does not count, until there are enough or the time is used up.
Measured Participant::ping_pong(const Order& order) {
  const int peer = order.peers.front(), bytes = count(order.bytes);
  char* const buffer = room(order.bytes, 0);
  const auto trip = [&] {
    const double begin = MPI_Wtime();
    if (order.begins != 0) MPI_Send(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (order.begins == 0) MPI_Send(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
  };
  std::vector<double> times;
  const double end = MPI_Wtime() + order.budget_s;
  for (int block = std::min(kBlock, order.repetitions);;) {
    if (order.begins != 0) {
      MPI_Send(&block, 1, MPI_INT, peer, kTokenTag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&block, 1, MPI_INT, peer, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (block == 0) return summary(times);
    trip();
    for (int i = 0; i < block; ++i) times.push_back(trip() / 2);
    const int done = static_cast<int>(times.size());
    block = done < order.repetitions && MPI_Wtime() < end ? std::min(kBlock, order.repetitions - done) : 0;
  }
}

Measured Participant::time_send(const Order& order) {
  const int peer = order.peers.front(), bytes = count(order.bytes);
  char* const buffer = room(order.bytes, 0);
  std::vector<double> times;
  for (int i = 0; i < order.repetitions; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (order.begins == 0) {
      MPI_Irecv(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &request);
      send_token(peer);
    } else {
      receive_token(peer);
      const double begin = MPI_Wtime();
      if (order.task == Task::Send) {
        MPI_Send(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
      } else {
        MPI_Isend(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &request);
      }
      times.push_back(MPI_Wtime() - begin);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return summary(times);
}

Measured Participant::time_receive(const Order& order) {
  const int peer = order.peers.front(), bytes = count(order.bytes);
  char* const buffer = room(order.bytes, 0);
  std::vector<double> times;
  for (int i = 0; i < order.repetitions; ++i) {
    if (order.begins != 0) {
      receive_token(peer);
      MPI_Send(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
      continue;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &request);
    send_token(peer);
    sleep_for(order.late_s);
    const double begin = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    times.push_back(MPI_Wtime() - begin);
  }
  return summary(times);
}

Measured Participant::time_late_receive(const Order& order) {
  const int peer = order.peers.front(), bytes = count(order.bytes);
  char* const buffer = room(order.bytes, 0);
  std::vector<double> times;
  for (int i = 0; i < order.repetitions; ++i) {
    if (order.begins != 0) {
      send_token(peer);
    } else {
      receive_token(peer);
      sleep_for(order.late_s);
    }
    const double begin = MPI_Wtime();
    if (order.begins != 0) {
      MPI_Send(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(buffer, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    times.push_back(MPI_Wtime() - begin);
    if (order.begins != 0) {
      receive_token(peer);  // so that the next round begins together
    } else {
      send_token(peer);
    }
  }
  return summary(times);
}

// The first and the last round are left out: not all ranks are busy in them.
Measured Participant::flows(const Order& order) {
  std::vector<char*> buffers;
  for (std::size_t i = 0; i < order.peers.size(); ++i) buffers.push_back(room(order.bytes, i));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kReadyTag, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, kGoTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::vector<double> times;
  std::vector<MPI_Request> requests(order.peers.size());
  const auto sends = static_cast<std::size_t>(order.sends);
  for (int i = 0; i < order.repetitions; ++i) {
    const double begin = MPI_Wtime();
    for (std::size_t p = sends; p < order.peers.size(); ++p)
      MPI_Irecv(buffers[p], count(order.bytes), MPI_BYTE, order.peers[p], kTag, MPI_COMM_WORLD, &requests[p]);
    for (std::size_t p = 0; p < sends; ++p)
      MPI_Isend(buffers[p], count(order.bytes), MPI_BYTE, order.peers[p], kTag, MPI_COMM_WORLD, &requests[p]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (i > 0 && i + 1 < order.repetitions) times.push_back(MPI_Wtime() - begin);
  }
  return median(times);  // a fast round may be one in which the others were late
}

}  // namespace waitdiag::measuring
