// The offset of a remote clock: of several exchanges the quickest is taken; the reply was stamped half a
// round trip before it arrived, give or take that half (F. Cristian, Probabilistic clock synchronization,
// 1989). In each round the processes that already know their offset pass it to others, one process per clock,
// so that p clocks take log2(p) rounds (HCA3: S. Hunold, A. Carpen-Amarie, Hierarchical clock synchronization
// in MPI, 2018).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/clock_offsets.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/mpi/same_boot.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"

namespace waitprof::archive {
namespace {

constexpr int kExchanges = 20;
constexpr std::uint64_t kExchanging = 1'000'000;  // who sleeps answers late
constexpr int kTags = 16384;  // one for each comparison, so that late answers are not mixed up
constexpr std::uint64_t kForever = UINT64_MAX, kPatience = 1'000'000'000;
// Linux slews a clock by at most 500 ppm, here two of them in opposite directions.
constexpr std::uint64_t kMostDriftPerMillion = 1000;

// Messages of one number between two ranks that wait for each other only until a given time.
class Talk {
 public:
  Talk(MPI_Comm ranks, int tag, std::uint64_t until) noexcept : ranks_(ranks), tag_(tag), until_(until) {}

  // A message that is sent lives for ever: there may be no rank to receive it.
  bool send(std::uint64_t number, int to) noexcept {
    static std::uint64_t message;
    message = number;
    MPI_Request request = MPI_REQUEST_NULL;
    if (pmpi::Isend(&message, 1, MPI_UINT64_T, to, tag_, ranks_, &request) != MPI_SUCCESS) {
      return false;
    }
    if (!complete(request)) {
      pmpi::Request_free(&request);
      return false;
    }
    return true;
  }

  bool receive(std::uint64_t& number, int from) noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    if (pmpi::Irecv(&number, 1, MPI_UINT64_T, from, tag_, ranks_, &request) != MPI_SUCCESS) {
      return false;
    }
    if (!complete(request)) {
      pmpi::Cancel(&request);
      pmpi::Wait(&request, MPI_STATUS_IGNORE);
      return false;
    }
    return true;
  }

 private:
  bool complete(MPI_Request& request) const noexcept {
    int done = 0;
    const Patience patience(kExchanging);
    while (pmpi::Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0 && now() < until_) {
      patience.give_way();
    }
    return done != 0;
  }

  MPI_Comm ranks_;
  int tag_;
  std::uint64_t until_;
};

// The answer is rank 0's time, as exactly as it is known here: by an offset that grows old meanwhile.
bool answer(int asking, const ClockOffset& own, Talk& talk) noexcept {
  bool good = true;
  for (int exchange = 0; exchange < kExchanges && good; ++exchange) {
    std::uint64_t time = 0;
    good = talk.receive(time, asking) && talk.send(now() + static_cast<std::uint64_t>(own.offset), asking);
  }
  const std::uint64_t drifted = (now() - own.time) * kMostDriftPerMillion / 1'000'000;
  return good && talk.send(own.error == 0 ? 0 : own.error + drifted, asking);
}

std::optional<ClockOffset> ask(int reference, Talk& talk) noexcept {
  ClockOffset best;
  std::uint64_t error_there = 0, shortest = UINT64_MAX;
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    const std::uint64_t sent = now();
    std::uint64_t there = sent;
    if (!talk.send(sent, reference) || !talk.receive(there, reference)) {
      return std::nullopt;
    }
    const std::uint64_t received = now();
    if (received - sent < shortest) {
      shortest = received - sent;
      const std::uint64_t middle = sent + shortest / 2;
      best = {middle, static_cast<std::int64_t>(there - middle), (shortest + 1) / 2};
    }
  }
  if (!talk.receive(error_there, reference)) {
    return std::nullopt;
  }
  best.error += error_there;
  return best;
}

// Measures between ranks, one for each clock. In the first round rank 0 answers the one in the middle, then
// both answer those in the middle of their halves, and so on.
std::optional<ClockOffset> measure_between(MPI_Comm leaders, int tag, std::uint64_t until) noexcept {
  Talk talk(leaders, tag, until);
  int rank = 0, size = 1;
  pmpi::Comm_rank(leaders, &rank);
  pmpi::Comm_size(leaders, &size);
  std::optional<ClockOffset> own = ClockOffset{now(), 0, 0};
  for (int step = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)) / 2); step > 0 && own;
       step /= 2) {
    const int place = rank % (2 * step);
    if (place == step) {
      own = ask(rank - step, talk);
    } else if (place == 0 && rank + step < size && !answer(rank + step, *own, talk)) {
      own.reset();
    }
  }
  return own;
}

std::uint64_t distance(std::int64_t one, std::int64_t other) noexcept {
  return static_cast<std::uint64_t>(one < other ? other - one : one - other);
}

std::uint64_t recorded_time() noexcept {
  return now();
}

// All ranks that share this rank's clock: the same boot of the same kernel, unless messages contradict that;
// then each counts as having its own. MPI_COMM_NULL: MPI returned an error.
MPI_Comm same_clock(const Ranks& ranks) noexcept {
  MPI_Comm same = ranks_of_same_boot(ranks.communicator(), ranks.rank());
  const std::uint64_t own = boot_identity();
  if (same == MPI_COMM_NULL) {
    return same;
  }
  std::uint64_t lowest = own, highest = own;
  allreduce_patiently(&own, &lowest, 1, MPI_UINT64_T, MPI_MIN, same);
  allreduce_patiently(&own, &highest, 1, MPI_UINT64_T, MPI_MAX, same);
  // By chance two machines in one group, or no boot identity at all.
  if (lowest != highest || own == 0) {
    MPI_Comm mixed = same;
    same = MPI_COMM_NULL;
    pmpi::Comm_split_type(mixed, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &same);
    pmpi::Comm_free(&mixed);
  }
  if (same != MPI_COMM_NULL && !is_one_clock(same, recorded_time)) {
    MPI_Comm mixed = same;
    same = MPI_COMM_NULL;
    pmpi::Comm_split(mixed, ranks.rank(), 0, &same);
    pmpi::Comm_free(&mixed);
  }
  return same;
}

}  // namespace

void ClockOffsets::connect(const Ranks& ranks) {
  if (world.one_clock) {
    return;
  }
  same_ = same_clock(ranks);
  int place = 0, sharing = 0;
  if (same_ != MPI_COMM_NULL) {
    pmpi::Comm_rank(same_, &place);
    pmpi::Comm_size(same_, &sharing);
  }
  if (sharing == ranks.size()) {
    return;  // as all ranks know: there is nothing to measure
  }
  const bool leads = same_ != MPI_COMM_NULL && place == 0;
  pmpi::Comm_split(ranks.communicator(), leads ? 0 : MPI_UNDEFINED, ranks.rank(), &leaders_);
  if (leaders_ != MPI_COMM_NULL) {
    pmpi::Comm_size(leaders_, &clocks_);
  }
}

void ClockOffsets::disconnect() noexcept {
  for (MPI_Comm* communicator : {&same_, &leaders_}) {
    if (*communicator != MPI_COMM_NULL) {
      pmpi::Comm_free(communicator);
    }
  }
}

ClockOffset ClockOffsets::measure() noexcept {
  ClockOffset clock{now(), 0, 0};
  if (leaders_ != MPI_COMM_NULL) {
    clock = measure_between(leaders_, 0, kForever).value_or(clock);
  }
  if (same_ != MPI_COMM_NULL) {
    broadcast_patiently(&clock, sizeof clock, same_);
  }
  add(clock);
  return clock;
}

bool ClockOffsets::measure_again() noexcept {
  const auto clock = measure_between(leaders_, 1 + comparisons_++ % kTags, now() + kPatience);
  gave_up_ = !clock;
  // A disturbed measurement is worse than a straight line between its neighbours, unless the clock has moved
  // by even more.
  if (clock && (clock->error <= 2 * measured_.front().error ||
                clock->error < distance(clock->offset, measured_[count_ - 1].offset))) {
    add(*clock);
    journal(RecordKind::ClockCompared, crash_safe::ClockRecord{clock->time, clock->offset, clock->error});
  }
  return !gave_up_;
}

std::span<const ClockOffset> ClockOffsets::finish() noexcept {
  measure();
  if (same_ != MPI_COMM_NULL) {
    auto count = static_cast<int>(count_);
    broadcast_patiently(&count, sizeof count, same_);
    count_ = static_cast<std::size_t>(count);
    broadcast_patiently(measured_.data(), count * static_cast<int>(sizeof(ClockOffset)), same_);
  }
  return std::span(measured_).first(count_);
}

}  // namespace waitprof::archive
