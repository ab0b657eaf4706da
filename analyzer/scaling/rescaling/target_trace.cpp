// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/target_trace.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace waitdiag {
namespace {

// Where the slots of each call begin.
template <typename SlotList>
std::vector<std::size_t> first_by_call(const SlotList& slots, std::size_t calls) {
  std::vector<std::size_t> first(calls + 1, slots.size());
  for (std::size_t i = slots.size(); i-- > 0;) first[slots[i].call] = i;
  for (std::size_t call = calls; call-- > 0;) first[call] = std::min(first[call], first[call + 1]);
  return first;
}

std::vector<std::uint32_t> kept_calls(const CallSequence& sequence, std::uint32_t iterations) {
  std::vector<bool> kept(sequence.names.size(), true);
  if (iterations > 0)
    for (const CallLoop& loop : sequence.loops)
      for (std::uint32_t i = iterations * loop.length; i < loop.count * loop.length; ++i)
        kept[loop.first + i] = false;
  std::vector<std::uint32_t> calls;
  for (std::uint32_t call = 0; call < kept.size(); ++call)
    if (kept[call]) calls.push_back(call);
  return calls;
}

std::vector<PeerRun> runs_of(int ranks, const std::function<double(int)>& bytes) {
  std::vector<PeerRun> runs;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto amount = static_cast<std::uint64_t>(bytes(rank) + 0.5);
    if (!runs.empty() && runs.back().bytes == amount) {
      runs.back().last = static_cast<std::uint32_t>(rank);
    } else {
      runs.push_back({static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(rank), amount});
    }
  }
  return runs;
}

std::uint64_t total(const std::vector<PeerRun>& runs) {
  std::uint64_t bytes = 0;
  for (const PeerRun& run : runs) bytes += run.bytes * (run.last - run.first + 1);
  return bytes;
}

}  // namespace

TargetTrace::TargetTrace(const Study& study, const Roles& roles, const Slots& slots, Computation& computation,
                         std::uint32_t iterations)
    : study_(study),
      roles_(roles),
      slots_(slots),
      computation_(computation),
      peers_(study),
      calls_(kept_calls(study.sequence, iterations)),
      first_message_(first_by_call(slots.messages, study.sequence.names.size())),
      first_part_(first_by_call(slots.collectives, study.sequence.names.size())),
      first_one_sided_(first_by_call(slots.one_sided, study.sequence.names.size())) {}

Trace TargetTrace::build() {
  const Trace& largest = study_.largest();
  builder_.facts().program = largest.facts().program;
  builder_.facts().mpi = largest.facts().mpi;
  builder_.facts().creator = "waitdiag predict";
  define_communicators();
  for (int rank = 0; rank < study_.target.ranks; ++rank) add_rank(rank);
  return builder_.build();
}

void TargetTrace::define_communicators() {
  const auto ranks = static_cast<std::size_t>(study_.target.ranks);
  Communicator world{.name = "MPI_COMM_WORLD"};
  for (std::size_t rank = 0; rank < ranks; ++rank) world.members.push_back(Rank(rank));
  comms_.resize(roles_.size());
  for (std::size_t role = 0; role < roles_.size(); ++role)
    if (roles_.name(role) == world.name) world.first_uses = roles_.first_uses(role);
  const CommId all = world_ = builder_.communicator(world);
  for (const std::size_t role : roles_.in_order_of_making()) {
    Comms& comms = comms_[role];
    comms = {.of_rank = std::vector<CommId>(ranks, kNoComm), .members = roles_.members(role)};
    comms.which.resize(ranks);
    const bool is_world = roles_.name(role) == world.name, self = roles_.self(role);
    const auto parent = roles_.parent(role);
    const std::vector<FirstUse> first_uses = roles_.first_uses(role);
    CommId id = all;
    for (std::size_t i = 0; i < comms.members.size(); ++i) {
      if (!is_world && !(self && i > 0)) {
        const std::size_t lowest = index(comms.members[i].front());
        const CommId of_parent = parent ? comms_[*parent].of_rank[lowest] : all;
        id = builder_.communicator({.name = roles_.name(role),
                                    .members = self ? std::vector<Rank>() : comms.members[i],
                                    .parent = self ? kNoComm : of_parent,
                                    .self = self,
                                    .first_uses = first_uses});
      }
      for (const Rank member : comms.members[i]) {
        comms.of_rank[index(member)] = id;
        comms.which[index(member)] = i;
      }
    }
  }
}

CallPathId TargetTrace::copied(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return kNoCallPath;
  const auto known = paths_.find({&trace, path});
  if (known != paths_.end()) return known->second;
  const CallPathNode& node = trace.call_paths()[index(path)];
  const Region& region = trace.region(path);
  const auto [found, is_new] = regions_.try_emplace({region.name, region.file, region.line}, kNoRegion);
  if (is_new) found->second = builder_.region(region);
  const CallPathId copy = builder_.call_path(copied(trace, node.parent), found->second, node.line);
  paths_.emplace(std::pair(&trace, path), copy);
  return copy;
}

RegionId TargetTrace::enter(const Trace& trace, CallPathId path) {
  copied(trace, path);
  const Region& region = trace.region(path);
  const RegionId id = regions_.at({region.name, region.file, region.line});
  builder_.enter(location_, now_, id, copied(trace, trace.call_paths()[index(path)].parent));
  return id;
}

void TargetTrace::add_rank(int rank) {
  location_ = builder_.location({.rank = Rank(rank), .name = "predicted"});
  now_ = Time{};
  builder_.seen(location_, now_);
  const std::size_t last = study_.runs.size() - 1;
  const std::uint32_t dealing =
      dealt_ == nullptr ? kNoOp : study_.sequence.call(last, static_cast<std::size_t>(0), dealt_->how.before);
  for (const std::uint32_t call : calls_) {
    if (call == dealing) add_dealt(rank);
    const Presence& presence = slots_.presence[call];
    if (presence && !(*presence)[static_cast<std::size_t>(rank)]) continue;
    add_gap(call, rank);
    add_call(call, rank);
  }
  if (dealing == study_.sequence.size()) add_dealt(rank);
  add_gap(static_cast<std::uint32_t>(study_.sequence.names.size()), rank);
  pending_.clear();
  builder_.finish(location_);
}

void TargetTrace::insert(const DealtRun& like, std::vector<std::vector<DealtCall>> calls) {
  dealt_ = &like;
  dealt_calls_ = std::move(calls);
}

void TargetTrace::add_computation(CallPathId path, double ns) {
  if (ns < 0.5) return;
  const Duration time(std::llround(ns));
  if (path == kNoCallPath) {
    builder_.seen(location_, now_ += time);
    return;
  }
  const RegionId id = enter(study_.largest(), path);
  builder_.leave(location_, now_ += time, id);
}

void TargetTrace::add_dealt(int rank) {
  const bool is_master = dealt_->how.place.among(study_.target.ranks) == rank;
  for (const DealtCall& call : dealt_calls_[static_cast<std::size_t>(rank)]) {
    add_computation(call.lead   ? dealt_->lead
                    : is_master ? dealt_->master_computes
                                : dealt_->computed,
                    call.computed_ns);
    const CallPathId path = call.sends  ? is_master ? dealt_->master_sends : dealt_->worker_sends
                            : is_master ? dealt_->master_receives
                                        : dealt_->worker_receives;
    const RegionId id = enter(study_.largest(), path);
    if (call.sends) {
      builder_.send(location_, now_, Rank(call.peer), world_, call.message.tag, call.message.bytes);
    } else {
      builder_.recv(location_, now_, Rank(call.peer), world_, call.message.tag, call.message.bytes);
    }
    builder_.leave(location_, now_, id);
  }
}

// A step begins after the same share of the gap as in the recorded run.
void TargetTrace::add_marks(const Timeline& like, std::uint32_t op,
                            const std::vector<Computation::Piece>& pieces) {
  Duration length{};
  for (const Computation::Piece& piece : pieces) length += piece.time;
  const GapPart gap = like.whole_gap(op);
  for (const StepMark& mark : like.step_marks()) {
    if (mark.op != op) continue;
    GapPart rest = gap;
    const Duration before = Timeline::cut_off(rest, mark).length();
    const double share = before == Duration::zero() ? 0 : seconds(before) / seconds(gap.length());
    builder_.step(location_, now_ + Duration(std::llround(share * static_cast<double>(length.count()))));
  }
}

void TargetTrace::add_gap(std::uint32_t call, int rank) {
  const std::size_t last = study_.runs.size() - 1;
  const int other = counterpart(study_, rank);
  const Timeline& like = study_.timeline(last, other);
  const std::uint32_t op = study_.sequence.op(last, static_cast<std::size_t>(other), call);
  const std::vector<Computation::Piece> pieces = computation_.gap(call, rank);
  if (op != kNoOp) add_marks(like, op, pieces);
  for (const Computation::Piece& piece : pieces) {
    if (piece.path == 0) {
      for (std::size_t i = 0; op != kNoOp && i < like.samples(op).size(); ++i) {
        const ComputationSample& sample = like.samples(op)[i];
        builder_.sample(location_, now_, copied(study_.largest(), sample.call_path), sample.weight);
      }
      now_ += piece.time;
      continue;
    }
    const auto [trace, source] = computation_.paths().place(piece.path);
    const RegionId id = enter(*trace, source);
    if (piece.visits != 1) builder_.visits(location_, piece.visits);
    builder_.leave(location_, now_ += piece.time, id);
  }
  builder_.seen(location_, now_);
}

void TargetTrace::add_call(std::uint32_t call, int rank) {
  const auto [trace, source] = study_.path_of(call);
  const RegionId id = enter(*trace, source);
  begin_messages(call, rank);
  begin_collectives(call, rank);
  do_one_sided(call, rank);
  now_ += computation_.length(call, rank);
  end_requests(call);
  builder_.leave(location_, now_, id);
}

void TargetTrace::begin_messages(std::uint32_t call, int rank) {
  for (std::size_t i = first_message_[call]; i < first_message_[call + 1]; ++i) {
    const MessageSlot& slot = slots_.messages[i];
    const double bytes = slot.bytes->at(rank, rank == 0, slot.turn);
    if (slot.drawn) {
      for (const DrawnPartner& one : slot.drawn->of_rank[static_cast<std::size_t>(rank)])
        begin_message(i, rank, {one.rank, static_cast<std::uint64_t>(std::llround(bytes * one.ratio))});
    } else if (const auto peer = peers_.in_target(slot.peer, rank, slot.turn)) {
      begin_message(i, rank, {*peer, static_cast<std::uint64_t>(bytes)});
    }
  }
}

void TargetTrace::begin_message(std::size_t which, int rank, const Partner& partner) {
  const MessageSlot& slot = slots_.messages[which];
  const auto& [peer, bytes] = partner;
  const std::uint64_t request = next_request_++;
  const bool blocking = slot.completed == slot.call;
  const CommId comm = comms_[slot.role].of_rank[static_cast<std::size_t>(rank)];
  if (slot.send && blocking) {
    builder_.send(location_, now_, Rank(peer), comm, slot.tag, bytes);
    return;
  }
  if (slot.send) builder_.isend(location_, now_, Rank(peer), comm, slot.tag, bytes, request);
  if (!slot.send && !blocking) builder_.irecv_request(location_, now_, request, slot.any_source);
  if (slot.completed != kNoOp) pending_[slot.completed].push_back({false, which, request, rank, partner});
}

void TargetTrace::begin_collectives(std::uint32_t call, int rank) {
  for (std::size_t i = first_part_[call]; i < first_part_[call + 1]; ++i) {
    const CollectiveSlot& slot = slots_.collectives[i];
    const std::uint64_t request = next_request_++;
    if (slot.completed == slot.call) {
      builder_.collective_begin(location_, now_);
    } else {
      builder_.collective_request(location_, now_, request);
    }
    if (slot.completed != kNoOp) pending_[slot.completed].push_back({true, i, request, rank, {}});
  }
}

PeerListId TargetTrace::group_of(const OneSidedSlot& slot, int rank) {
  PeerList group;
  for (const PeerLaw& law : slot.group)
    if (const auto peer = peers_.in_target(law, rank, slot.turn))
      group.sent.push_back({static_cast<std::uint32_t>(*peer), static_cast<std::uint32_t>(*peer), 0});
  std::ranges::sort(group.sent, {}, &PeerRun::first);
  group.sent.erase(std::unique(group.sent.begin(), group.sent.end()), group.sent.end());
  return builder_.peer_list(std::move(group));
}

void TargetTrace::do_one_sided(std::uint32_t call, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  for (std::size_t i = first_one_sided_[call]; i < first_one_sided_[call + 1]; ++i) {
    const OneSidedSlot& slot = slots_.one_sided[i];
    const auto target = slot.target ? peers_.in_target(*slot.target, rank, slot.turn) : std::nullopt;
    if (slot.target && !target) continue;
    RmaRecord record{.time = now_,
                     .bytes = static_cast<std::uint64_t>(slot.bytes->at(rank, rank == 0, slot.turn)),
                     .returned = static_cast<std::uint64_t>(slot.returned->at(rank, rank == 0, slot.turn)),
                     .number = slot.numbers[static_cast<std::size_t>(counterpart(study_, rank))],
                     .window = comms_[slot.role].of_rank[at],
                     .target = target ? Rank(*target) : kNoRank,
                     .what = slot.what,
                     .exclusive = slot.exclusive};
    if (!slot.group.empty()) record.group = group_of(slot, rank);
    builder_.rma(location_, record);
  }
}

void TargetTrace::end_requests(std::uint32_t call) {
  const auto found = pending_.find(call);
  if (found == pending_.end()) return;
  for (const Pending& one : found->second) {
    if (one.collective) {
      end_collective(slots_.collectives[one.slot], one.request, one.rank);
    } else {
      end_message(slots_.messages[one.slot], one.request, one.rank, one.partner);
    }
  }
  pending_.erase(found);
}

void TargetTrace::end_message(const MessageSlot& slot, std::uint64_t request, int rank,
                              const Partner& partner) {
  if (slot.send) {
    builder_.isend_complete(location_, now_, request);
    return;
  }
  const auto& [peer, bytes] = partner;
  const CommId comm = comms_[slot.role].of_rank[static_cast<std::size_t>(rank)];
  if (slot.completed == slot.call) {
    builder_.recv(location_, now_, Rank(peer), comm, slot.tag, bytes, slot.any_source);
  } else {
    builder_.irecv(location_, now_, Rank(peer), comm, slot.tag, bytes, request);
  }
}

Rank TargetTrace::root_of(const CollectiveSlot& slot, int rank) const {
  const Comms& comms = comms_[slot.role];
  return slot.root_among(comms.members[comms.which[static_cast<std::size_t>(rank)]]);
}

PeerList TargetTrace::pairs_of(const CollectiveSlot& slot, int rank) const {
  const int ranks = study_.target.ranks;
  return {.sent = runs_of(ranks, [&](int to) { return slot.pairs->at(rank, to, slot.turn); }),
          .received = runs_of(ranks, [&](int from) { return slot.pairs->at(from, rank, slot.turn); })};
}

PeerList TargetTrace::neighbours_of(const CollectiveSlot& slot, int rank) const {
  const Comms& comms = comms_[slot.role];
  const std::vector<Rank>& members = comms.members[comms.which[static_cast<std::size_t>(rank)]];
  const auto blocks = [&](const std::vector<NeighbourLaw>& laws) {
    std::map<std::uint32_t, std::uint64_t> bytes;
    for (const NeighbourLaw& law : laws) {
      const auto peer = peers_.in_target(law.peer, rank, slot.turn);
      const auto found = peer ? std::ranges::find(members, Rank(*peer)) : members.end();
      if (found == members.end()) continue;
      bytes[static_cast<std::uint32_t>(found - members.begin())] +=
          static_cast<std::uint64_t>(law.bytes->at(rank, rank == 0, slot.turn));
    }
    std::vector<PeerRun> runs;
    for (const auto& [peer, amount] : bytes) runs.push_back({peer, peer, amount});
    return runs;
  };
  return {.sent = blocks(slot.to), .received = blocks(slot.from)};
}

void TargetTrace::end_collective(const CollectiveSlot& slot, std::uint64_t request, int rank) {
  const Rank root = root_of(slot, rank);
  const bool apart = root == kNoRank ? rank == 0 : root == Rank(rank);
  CollectivePart part{.sent = static_cast<std::uint64_t>(slot.sent->at(rank, apart, slot.turn)),
                      .received = static_cast<std::uint64_t>(slot.received->at(rank, apart, slot.turn)),
                      .comm = comms_[slot.role].of_rank[static_cast<std::size_t>(rank)],
                      .root = root,
                      .kind = slot.kind};
  if (slot.pairs) {
    PeerList pairs = pairs_of(slot, rank);
    part.sent = total(pairs.sent);
    part.received = total(pairs.received);
    part.peers = builder_.peer_list(std::move(pairs));
  }
  if (!slot.to.empty() || !slot.from.empty()) {
    PeerList neighbours = neighbours_of(slot, rank);
    part.sent = total(neighbours.sent);
    part.received = total(neighbours.received);
    part.peers = builder_.peer_list(std::move(neighbours));
  }
  if (slot.completed == slot.call) {
    builder_.collective_end(location_, now_, part.kind, part.comm, part.root, part.sent, part.received,
                            part.peers);
  } else {
    builder_.collective_complete(location_, now_, part, request);
  }
}

}  // namespace waitdiag
