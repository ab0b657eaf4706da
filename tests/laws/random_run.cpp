// SPDX-License-Identifier: BSD-3-Clause
#include "tests/laws/random_run.hpp"

#include <algorithm>
#include <numeric>

namespace waitdiag::test {
namespace {

constexpr std::int64_t kLatency = 300, kSamplingPeriod = 10000;
constexpr std::uint64_t kEagerBytes = 1024;
constexpr const char* kFunctions[] = {"main", "solve", "assemble", "io"};

}  // namespace

std::uint64_t Dice::roll(std::uint64_t sides) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (state_ >> 11) % sides;
}

RandomRun::RandomRun(const RunOptions& options)
    : options_(options),
      dice_(options.seed),
      dice_for_pauses_(options.seed + 1),
      now_(static_cast<std::size_t>(options.ranks), 0),
      requests_(now_.size(), 0),
      released_(now_.size(), 0),
      exclusively_released_(now_.size(), 0),
      records_(now_.size()),
      off_(now_.size(), false) {
  for (const char* function : kFunctions) region(function);
  std::vector<int> world(now_.size());
  std::iota(world.begin(), world.end(), 0);
  comms_.push_back(world);
  for (int i = 0; i < 2; ++i) {
    std::vector<int> some;
    for (const int rank : world) {
      if (dice_.roll(2) == 0) some.push_back(rank);
    }
    if (some.size() > 1) comms_.push_back(some);
  }
  for (const int rank : world) {
    if (options.marks) mark(rank, now_[static_cast<std::size_t>(rank)]);
    compute(rank);
  }
  init_or_finalize("MPI_Init");
  if (options.one_sided) on_window(CollectiveKind::WinCreate, "MPI_Win_create");
  for (int i = 0; i < options.steps; ++i) {
    step();
    if (options.pauses == RunOptions::Pauses::None || dice_for_pauses_.roll(4) != 0) continue;
    options.pauses == RunOptions::Pauses::Own ? pause_somewhere() : meet();
  }
  for (const int rank : world) switch_recording(rank, true);
  if (options.one_sided) on_window(CollectiveKind::WinFree, "MPI_Win_free");
  init_or_finalize("MPI_Finalize");
}

std::size_t RandomRun::region(const std::string& name) {
  const auto found = std::find(regions_.begin(), regions_.end(), name);
  if (found != regions_.end()) return static_cast<std::size_t>(found - regions_.begin());
  regions_.push_back(name);
  return regions_.size() - 1;
}

void RandomRun::step() {
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (dice_.roll(3) != 0) compute(rank);
  }
  if (options_.one_sided && dice_.roll(3) == 0) return access_window();
  switch (dice_.roll(6)) {
    case 0:
    case 1:
      return message();
    case 2:
      return exchange();
    case 3:
      return gather_in_order_of_arrival();
    case 4:
      return shift_ring();
    default:
      return collective();
  }
}

void RandomRun::record(int rank, Record record) {
  const auto r = static_cast<std::size_t>(rank);
  if (!off_[r]) records_[r].push_back(std::move(record));
}

void RandomRun::switch_recording(int rank, bool on) {
  const auto r = static_cast<std::size_t>(rank);
  if (off_[r] == !on) return;
  off_[r] = !on;
  const std::int64_t time = now_[r];
  records_[r].push_back(
      [=](const Feed& feed) { feed.builder.measurement(feed.location(rank), feed.time(time), on); });
}

void RandomRun::meet() {
  using enum RunOptions::Pauses;
  const std::int64_t last = *std::max_element(now_.begin(), now_.end()) + 1;
  const std::int64_t pause = dice_for_pauses_.between(1, 1000000);
  for (int rank = 0; rank < options_.ranks; ++rank) {
    now_[static_cast<std::size_t>(rank)] = last;
    switch_recording(rank, options_.pauses == Meetings || off_[static_cast<std::size_t>(rank)]);
    if (options_.pauses != Common) continue;
    now_[static_cast<std::size_t>(rank)] += pause;
    switch_recording(rank, true);
  }
}

void RandomRun::pause_somewhere() {
  const auto rank = static_cast<int>(dice_for_pauses_.roll(now_.size()));
  switch_recording(rank, off_[static_cast<std::size_t>(rank)]);
}

void RandomRun::compute(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t begin = now_[r], end = begin + dice_.between(1000, 200000);
  const std::size_t function = 1 + dice_.roll(std::size(kFunctions) - 1);
  now_[r] = end;
  if (options_.marks && dice_.roll(2) == 0) mark(rank, dice_.between(begin, end));
  if (options_.sampled) {
    for (std::int64_t t = begin + kSamplingPeriod / 2; t < end; t += kSamplingPeriod) {
      record(rank, [=](const Feed& feed) {
        feed.builder.sample(feed.location(rank), feed.time(t), feed.paths[function], 1);
      });
    }
    return;
  }
  record(rank, [=](const Feed& feed) {
    feed.builder.enter(feed.location(rank), feed.time(begin), feed.regions[function]);
  });
  if (options_.usage) {
    read_usage(rank, dice_.between(begin, end));
    if (dice_.roll(4) == 0) read_usage(rank, end);
  }
  record(rank, [=](const Feed& feed) {
    feed.builder.leave(feed.location(rank), feed.time(end), feed.regions[function]);
  });
}

// The mark may be added before the records of the computation that it divides.
void RandomRun::mark(int rank, std::int64_t time) {
  record(rank, [=](const Feed& feed) { feed.builder.step(feed.location(rank), feed.time(time)); });
}

void RandomRun::read_usage(int rank, std::int64_t time) {
  record(rank, [=](const Feed& feed) {
    feed.builder.usage(feed.location(rank), {.time = feed.time(time),
                                             .processor_time = Duration{time / 2},
                                             .resident = 4096 + static_cast<std::uint64_t>(time % 7),
                                             .runnable = 3,
                                             .faults = Faults{1, 0, 2},
                                             .stolen = Duration{time / 50},
                                             .node_busy = Duration{time / 3}});
  });
}

void RandomRun::call(int rank, const std::string& name, std::int64_t enter, std::int64_t leave,
                     const std::vector<Record>& inside) {
  const std::size_t id = region(name);
  const auto r = static_cast<std::size_t>(rank);
  now_[r] = leave;
  record(rank, [=](const Feed& feed) {
    feed.builder.enter(feed.location(rank), feed.time(enter), feed.regions[id]);
    for (const Record& record : inside) record(feed);
    feed.builder.leave(feed.location(rank), feed.time(leave), feed.regions[id]);
  });
}

// A blocking send; returns the time at which its data has arrived. `posted`: since when the receiver has been
// ready.
std::int64_t RandomRun::send(int from, int to, std::uint64_t bytes, int tag, std::int64_t posted) {
  const std::int64_t enter = now_[static_cast<std::size_t>(from)];
  const std::int64_t ready = bytes > kEagerBytes ? std::max(enter, posted) : enter;
  call(from, "MPI_Send", enter, ready + overhead(), {[=](const Feed& feed) {
         feed.builder.send(feed.location(from), feed.time(enter), feed.rank(to), feed.comms[0], tag, bytes);
       }});
  return ready + kLatency;
}

void RandomRun::message() {
  const auto from = static_cast<int>(dice_.roll(now_.size()));
  const int to = (from + 1 + static_cast<int>(dice_.roll(now_.size() - 1))) % options_.ranks;
  const std::uint64_t bytes = dice_.roll(options_.bytes);
  const auto tag = static_cast<int>(dice_.roll(3));
  const std::int64_t enter = now_[static_cast<std::size_t>(to)];
  const std::int64_t there = send(from, to, bytes, tag, enter);
  const std::int64_t leave = std::max(enter, there) + overhead();
  call(to, "MPI_Recv", enter, leave, {[=](const Feed& feed) {
         feed.builder.recv(feed.location(to), feed.time(leave), feed.rank(from), feed.comms[0], tag, bytes);
       }});
}

// Nonblocking exchange of small messages between neighbours, computation in between, one Waitall.
void RandomRun::exchange() {
  const auto size = static_cast<int>(now_.size());
  std::vector<std::int64_t> sent(now_.size());
  for (int rank = 0; rank < size; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const int right = (rank + 1) % size;
    const std::uint64_t receive = ++requests_[r], send = ++requests_[r];
    const std::int64_t enter = now_[r];
    sent[r] = enter + 2;
    call(rank, "MPI_Irecv", enter, enter + 1, {[=](const Feed& feed) {
           feed.builder.irecv_request(feed.location(rank), feed.time(enter), receive);
         }});
    call(rank, "MPI_Isend", enter + 2, enter + 3, {[=](const Feed& feed) {
           feed.builder.isend(feed.location(rank), feed.time(enter + 2), feed.rank(right), feed.comms[0], 7,
                              100, send);
         }});
    compute(rank);
  }
  for (int rank = 0; rank < size; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const int left = (rank + size - 1) % size;
    const std::int64_t enter = now_[r];
    const std::int64_t leave = std::max(enter, sent[static_cast<std::size_t>(left)] + kLatency) + overhead();
    const std::uint64_t send = requests_[r], receive = send - 1;
    call(rank, "MPI_Waitall", enter, leave, {[=](const Feed& feed) {
           feed.builder.irecv(feed.location(rank), feed.time(leave), feed.rank(left), feed.comms[0], 7, 100,
                              receive);
           feed.builder.isend_complete(feed.location(rank), feed.time(leave), send);
         }});
  }
}

// All ranks shift a small value to the right with Sendrecv.
void RandomRun::shift_ring() {
  const auto size = static_cast<int>(now_.size());
  const std::vector<std::int64_t> enter = now_;
  for (int rank = 0; rank < size; ++rank) {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const std::int64_t mine = enter[static_cast<std::size_t>(rank)];
    const std::int64_t leave = std::max(mine, enter[static_cast<std::size_t>(left)] + kLatency) + overhead();
    call(rank, "MPI_Sendrecv", mine, leave, {[=](const Feed& feed) {
           feed.builder.send(feed.location(rank), feed.time(mine), feed.rank(right), feed.comms[0], 9, 8);
           feed.builder.recv(feed.location(rank), feed.time(leave), feed.rank(left), feed.comms[0], 9, 8);
         }});
  }
}

// One rank receives from any source: first come, first served.
void RandomRun::gather_in_order_of_arrival() {
  const auto to = static_cast<int>(dice_.roll(now_.size()));
  std::vector<std::pair<std::int64_t, int>> arrivals;
  for (int from = 0; from < options_.ranks; ++from) {
    if (from != to) arrivals.emplace_back(send(from, to, 16, 5, 0), from);
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (const auto& [there, from] : arrivals) {
    const std::int64_t enter = now_[static_cast<std::size_t>(to)];
    const std::int64_t leave = std::max(enter, there) + overhead();
    call(to, "MPI_Recv", enter, leave, {[=, from = from](const Feed& feed) {
           feed.builder.recv(feed.location(to), feed.time(leave), feed.rank(from), feed.comms[0], 5, 16);
         }});
  }
}

void RandomRun::collective() {
  const auto comm = static_cast<int>(dice_.roll(comms_.size()));
  const std::vector<int> members = comms_[static_cast<std::size_t>(comm)];
  switch (dice_.roll(5)) {
    case 0:
      return collective_on(members, comm, CollectiveKind::Barrier, "MPI_Barrier");
    case 1:
      return collective_on(members, comm, CollectiveKind::Bcast, "MPI_Bcast");
    case 2:
      return collective_on(members, comm, CollectiveKind::Reduce, "MPI_Reduce");
    case 3:
      return collective_on(members, comm, CollectiveKind::Scan, "MPI_Scan");
    default:
      return collective_on(members, comm, CollectiveKind::Allreduce, "MPI_Allreduce");
  }
}

void RandomRun::collective_on(const std::vector<int>& members, int comm, CollectiveKind kind,
                              const std::string& name) {
  const std::size_t root = dice_.roll(members.size());
  const bool rooted = kind == CollectiveKind::Bcast || kind == CollectiveKind::Reduce;
  std::vector<std::int64_t> enter;
  for (const int rank : members) enter.push_back(now_[static_cast<std::size_t>(rank)]);
  const std::int64_t last = *std::max_element(enter.begin(), enter.end());
  std::int64_t last_so_far = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    last_so_far = std::max(last_so_far, enter[i]);
    std::int64_t ready = last;  // what this member has to wait for
    if (kind == CollectiveKind::Bcast) ready = i == root ? 0 : enter[root];
    if (kind == CollectiveKind::Reduce) ready = i == root ? last : 0;
    if (kind == CollectiveKind::Scan) ready = last_so_far;
    const std::int64_t begin = enter[i];
    const std::int64_t end = std::max(begin, ready + kLatency) + overhead();
    const int rank = members[i], root_rank = members[root];
    const bool sends = kind != CollectiveKind::Barrier && (kind != CollectiveKind::Bcast || i == root);
    const bool receives = kind != CollectiveKind::Barrier && (kind != CollectiveKind::Reduce || i == root);
    call(rank, name, begin, end, {[=](const Feed& feed) {
           feed.builder.collective_begin(feed.location(rank), feed.time(begin));
           feed.builder.collective_end(
               feed.location(rank), feed.time(end), kind, feed.comms[static_cast<std::size_t>(comm)],
               rooted ? feed.rank(root_rank) : kNoRank, sends ? 8 : 0, receives ? 8 : 0);
         }});
  }
}

void RandomRun::init_or_finalize(const std::string& name) {
  const std::int64_t last = *std::max_element(now_.begin(), now_.end());
  for (int rank = 0; rank < options_.ranks; ++rank) {
    const std::int64_t enter = now_[static_cast<std::size_t>(rank)];
    call(rank, name, enter, last + kLatency + overhead(), {});
  }
}

Trace RandomRun::trace(const Disguise& disguise) const {
  TraceBuilder builder;
  Feed feed{builder, disguise, {}, {}, {}, {}, {}};
  for (const std::string& name : regions_) feed.regions.push_back(builder.region({.name = name}));
  for (std::size_t i = 0; i < std::size(kFunctions); ++i) {
    feed.paths.push_back(builder.call_path(i == 0 ? kNoCallPath : feed.paths[0], feed.regions[i]));
  }
  for (std::size_t i = 0; i < comms_.size(); ++i) {
    Communicator communicator{.name = i == 0 ? "everybody" : "part"};
    for (const int rank : comms_[i]) communicator.members.push_back(feed.rank(rank));
    feed.comms.push_back(builder.communicator(communicator));
  }
  if (options_.one_sided) {
    Communicator window{.name = "window"};
    for (const int rank : comms_[0]) window.members.push_back(feed.rank(rank));
    feed.window = builder.communicator(window);
  }
  for (int rank = 0; rank < options_.ranks; ++rank) {
    feed.locations.push_back(builder.location({.rank = feed.rank(rank)}));
  }
  for (const auto& records : records_) {
    for (const Record& record : records) record(feed);
  }
  return builder.build();
}

}  // namespace waitdiag::test
