// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/dependencies.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/diagnosis/retiming/dependency_order.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/collective_class.hpp"

namespace waitdiag {
namespace {

constexpr Dependencies::Node kCallsOfBlock = 1024;

bool waits_for_everybody(CallKind kind) {
  return moves_no_data(kind) || kind == CallKind::AllToAll || kind == CallKind::AllToAllVariable;
}

// How calls of this class wait for each other; nullptr: in no way that has a name.
const WaitPattern* pattern_of(CallKind kind) {
  if (kind == CallKind::AllToAllVariable) return &wait_at_nxn;
  for (const WaitPattern* candidate : wait_patterns())
    if (candidate->waiting && candidate->on_collective != nullptr && candidate->at == kind) return candidate;
  return nullptr;
}

}  // namespace

Dependencies::Dependencies(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                           Contradicted contradicted, std::span<const PatternId> without)
    : trace_(trace), contradicted_(contradicted) {
  if (!without.empty()) ignored_.assign(wait_patterns().size(), false);
  for (const PatternId id : without) ignored_[index(id)] = true;
  number_calls();
  find_needs(sync, states);
  order_ = DependencyOrder(trace, *this).find();
  find_own_times();
}

bool Dependencies::counts(const WaitPattern& pattern) const {
  return ignored_.empty() || !ignored_[index(id_of(pattern))];
}

bool Dependencies::counts(CallKind collective) const {
  const WaitPattern* const waits = ignored_.empty() ? nullptr : pattern_of(collective);
  return waits == nullptr || counts(*waits);
}

void Dependencies::find_needs(const SyncPoints& sync, const WaitStates& states) {
  std::vector<std::vector<Need>> needs = needs_of_messages(sync, states);
  add_collectives(sync, needs);
  add_epochs(sync, needs.emplace_back());
  add_waits(states, needs.emplace_back());
  sort_needs(needs);
}

void Dependencies::number_calls() {
  first_call_.assign(1, 0);
  for (const Timeline& timeline : trace_.timelines())
    first_call_.push_back(first_call_.back() + static_cast<Node>(timeline.size()));
  std::uint32_t location = 0;
  for (std::size_t call = 0; call < calls() + kCallsOfBlock; call += kCallsOfBlock) {
    while (location + 1 < trace_.timelines().size() && first_call_[location + 1] <= call) ++location;
    location_of_block_.push_back(location);
  }
}

OpRef Dependencies::call(Node node) const {
  const auto block = location_of_block_.begin() + node / kCallsOfBlock;
  const auto next =
      std::upper_bound(first_call_.begin() + block[0] + 1, first_call_.begin() + block[1] + 1, node);
  const auto location = static_cast<std::uint32_t>(next - first_call_.begin() - 1);
  return {Location(location), node - first_call_[location]};
}

void Dependencies::find_own_times() {
  const auto own = std::make_shared<OwnTimes>(
      OwnTimes{.nanoseconds = std::make_unique_for_overwrite<std::uint32_t[]>(calls())});
  std::vector<std::vector<std::pair<Node, Duration>>> longer(trace_.timelines().size());
  for_each_index(trace_.timelines().size(), [&](std::size_t l) {
    const Timeline& timeline = trace_.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const OpRef call{Location(l), op};
      const Duration time = timeline.leave(op) - release_of(call).time;
      const bool is_short = time >= Duration::zero() && time < Duration(OwnTimes::kLong);
      own->nanoseconds[node(call)] = is_short ? static_cast<std::uint32_t>(time.count()) : OwnTimes::kLong;
      if (!is_short) longer[l].emplace_back(node(call), time);
    }
  });
  for (const auto& of_location : longer) own->longer.insert(of_location.begin(), of_location.end());
  own_ = own;
}

Dependencies::Release Dependencies::release_of(OpRef call) const {
  Release result{trace_.enter(call), {}};
  for (const Node on : of_call(node(call))) {
    const OpRef by = this->call(is_call(on) ? on : last_of(on));
    const Time time = trace_.enter(by);
    if (time > result.time) result = {time, by};
  }
  return result;
}

Time Dependencies::latest_need(Node call) const {
  Time latest = Time::min();
  for (const Node on : of_call(call))
    latest = std::max(latest, trace_.enter(this->call(is_call(on) ? on : last_of(on))));
  return latest;
}

void Dependencies::add_need(OpRef call, OpRef on, std::vector<Need>& needs) const {
  if (!call.valid() || !on.valid() || call.location == on.location) return;
  if (contradicted_ == Contradicted::LeftOut && trace_.enter(on) > trace_.leave(call)) return;
  needs.push_back({node(call), node(on)});
}

std::vector<std::vector<Dependencies::Need>> Dependencies::needs_of_messages(const SyncPoints& sync,
                                                                             const WaitStates& states) const {
  constexpr std::size_t kMessages = std::size_t{1} << 14;  // of one block
  std::vector<std::vector<Need>> blocks((sync.messages.size() + kMessages - 1) / kMessages);
  const bool receives = counts(late_sender), sends = counts(late_receiver);
  for_each_index(blocks.size(), [&](std::size_t block) {
    const std::size_t last = std::min((block + 1) * kMessages, sync.messages.size());
    for (std::size_t i = block * kMessages; i < last; ++i) {
      const Message& message = sync.messages[i];
      const MessageEnd &sent = send_end(trace_, message), &received = receive_end(trace_, message);
      if (receives)
        add_need({message.receiver, received.completed}, {message.sender, sent.posted}, blocks[block]);
      if (sends && states.needs_receiver[i] != 0)
        add_need({message.sender, sent.completed}, {message.receiver, received.posted}, blocks[block]);
    }
  });
  return blocks;
}

void Dependencies::add_collectives(const SyncPoints& sync, std::vector<std::vector<Need>>& needs) {
  constexpr std::size_t kInstances = 256;  // of one block
  std::vector<Gatherings> blocks((sync.collectives.size() + kInstances - 1) / kInstances);
  for_each_index(blocks.size(), [&](std::size_t block) {
    const std::size_t last = std::min((block + 1) * kInstances, sync.collectives.size());
    for (std::size_t i = block * kInstances; i < last; ++i)
      add_collective(sync, sync.collectives[i], blocks[block]);
  });
  for (Gatherings& block : blocks) {
    const auto before = static_cast<Node>(gatherings());
    for (Need& need : block.needs) need.on += is_call(need.on) ? 0 : before;
    for (const std::uint32_t end : block.ends)
      first_member_.push_back(static_cast<std::uint32_t>(members_.size()) + end);
    members_.insert(members_.end(), block.members.begin(), block.members.end());
    last_.insert(last_.end(), block.last.begin(), block.last.end());
    needs.push_back(std::move(block.needs));
  }
}

void Dependencies::add_collective(const SyncPoints& sync, const CollectiveInstance& instance,
                                  Gatherings& block) const {
  const CallKind kind = class_of(instance.kind);
  if (is_rooted(kind) && instance.root == kNoMember) return;
  if (!counts(kind)) return;
  const auto members = sync.members_of(instance);
  const auto call_of = [&](const CollectiveMember& member) {
    return OpRef{member.location, operation_of(trace_, instance, member)};
  };
  const auto waits_in = [&](const CollectiveMember& member) {
    return OpRef{member.location, completion_of(trace_, instance, member)};
  };
  if (contradicted_ == Contradicted::Kept && !must_meet(sync, instance)) return;
  if (kind == CallKind::OneToAll) {
    for (const CollectiveMember& member : members)
      add_need(waits_in(member), call_of(members[instance.root]), block.needs);
    return;
  }
  if (is_by_peers(kind) && add_sources(sync, instance, block.needs)) return;
  if (contradicted_ == Contradicted::Kept && is_by_peers(kind)) return;
  if (kind == CallKind::Scan) {
    // Of the ranks before it, those that it does not find there.
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t before = 0; before < i; ++before)
        if (trace_.enter(call_of(members[before])) > trace_.enter(call_of(members[i])))
          add_need(waits_in(members[i]), call_of(members[before]), block.needs);
    return;
  }
  if (!waits_for_everybody(kind) && kind != CallKind::AllToOne) return;
  const auto gathering = static_cast<Node>(calls() + block.last.size());
  OpRef last{};
  for (const CollectiveMember& member : members) {
    if (!gives(instance, member)) continue;
    const OpRef call = call_of(member);
    block.members.push_back(node(call));
    if (!last.valid() || trace_.enter(call) > trace_.enter(last)) last = call;
  }
  if (!last.valid()) return;
  block.ends.push_back(static_cast<std::uint32_t>(block.members.size()));
  block.last.push_back(node(last));
  const Time complete = trace_.enter(last);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const OpRef call = waits_in(members[i]);
    if (kind == CallKind::AllToOne && i != instance.root) continue;
    if (contradicted_ == Contradicted::Kept || trace_.leave(call) >= complete)
      block.needs.push_back({node(call), gathering});
  }
}

void Dependencies::add_epochs(const SyncPoints& sync, std::vector<Need>& needs) {
  for_each_epoch_need(sync, [&](OpRef call, OpRef on, const WaitPattern& pattern) {
    if (counts(pattern)) add_need(call, on, needs);
  });
}

bool Dependencies::gives(const CollectiveInstance& instance, const CollectiveMember& member) const {
  return moves_no_data(class_of(instance.kind)) ||
         trace_.timeline(member.location).collectives()[member.part].sent > 0;
}

// Does MPI promise that somebody waits for somebody here? The others usually do, which only the times tell.
bool Dependencies::must_meet(const SyncPoints& sync, const CollectiveInstance& instance) const {
  const CallKind kind = class_of(instance.kind);
  if (is_by_peers(kind)) return true;
  if (!trace_.communicator(instance.comm).remote_members.empty()) return false;
  if (kind == CallKind::OneToAll) return gives(instance, sync.members_of(instance)[instance.root]);
  return kind == CallKind::Barrier || kind == CallKind::AllToAll || kind == CallKind::AllToOne ||
         kind == CallKind::ThreadBarrier;
}

// Who needs data of some only waits for those. False: who that is, is not known of everybody.
bool Dependencies::add_sources(const SyncPoints& sync, const CollectiveInstance& instance,
                               std::vector<Need>& needs) const {
  const auto members = sync.members_of(instance);
  std::vector<Need> found;
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    const auto sources = sources_of(trace_, instance, m, members[m]);
    if (!sources) return false;
    const OpRef waiting{members[m].location, completion_of(trace_, instance, members[m])};
    for (const PeerRun& run : sources->runs) {
      for (std::uint32_t i = sources->first + run.first; i <= sources->first + run.last; ++i)
        add_need(waiting, {members[i].location, operation_of(trace_, instance, members[i])}, found);
    }
  }
  needs.insert(needs.end(), found.begin(), found.end());
  return true;
}

// Patterns that neither messages nor the collectives above stand for: the one known culprit.
void Dependencies::add_waits(const WaitStates& states, std::vector<Need>& needs) {
  for (const WaitState& wait : states.waits) {
    const WaitPattern& found = pattern(wait.pattern);
    const bool covered = found.on_message != nullptr || waits_for_everybody(found.at) || is_rooted(found.at);
    if (!covered && counts(found)) add_need(wait.victim, wait.cause, needs);
  }
}

void Dependencies::sort_needs(const std::vector<std::vector<Need>>& blocks) {
  // One place further back than they belong: there they move to the end of the call's needs as these come in.
  first_need_.assign(calls() + 2, 0);
  for (const auto& needs : blocks) {
    for (const Need& need : needs) ++first_need_[need.call + 2];
  }
  std::partial_sum(first_need_.begin(), first_need_.end(), first_need_.begin());
  needs_.resize(first_need_.back());
  for (const auto& needs : blocks) {
    for (const Need& need : needs) needs_[first_need_[need.call + 1]++] = need.on;
  }
}

}  // namespace waitdiag
