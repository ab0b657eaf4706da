// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/collective_shapes.hpp"

#include <algorithm>
#include <map>

#include "analyzer/simulation/replay/collective_schedule.hpp"
#include "analyzer/simulation/replay/constructed.hpp"

namespace waitdiag {
namespace {

class ShapeOf {
 public:
  ShapeOf(const Trace& trace, const CollectiveInstance& instance, std::span<const CollectiveMember> members)
      : trace_(trace), instance_(instance), members_(members) {}

  CollectiveShape find() {
    CollectiveShape shape{.kind = instance_.kind,
                          .comm = instance_.comm,
                          .root = instance_.root,
                          .nonblocking = instance_.nonblocking};
    if (!by_call(instance_.kind)) fill(shape);
    return shape;
  }
  bool peers_unknown() const { return peers_unknown_; }

 private:
  const CollectivePart& part(std::size_t member) const {
    return trace_.timeline(members_[member].location).collectives()[members_[member].part];
  }
  std::string function() const {
    const Timeline& timeline = trace_.timeline(members_.front().location);
    return trace_.region(timeline.call_path(part(0).op)).name;
  }
  template <typename Bytes>
  std::uint64_t most(Bytes bytes) const {
    std::uint64_t most = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) most = std::max<std::uint64_t>(most, bytes(part(m)));
    return most;
  }
  static std::uint64_t sent(const CollectivePart& part) { return part.sent; }
  static std::uint64_t received(const CollectivePart& part) { return part.received; }
  std::uint64_t share(std::uint64_t total) const {
    return (total + members_.size() - 1) / std::max<std::size_t>(1, members_.size());
  }
  template <typename Bytes>
  std::vector<std::uint64_t> each(Bytes bytes) const {
    std::vector<std::uint64_t> blocks;
    for (std::size_t m = 0; m < members_.size(); ++m) blocks.push_back(bytes(part(m)));
    return blocks;
  }

  // How recorders count: OTF2 1.x conventions as Score-P and libwaitprof follow them (a whole Allreduce sends
  // its buffer to each member, and so on).
  void fill(CollectiveShape& shape) {
    switch (instance_.kind) {
      case CollectiveKind::Bcast:
        shape.blocks = {std::max(most(received), share(most(sent)))};
        break;
      case CollectiveKind::Reduce:
        shape.blocks = {std::max(most(sent), share(most(received)))};
        break;
      case CollectiveKind::Gather:
      case CollectiveKind::Gatherv:
        shape.blocks = each(sent);
        break;
      case CollectiveKind::Scatter:
      case CollectiveKind::Scatterv:
        shape.blocks = each(received);
        break;
      case CollectiveKind::Allgather:
        shape.blocks = {share(most(received))};
        break;
      case CollectiveKind::Allgatherv:
        shape.blocks = each([this](const CollectivePart& p) { return share(p.sent); });
        break;
      case CollectiveKind::Allreduce:
      case CollectiveKind::Alltoall:
      case CollectiveKind::ReduceScatter:
      case CollectiveKind::ReduceScatterBlock:
      case CollectiveKind::Scan:
      case CollectiveKind::Exscan:
        shape.blocks = {share(most(sent))};
        break;
      case CollectiveKind::Alltoallv:
      case CollectiveKind::Alltoallw:
      case CollectiveKind::Neighbourhood:
        add_flows(shape);
        break;
      case CollectiveKind::CreateHandle:
        shape.function = function();
        break;
      default:
        break;
    }
    if (std::adjacent_find(shape.blocks.begin(), shape.blocks.end(), std::not_equal_to<>()) ==
            shape.blocks.end() &&
        !shape.blocks.empty())
      shape.blocks.resize(1);
  }

  // From the receivers' lists; without lists every member sends the same to every other.
  void add_flows(CollectiveShape& shape) {
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
      const auto sources = sources_of(trace_, instance_, m, members_[m]);
      peers_unknown_ = peers_unknown_ || !sources;
      if (!sources) continue;
      for (const PeerRun& run : sources->runs)
        for (std::uint32_t i = run.first; i <= run.last; ++i)
          shape.flows.push_back({sources->first + i, m, run.bytes});
    }
    if (!peers_unknown_) return;
    shape.flows.clear();
    if (instance_.kind == CollectiveKind::Neighbourhood) return;
    for (std::uint32_t from = 0; from < members_.size(); ++from)
      for (std::uint32_t to = 0; to < members_.size(); ++to)
        if (from != to) shape.flows.push_back({from, to, share(part(from).sent)});
  }

  const Trace& trace_;
  const CollectiveInstance& instance_;
  std::span<const CollectiveMember> members_;
  bool peers_unknown_ = false;
};

// From the arrival of the last member to the leaving of the first.
Duration time_together(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance) {
  Time last = Time::min();
  for (const CollectiveMember& member : sync.members_of(instance))
    last = std::max(last, trace.enter({member.location, operation_of(trace, instance, member)}));
  return first_left(trace, sync, instance) - last;
}

// What is left of the communicators' first uses.
class FirstUses {
 public:
  explicit FirstUses(const Trace& trace) {
    for (const Communicator& comm : trace.communicators()) left_.push_back(comm.first_uses);
  }
  Duration take(const CollectiveInstance& instance) {
    if (instance.comm == kNoComm) return {};
    std::vector<FirstUse>& left = left_[index(instance.comm)];
    const auto found = std::ranges::find(left, instance.kind, &FirstUse::kind);
    if (found == left.end()) return {};
    const Duration own = found->own;
    left.erase(found);
    return own;
  }

 private:
  std::vector<std::vector<FirstUse>> left_;
};

// How many calls make new communicators from each communicator.
std::map<CommId, std::size_t> constructors_of(const SyncPoints& sync) {
  std::map<CommId, std::size_t> constructors;
  for_each_collective(sync, [&](const CollectiveInstance& instance, const auto&) {
    if (instance.kind == CollectiveKind::CreateHandle) ++constructors[instance.comm];
  });
  return constructors;
}

}  // namespace

Time first_left(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance) {
  Time first = Time::max();
  for (const CollectiveMember& member : sync.members_of(instance))
    first = std::min(first, trace.leave({member.location, completion_of(trace, instance, member)}));
  return first;
}

void add_collectives(const Trace& trace, const SyncPoints& sync, Program& program) {
  std::map<CollectiveShape, std::uint32_t> known;
  ConstructedCommunicators made(trace);
  std::map<CommId, std::size_t> constructors = constructors_of(sync), earlier;
  std::uint64_t unknown_peers = 0, between_groups = 0;
  Duration unknown_time{}, kept{}, constructing{}, between{};
  std::uint64_t gatherings = 0, on_files = 0, constructed = 0, first_uses = 0;
  Duration first_time{}, file_time{};
  FirstUses unused(trace);
  for_each_collective(sync, [&](const CollectiveInstance& instance, const auto members) {
    ShapeOf shape_of(trace, instance, members);
    CollectiveShape shape = shape_of.find();
    if (instance.kind == CollectiveKind::CreateHandle)
      shape.parts = made.of(instance.comm, earlier[instance.comm]++, constructors[instance.comm]);
    const auto [entry, is_new] =
        known.try_emplace(std::move(shape), static_cast<std::uint32_t>(known.size()));
    if (is_new) program.shapes.push_back(entry->first);
    ProgramCollective collective{.shape = entry->second,
                                 .first_member = static_cast<std::uint32_t>(program.members.size()),
                                 .members = instance.members};
    if (only_gathers(instance.kind)) {
      const Duration together = time_together(trace, sync, instance);
      collective.own = std::max(Duration::zero(), together);
      collective.meets = together >= Duration::zero();
      const bool on_file = instance.kind == CollectiveKind::FileCall;
      (on_file ? file_time : kept) += collective.own * instance.members;
      (on_file ? on_files : gatherings) += collective.meets ? 1 : 0;
    }
    if (const Duration own = unused.take(instance); own > Duration::zero()) {
      collective.own = own;
      first_time += own * instance.members;
      ++first_uses;
    }
    const auto number = static_cast<std::uint32_t>(program.collectives.size());
    const bool two_groups =
        instance.comm != kNoComm && !trace.communicator(instance.comm).remote_members.empty();
    between_groups += two_groups ? 1 : 0;
    constructed += instance.kind == CollectiveKind::CreateHandle ? 1 : 0;
    for (const CollectiveMember& member : members) {
      program.members.push_back({static_cast<std::uint32_t>(index(member.location)), number});
      const OpRef op{member.location, operation_of(trace, instance, member)};
      const Duration time = trace.leave(op) - trace.enter(op);
      if (shape_of.peers_unknown()) unknown_time += time;
      if (instance.kind == CollectiveKind::CreateHandle) constructing += time;
      if (two_groups) between += time;
    }
    unknown_peers += shape_of.peers_unknown() ? 1 : 0;
    program.collectives.push_back(collective);
  });
  program.approximations.add("communicators",
                             "communicators are made by the messages that the table of collectives names for "
                             "them; what else the MPI library does for that is left out",
                             constructed, constructing);
  program.approximations.add(
      "unknown_peers",
      "Alltoallv and neighbourhood operations whose peers were not recorded: the bytes are "
      "spread evenly, or left out",
      unknown_peers, unknown_time);
  program.approximations.add("intercommunicators",
                             "collective operations between the two groups of an inter-communicator are "
                             "replayed as those of one communicator of all their ranks",
                             between_groups, between);
  program.approximations.add("start_and_end",
                             "MPI_Init, MPI_Finalize and, unless the machine's table of collectives says "
                             "what they consist of, windows take "
                             "as long as recorded, from when the last rank comes",
                             gatherings, kept);
  program.approximations.add("file_calls",
                             "collective calls on files take as long as recorded, from when the last rank "
                             "comes; each rank stays as long behind the first that leaves as it did",
                             on_files, file_time);
  program.approximations.add(
      "first_uses",
      "the first operation of a kind in a communicator takes as much longer than later "
      "ones as recorded",
      first_uses, first_time);
}

}  // namespace waitdiag
