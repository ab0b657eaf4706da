// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/slot_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/scaling/rank_laws/peer_sets.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Call, receive or send, tag, and its number among these.
using EndKey = std::tuple<std::uint32_t, bool, std::int32_t, std::uint32_t>;
// Call, and the number of the part within it.
using PartKey = std::pair<std::uint32_t, std::uint32_t>;

UsedComms no_comms(const Study& study) {
  return by_rank(study, each_run(study), kNoComm);
}

class RecordCollector {
 public:
  explicit RecordCollector(const Study& study) : study_(study) {}

  void add(std::size_t run, int rank) {
    run_ = run;
    rank_ = static_cast<std::size_t>(rank);
    const Timeline& timeline = study_.timeline(run, rank);
    add_ends(timeline.sends(), true);
    add_ends(timeline.receives(), false);
    std::map<std::uint32_t, std::uint32_t> nth;
    for (const CollectivePart& part : timeline.collectives())
      if (part.op != kNoOp) add_part(part, nth[part.op]++);
  }

  SlotRecords take() {
    SlotRecords records;
    for (auto& [key, one] : messages_) {
      mark_absent(one);
      records.messages.push_back(std::move(one));
    }
    for (auto& [key, one] : collectives_) {
      if (one.pairs.size() != one.instances.size()) one.pairs.clear();
      for (std::size_t i = 0; i < one.pairs.size(); ++i)
        if (one.pairs[i].empty()) one.pairs.clear();
      check_complete(one);
      records.collectives.push_back(std::move(one));
    }
    return records;
  }

 private:
  CallSequence::Made made(std::uint32_t op) const { return study_.sequence.made(run_, rank_, op); }
  // The instance of a call that was made in a turn; it must be completed in the same turn if the completing
  // call is in a loop as well.
  std::size_t instance(const CallSequence::Made& posted, const CallSequence::Made& completed) const {
    if (completed.place != kNoOp && study_.sequence.loop(completed.place) != nullptr &&
        posted.turn != completed.turn)
      refuse(posted.place, "completes a request of another turn of a loop");
    return study_.sequence.instance(posted.place, run_, posted.turn);
  }
  void use(UsedComms& comms, std::uint32_t call, CommId comm) const {
    CommId& used = comms[run_][rank_];
    if (used != kNoComm && used != comm) refuse(call, "uses another communicator in each turn of a loop");
    used = comm;
  }

  void mark_absent(MessageRecords& one) const {
    for (std::size_t i = 0; i < one.instances.size(); ++i)
      for (std::size_t rank = 0; rank < one.peers[i].size(); ++rank)
        if (study_.sequence.op(one.instances[i].run, rank, one.call, one.instances[i].turn.number) == kNoOp)
          one.peers[i][rank] = kNoCall;
  }

  void add_ends(const MessageColumn& ends, bool send) {
    std::map<std::tuple<std::uint32_t, std::int32_t>, std::uint32_t> nth;
    for (const MessageEnd& end : ends) {
      if (end.cancelled || end.posted == kNoOp) continue;
      const CallSequence::Made posted = made(end.posted), completion = made(end.completed);
      const std::uint32_t call = posted.place, completed = completion.place;
      const EndKey key{call, send, end.tag, nth[{end.posted, end.tag}]++};
      const auto [found, is_new] = messages_.try_emplace(key);
      MessageRecords& one = found->second;
      if (is_new) {
        one = {
            .call = call, .completed = completed, .send = send, .tag = end.tag, .any_source = end.any_source};
        one.instances = study_.sequence.instances(call, study_.runs.size());
        one.bytes = by_rank(study_, one.instances, kAbsent);
        one.peers = by_rank(study_, one.instances, -1);
        one.comms = no_comms(study_);
      }
      one.any_source = one.any_source && end.any_source;
      if (one.completed != completed) refuse(call, "completes a request at another call than others");
      const std::size_t at = instance(posted, completion);
      one.peers[at][rank_] = static_cast<int>(end.peer);
      one.bytes[at][rank_] = static_cast<double>(end.bytes);
      use(one.comms, call, end.comm);
    }
  }

  void add_part(const CollectivePart& part, std::uint32_t nth) {
    const CallSequence::Made posted = made(part.op), completion = made(part.completed);
    const std::uint32_t call = posted.place, completed = completion.place;
    const auto [found, is_new] = collectives_.try_emplace({call, nth});
    CollectiveRecords& one = found->second;
    if (is_new) {
      one = {.call = call, .completed = completed, .kind = part.kind};
      one.instances = study_.sequence.instances(call, study_.runs.size());
      one.sent = one.received = by_rank(study_, one.instances, kAbsent);
      one.root = by_rank(study_, one.instances, kNoRank);
      one.comms = by_rank(study_, one.instances, kNoComm);
    }
    if (one.completed != completed || one.kind != part.kind)
      refuse(call, "takes part in another collective operation than others, or completes it elsewhere");
    const std::size_t at = instance(posted, completion);
    one.root[at][rank_] = part.root;
    one.sent[at][rank_] = static_cast<double>(part.sent);
    one.received[at][rank_] = static_cast<double>(part.received);
    one.comms[at][rank_] = part.comm;
    if (part.kind == CollectiveKind::Neighbourhood) {
      add_neighbours(part, at, one);
    } else if (part.peers != kNoPeerList) {
      add_pairs(part, at, one);
    }
  }

  void add_neighbours(const CollectivePart& part, std::size_t at, CollectiveRecords& one) const {
    if (part.peers == kNoPeerList)
      throw TraceError(study_.sequence.names[one.call] +
                       " cannot be rescaled: the archive does not tell whose neighbours it is about");
    if (one.to.empty()) one.to = one.from = by_rank(study_, one.instances, std::map<int, double>());
    const Trace& trace = *study_.runs[run_].trace;
    const std::vector<Rank>& members = trace.communicator(part.comm).members;
    const PeerList& peers = trace.peer_lists()[index(part.peers)];
    const auto add = [&](const std::vector<PeerRun>& runs, std::map<int, double>& blocks) {
      for (const PeerRun& run : runs)
        for (std::uint32_t peer = run.first; peer <= run.last && peer < members.size(); ++peer)
          blocks[static_cast<int>(members[peer])] += static_cast<double>(run.bytes);
    };
    add(peers.sent, one.to[at][rank_]);
    add(peers.received, one.from[at][rank_]);
  }

  // Adds what this rank sends; what it receives is added from the senders.
  void add_pairs(const CollectivePart& part, std::size_t at, CollectiveRecords& one) {
    const Trace& trace = *study_.runs[run_].trace;
    const std::size_t members = trace.communicator(part.comm).members.size();
    if (members != trace.ranks()) return;
    one.pairs.resize(std::max(one.pairs.size(), at + 1));
    auto& matrix = one.pairs[at];
    matrix.resize(members, std::vector<double>(members, 0));
    for (const PeerRun& peers : trace.peer_lists()[index(part.peers)].sent)
      for (std::uint32_t to = peers.first; to <= peers.last && to < members; ++to)
        matrix[rank_][to] = static_cast<double>(peers.bytes);
  }

  // An operation that only some ranks recorded is incomplete.
  void check_complete(const CollectiveRecords& one) const {
    for (std::size_t i = 0; i < one.comms.size(); ++i) {
      const auto& [run, turn] = one.instances[i];
      for (std::size_t rank = 0; rank < one.comms[i].size(); ++rank)
        if (one.comms[i][rank] == kNoComm && study_.sequence.op(run, rank, one.call, turn.number) != kNoOp)
          throw TraceError(
              fmt::format("the runs do not align: rank {} of {} takes no part in {} (call {}), others do",
                          rank, study_.runs[run].name, study_.sequence.names[one.call], one.call + 1));
    }
  }

  [[noreturn]] void refuse(std::uint32_t call, const char* what) const {
    throw TraceError(fmt::format("the runs do not align: rank {} of {} {} at {} (call {})", rank_,
                                 study_.runs[run_].name, what, study_.sequence.names[call], call + 1));
  }

  const Study& study_;
  std::size_t run_ = 0, rank_ = 0;
  std::map<EndKey, MessageRecords> messages_;
  std::map<PartKey, CollectiveRecords> collectives_;
};

}  // namespace

namespace {

struct PostedEnd {
  int peer = -1;
  double bytes = 0;
};

// Of one rank in one instance of the call.
std::vector<PostedEnd> posted_ends(const std::vector<MessageRecords>& several, std::size_t instance,
                                   std::size_t rank) {
  std::vector<PostedEnd> ends;
  for (const MessageRecords& one : several)
    if (one.peers[instance][rank] >= 0)
      ends.push_back({one.peers[instance][rank], one.bytes[instance][rank]});
  return ends;
}

// Where among the messages of the call, on average, is the one with the partner that the law gives? 0 to 1.
double usual_place(const Study& study, const MessageRecords& call, const RankGroups& groups,
                   const PeerLaw& law) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t rank = 0; rank < groups[i].size(); ++rank) {
      const auto peer = recorded_peer(study, law, call.instances[i], static_cast<int>(rank));
      const auto found = peer ? std::ranges::find(groups[i][rank], *peer) : groups[i][rank].end();
      if (found == groups[i][rank].end()) continue;
      sum += (static_cast<double>(found - groups[i][rank].begin()) + 0.5) /
             static_cast<double>(groups[i][rank].size());
      ++count;
    }
  }
  return count > 0 ? sum / count : 1;
}

}  // namespace

std::vector<MessageRecords> sort_by_partner(const Study& study, const std::vector<MessageRecords>& several) {
  const MessageRecords& first = several.front();
  const std::string& name = study.sequence.names[first.call];
  RankGroups groups = by_rank(study, first.instances, std::vector<int>());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t rank = 0; rank < groups[i].size(); ++rank)
      if (first.peers[i][rank] == kNoCall) {
        groups[i][rank] = {kNoCall};
      } else {
        for (const PostedEnd& end : posted_ends(several, i, rank)) groups[i][rank].push_back(end.peer);
      }
  std::vector<PeerLaw> laws = find_peer_set(study, first.instances, groups, name);
  std::ranges::stable_sort(laws, {},
                           [&](const PeerLaw& law) { return usual_place(study, first, groups, law); });
  std::vector<MessageRecords> sorted(laws.size(), first);
  for (MessageRecords& one : sorted) {
    one.bytes = by_rank(study, one.instances, kAbsent);
    for (auto& peers : one.peers)
      for (int& peer : peers) peer = std::min(peer, -1);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t rank = 0; rank < groups[i].size(); ++rank) {
      std::vector<PostedEnd> ends = posted_ends(several, i, rank);
      for (std::size_t law = 0; law < laws.size(); ++law) {
        const auto peer = recorded_peer(study, laws[law], first.instances[i], static_cast<int>(rank));
        const auto found = peer ? std::ranges::find(ends, *peer, &PostedEnd::peer) : ends.end();
        if (found == ends.end()) continue;
        sorted[law].peers[i][rank] = found->peer;
        sorted[law].bytes[i][rank] = found->bytes;
        ends.erase(found);
      }
      if (!ends.empty())
        throw TraceError(
            fmt::format("{} posts more messages to rank {} than any rule gives", name, ends.front().peer));
    }
  }
  for (const MessageRecords& one : several)
    for (std::size_t run = 0; run < one.comms.size(); ++run)
      for (std::size_t rank = 0; rank < one.comms[run].size(); ++rank)
        if (one.comms[run][rank] != kNoComm)
          for (MessageRecords& result : sorted) result.comms[run][rank] = one.comms[run][rank];
  return sorted;
}

SlotRecords collect_records(const Study& study) {
  RecordCollector collector(study);
  for (std::size_t run = 0; run < study.runs.size(); ++run)
    for (int rank = 0; rank < study.sizes[run].ranks; ++rank) collector.add(run, rank);
  return collector.take();
}

}  // namespace waitdiag
