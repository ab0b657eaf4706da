// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/slots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "analyzer/scaling/rescaling/slot_records.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Laws of sizes, found once for all calls with the same figures.
class SizeLaws {
 public:
  SizeLaws(const Study& study, const Roles& roles, const std::vector<std::size_t>& used)
      : study_(study), roles_(roles), factors_(make_factors(study, used)) {}
  // `role`: of the communicator, whose members count.
  std::shared_ptr<const SizeLaw> of(const RankFigures& bytes, const RanksApart& apart, std::size_t role) {
    auto& law = known_[{bytes, apart, role}];
    if (!law) law = std::make_shared<const SizeLaw>(study_, factors(role), bytes, apart);
    return law;
  }

 private:
  const std::vector<Factor>& factors(std::size_t role) {
    const auto [found, is_new] = of_role_.try_emplace(role, factors_);
    if (!is_new) return found->second;
    const std::vector<double> members = roles_.sizes(role);
    const std::vector<std::vector<Rank>> target = members.empty() ? decltype(target)() : roles_.members(role);
    const bool alike = !target.empty() && std::ranges::all_of(target, [&](const auto& one) {
      return one.size() == target.front().size();
    });
    bool all_ranks = true;
    for (std::size_t run = 0; run < members.size(); ++run)
      all_ranks = all_ranks && members[run] == study_.sizes[run].ranks;
    if (alike && !all_ranks)
      std::ranges::move(make_member_factors(study_, members, static_cast<double>(target.front().size())),
                        std::back_inserter(found->second));
    return found->second;
  }

  const Study& study_;
  const Roles& roles_;
  std::vector<Factor> factors_;
  std::map<std::size_t, std::vector<Factor>> of_role_;
  std::map<std::tuple<RankFigures, RanksApart, std::size_t>, std::shared_ptr<const SizeLaw>> known_;
};

// A halo's message is a face of a block of cells. Where runs are too alike to tell a face from a constant,
// only a few bytes are taken for the latter.
class HaloSizes {
 public:
  explicit HaloSizes(const Study& study) : study_(study) {}
  // nullptr: it is not the size of a face.
  std::shared_ptr<const SizeLaw> of(const PeerLaw& peer, const RankFigures& bytes) {
    if (peer.kind != PeerLaw::Kind::Shift) return nullptr;
    auto& law = known_[{peer.grid, peer.offset, bytes}];
    if (law) return law->exact() ? law : nullptr;
    law = std::make_shared<const SizeLaw>(study_, make_face_factors(study_, peer.grid, peer.offset), bytes,
                                          rank_0_apart(study_));
    return law->exact() ? law : nullptr;
  }

 private:
  const Study& study_;
  std::map<std::tuple<std::size_t, std::vector<int>, RankFigures>, std::shared_ptr<const SizeLaw>> known_;
};

bool constant_and_small(const RankFigures& bytes) {
  constexpr double kFewBytes = 64;
  double first = kAbsent;
  for (const auto& run : bytes)
    for (const double one : run) {
      if (one == kAbsent) continue;
      if (one > kFewBytes || (first != kAbsent && one != first)) return false;
      first = one;
    }
  return true;
}

void check_collective(const CollectiveRecords& one, const std::string& name) {
  switch (one.kind) {
    case CollectiveKind::Neighbourhood:
    case CollectiveKind::Fence:
    case CollectiveKind::WinCreate:
    case CollectiveKind::WinFree:
      throw TraceError(name + " cannot be rescaled: neighbourhood and one-sided operations have no rule yet");
    default:
      return;
  }
}

// The root's place in its communicator, the same in all runs, or always the last.
int root_of(const Study& study, const CollectiveRecords& one, const std::string& name) {
  int constant = -1;
  bool same = true, last = true, any = false;
  for (std::size_t run = 0; run < one.root.size(); ++run)
    for (std::size_t rank = 0; rank < one.root[run].size(); ++rank) {
      if (one.root[run][rank] == kNoRank || one.comms[run][rank] == kNoComm) continue;
      const Communicator& comm = study.runs[run].trace->communicator(one.comms[run][rank]);
      const auto found = std::find(comm.members.begin(), comm.members.end(), one.root[run][rank]);
      const int place = comm.self ? 0 : static_cast<int>(found - comm.members.begin());
      same = same && (!any || place == constant);
      last = last && place + 1 == static_cast<int>(comm.members.size());
      constant = place;
      any = true;
    }
  constexpr int kLast = -2;
  if (!any) return -1;
  if (same) return constant;
  if (last) return kLast;
  throw TraceError("cannot tell the root of " + name + " with more ranks: it is another one in each run");
}

RanksApart roots_of(const Study& study, const CollectiveRecords& one) {
  RanksApart roots = rank_0_apart(study);
  for (std::size_t run = 0; run < roots.size(); ++run)
    for (std::size_t rank = 0; rank < roots[run].size(); ++rank)
      roots[run][rank] = one.root[run][rank] == Rank(rank);
  return roots;
}

std::shared_ptr<const PairLaw> pairs_of(const Study& study, const CollectiveRecords& one, SizeLaws& laws,
                                        std::size_t role) {
  if (one.pairs.empty()) return nullptr;
  RankFigures means = no_figures(study);
  double mean = 0;
  for (std::size_t run = 0; run < one.pairs.size(); ++run) {
    double sum = 0, count = 0;
    for (const auto& row : one.pairs[run])
      for (const double bytes : row) {
        sum += bytes;
        ++count;
      }
    mean = count > 0 ? sum / count : 0;
    std::fill(means[run].begin(), means[run].end(), mean);
  }
  auto law = std::make_shared<PairLaw>();
  law->mean = laws.of(means, rank_0_apart(study), role);
  law->ratio = one.pairs.back();
  for (auto& row : law->ratio)
    for (double& bytes : row) bytes = mean > 0 ? bytes / mean : 0;
  return law;
}

std::vector<Presence> presence_of(const Study& study, const std::vector<MessageSlot>& messages) {
  PresenceLaws laws(study);
  std::map<std::uint32_t, std::vector<PeerLaw>> by_call;
  for (const MessageSlot& slot : messages) by_call[slot.call].push_back(slot.peer);
  std::vector<Presence> presence;
  for (std::uint32_t call = 0; call < study.sequence.size(); ++call)
    presence.push_back(laws.find(call, by_call[call]));
  return presence;
}

}  // namespace

double PairLaw::at(int from, int to) const {
  const auto& row = ratio[static_cast<std::size_t>(from) % ratio.size()];
  return mean->at(0, true) * row[static_cast<std::size_t>(to) % row.size()];
}

Slots find_slots(const Study& study, Roles& roles) {
  const SlotRecords records = collect_records(study);
  PeerLaws peers(study);
  Slots slots;
  for (const MessageRecords& one : records.messages)
    slots.messages.push_back({.call = one.call,
                              .completed = one.completed,
                              .send = one.send,
                              .tag = one.tag,
                              .role = roles.role_of(one.comms),
                              .peer = peers.find(one.peers, study.sequence.names[one.call])});
  slots.used_grids = peers.used_grids();
  slots.presence = presence_of(study, slots.messages);
  std::vector<std::size_t> collective_roles;
  for (const CollectiveRecords& one : records.collectives)
    collective_roles.push_back(roles.role_of(one.comms));
  SizeLaws sizes(study, roles, slots.used_grids);
  HaloSizes halos(study);
  for (std::size_t i = 0; i < slots.messages.size(); ++i) {
    MessageSlot& slot = slots.messages[i];
    if (!constant_and_small(records.messages[i].bytes))
      slot.bytes = halos.of(slot.peer, records.messages[i].bytes);
    if (!slot.bytes) slot.bytes = sizes.of(records.messages[i].bytes, rank_0_apart(study), slot.role);
    slots.inexact += slot.bytes->exact() ? 0 : 1;
  }
  for (std::size_t i = 0; i < records.collectives.size(); ++i) {
    const CollectiveRecords& one = records.collectives[i];
    const std::string& name = study.sequence.names[one.call];
    check_collective(one, name);
    CollectiveSlot slot{
        .call = one.call, .completed = one.completed, .kind = one.kind, .role = collective_roles[i]};
    slot.root = root_of(study, one, name);
    const RanksApart apart = slot.root == -1 ? rank_0_apart(study) : roots_of(study, one);
    slot.sent = sizes.of(one.sent, apart, slot.role);
    slot.received = sizes.of(one.received, apart, slot.role);
    slot.pairs = pairs_of(study, one, sizes, slot.role);
    slots.inexact += !slot.pairs && slot.sent->exact() && slot.received->exact() ? 0 : 1;
    slots.collectives.push_back(std::move(slot));
  }
  return slots;
}

std::vector<std::uint32_t> keys_of(const CallSequence& sequence, const Slots& slots) {
  std::vector<std::string> texts = sequence.names;
  const auto pointer = [](const auto& law) { return static_cast<const void*>(law.get()); };
  for (const MessageSlot& slot : slots.messages)
    texts[slot.call] +=
        fmt::format("|{} {} {} {} {} {} {} {} {}", slot.send, slot.tag, slot.role, slot.completed - slot.call,
                    static_cast<int>(slot.peer.kind), slot.peer.grid, fmt::join(slot.peer.offset, ","),
                    slot.peer.number, pointer(slot.bytes));
  for (const CollectiveSlot& slot : slots.collectives)
    texts[slot.call] += fmt::format("|{} {} {} {} {} {} {}", static_cast<int>(slot.kind), slot.role,
                                    slot.completed - slot.call, slot.root, pointer(slot.sent),
                                    pointer(slot.received), slot.pairs ? pointer(slot.pairs->mean) : nullptr);
  for (std::size_t call = 0; call < texts.size(); ++call)
    if (slots.presence[call]) texts[call] += fmt::format("|{}", pointer(slots.presence[call]));
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  for (const std::string& text : texts)
    keys.push_back(numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second);
  return keys;
}

}  // namespace waitdiag
