// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/slots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "analyzer/scaling/program_laws/matching.hpp"
#include "analyzer/scaling/program_laws/message_partners.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Laws of sizes, found once for all calls with the same figures.
class SizeLaws {
 public:
  SizeLaws(const Study& study, const Roles& roles, const std::vector<std::size_t>& used)
      : study_(study), roles_(roles), factors_(make_factors(study, used)) {}
  // `role`: that of the communicator, whose number of members may be a factor.
  std::shared_ptr<const SizeLaw> of(const RecordedSizes& sizes, std::size_t role) {
    auto& law = known_[{sizes.bytes, sizes.apart, role}];
    if (law) return law;
    law = std::make_shared<const SizeLaw>(study_, factors(role), sizes);
    if (law->exact()) return law;
    if (extents_.empty()) extents_ = make_extent_factors(study_);
    const auto other = std::make_shared<const SizeLaw>(study_, extents_, sizes);
    if (other->exact()) law = other;
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
  std::vector<Factor> factors_, extents_;
  std::map<std::size_t, std::vector<Factor>> of_role_;
  std::map<std::tuple<RankFigures, RanksApart, std::size_t>, std::shared_ptr<const SizeLaw>> known_;
};

// A halo's message is a face of a block of cells. Where runs are too similar to tell a face from a constant,
// only small sizes are assumed to be constant.
class HaloSizes {
 public:
  explicit HaloSizes(const Study& study) : study_(study) {}
  // nullptr: it is not the size of a face.
  std::shared_ptr<const SizeLaw> of(const PeerLaw& peer, const RecordedSizes& sizes) {
    if (peer.kind != PeerLaw::Kind::Shift) return nullptr;
    auto& law = known_[{peer.grid, peer.offset, sizes.bytes}];
    if (law) return law->exact() ? law : nullptr;
    law = std::make_shared<const SizeLaw>(study_, make_face_factors(study_, peer.grid, peer.offset), sizes);
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

RanksApart roots_of(const Study& study, const CollectiveRecords& one) {
  RanksApart roots = rank_0_apart(study, one.instances);
  for (std::size_t i = 0; i < roots.size(); ++i)
    for (std::size_t rank = 0; rank < roots[i].size(); ++rank)
      roots[i][rank] = one.root[i][rank] == Rank(rank);
  return roots;
}

std::vector<Presence> presence_of(const Study& study, const std::vector<MessageSlot>& messages,
                                  const std::vector<OneSidedSlot>& one_sided) {
  PresenceLaws laws(study);
  std::map<std::uint32_t, std::vector<PeerLaw>> by_place;
  for (const MessageSlot& slot : messages) {
    if (study.sequence.place(slot.call) != slot.call) continue;
    if (slot.drawn) {
      laws.add_drawn(slot.call, *slot.drawn);
    } else {
      by_place[slot.call].push_back(slot.peer);
    }
  }
  for (const OneSidedSlot& slot : one_sided)
    if (slot.target && study.sequence.place(slot.call) == slot.call)
      by_place[slot.call].push_back(*slot.target);
  std::map<std::string, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t call = 0; call < study.sequence.size() && !study.sequence.ops.empty(); ++call)
    if (study.sequence.loop(call) == nullptr) by_name[study.sequence.names[call]].push_back(call);
  for (const auto& [name, calls] : by_name) laws.add_series(calls);
  std::vector<Presence> presence;
  for (std::uint32_t call = 0; call < study.sequence.size(); ++call)
    presence.push_back(laws.find(call, by_place[study.sequence.place(call)]));
  return presence;
}

// Is it the same in all turns of the loop that contains its call?
template <typename Slot>
void add_turns(const CallSequence& sequence, const Slot& slot, std::vector<Slot>& slots) {
  const GrowingLoop* const loop = sequence.loop(slot.call);
  for (int turn = 0; turn < (loop == nullptr ? 1 : loop->in_target); ++turn) {
    Slot& one = slots.emplace_back(slot);
    if (loop == nullptr) return;
    const std::uint32_t later = static_cast<std::uint32_t>(turn) * loop->length;
    if constexpr (requires { one.completed; })
      if (one.completed != kNoOp && sequence.loop(one.completed) != nullptr) one.completed += later;
    one.call += later;
    one.turn = {turn, loop->in_target};
  }
}

class SlotFinder {
 public:
  SlotFinder(const Study& study, Roles& roles) : study_(study), roles_(roles), peers_(study) {}

  Slots run() {
    SlotRecords records = collect_records(study_);
    MessagePartners partners = find_partners(study_, roles_, peers_, std::move(records.messages));
    std::vector<MessageSlot>& messages = partners.slots;
    slots_.used_grids = peers_.used_grids();
    std::vector<RoleOfTurns> collective_roles;
    for (const CollectiveRecords& one : records.collectives)
      collective_roles.push_back(roles_.role_of(one.call, one.instances, one.comms));
    const std::vector<RootLaw> roots = find_roots(study_, records.collectives, collective_roles);
    SizeLaws sizes(study_, roles_, slots_.used_grids);
    HaloSizes halos(study_);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const MessageRecords& one = partners.records[i];
      messages[i].bytes =
          bytes_of(messages[i].peer, {one.instances, one.bytes, rank_0_apart(study_, one.instances)},
                   messages[i].role, sizes, halos);
      add_turns(study_.sequence, messages[i], slots_.messages);
    }
    for (std::size_t i = 0; i < records.collectives.size(); ++i)
      add_collective(records.collectives[i], collective_roles[i], roots[i], sizes, halos);
    add_one_sided(sizes);
    for (const MessageSlot& slot : slots_.messages)
      if (slot.drawn && slot.send)
        for (const std::vector<DrawnPartner>& partners : slot.drawn->of_rank) slots_.drawn += partners.size();
    roles_.add_constructed();
    slots_.used_grids = used_grids();
    std::ranges::stable_sort(slots_.messages, {}, &MessageSlot::call);
    std::ranges::stable_sort(slots_.collectives, {}, &CollectiveSlot::call);
    slots_.presence = presence_of(study_, slots_.messages, slots_.one_sided);
    check_matching(study_, slots_.messages, slots_.presence);
    return std::move(slots_);
  }

 private:
  // Grids along which ranks exchange messages, or form communicators.
  std::vector<std::size_t> used_grids() const {
    std::set<std::size_t> used = roles_.used_grids();
    for (const std::size_t grid : peers_.used_grids()) used.insert(grid);
    return {used.begin(), used.end()};
  }

  std::shared_ptr<const SizeLaw> bytes_of(const PeerLaw& peer, const RecordedSizes& recorded,
                                          std::size_t role, SizeLaws& sizes, HaloSizes& halos) {
    std::shared_ptr<const SizeLaw> law;
    if (!constant_and_small(recorded.bytes)) law = halos.of(peer, recorded);
    if (!law) law = sizes.of(recorded, role);
    slots_.inexact += law->exact() ? 0 : 1;
    return law;
  }
  void add_collective(const CollectiveRecords& one, const RoleOfTurns& of_turns, const RootLaw& root,
                      SizeLaws& sizes, HaloSizes& halos) {
    const std::string& name = study_.sequence.names[one.call];
    const std::size_t role = of_turns.first;
    CollectiveSlot slot{.call = one.call, .completed = one.completed, .kind = one.kind, .role = role};
    slot.root = root;
    const RanksApart apart =
        !slot.root.rooted() ? rank_0_apart(study_, one.instances) : roots_of(study_, one);
    slot.sent = sizes.of({one.instances, one.sent, apart}, slot.role);
    slot.received = sizes.of({one.instances, one.received, apart}, slot.role);
    if (!one.pairs.empty())
      slot.pairs = std::make_shared<const PairLaw>(
          study_, one, [&](const RecordedSizes& recorded) { return sizes.of(recorded, role); });
    const auto of_neighbours = [&](const PeerLaw& peer, const RecordedSizes& recorded) {
      return bytes_of(peer, recorded, role, sizes, halos);
    };
    if (!one.to.empty()) slot.to = find_neighbours(study_, one.instances, one.to, of_neighbours, name);
    if (!one.from.empty()) slot.from = find_neighbours(study_, one.instances, one.from, of_neighbours, name);
    const bool exact = slot.pairs ? slot.pairs->exact() : slot.sent->exact() && slot.received->exact();
    slots_.inexact += exact ? 0 : 1;
    const std::size_t before = slots_.collectives.size();
    add_turns(study_.sequence, slot, slots_.collectives);
    for (std::size_t i = before; of_turns.differ && i < slots_.collectives.size(); ++i)
      slots_.collectives[i].role += i - before;
  }

  void add_one_sided(SizeLaws& sizes) {
    const auto bytes = [&](const RecordedSizes& recorded, std::size_t role) {
      std::shared_ptr<const SizeLaw> law = sizes.of(recorded, role);
      slots_.inexact += law->exact() ? 0 : 1;
      return law;
    };
    for (const OneSidedSlot& slot : find_one_sided(study_, roles_, peers_, bytes))
      add_turns(study_.sequence, slot, slots_.one_sided);
    std::ranges::stable_sort(slots_.one_sided, {}, &OneSidedSlot::call);
  }

  const Study& study_;
  Roles& roles_;
  PeerLaws peers_;
  Slots slots_;
};

}  // namespace

Rank CollectiveSlot::root_among(const std::vector<Rank>& members) const {
  if (!root.rooted()) return kNoRank;
  return members[static_cast<std::size_t>(root.among(static_cast<int>(members.size()), turn.number))];
}

Slots find_slots(const Study& study, Roles& roles) {
  return SlotFinder(study, roles).run();
}

std::vector<std::uint32_t> keys_of(const CallSequence& sequence, const Slots& slots) {
  std::vector<std::string> texts = sequence.names;
  const auto pointer = [](const auto& law) { return static_cast<const void*>(law.get()); };
  for (const MessageSlot& slot : slots.messages)
    texts[slot.call] += fmt::format("|{} {} {} {} {} {} {} {} {}", slot.send, slot.tag, slot.role,
                                    slot.completed - slot.call, slot.peer.key(), pointer(slot.bytes),
                                    slot.turn.number, slot.turn.of, pointer(slot.drawn));
  for (const CollectiveSlot& slot : slots.collectives)
    texts[slot.call] += fmt::format(
        "|{} {} {} {} {} {} {} {} {}", static_cast<int>(slot.kind), slot.role, slot.completed - slot.call,
        slot.root.place, slot.root.parts, pointer(slot.sent), pointer(slot.received),
        slot.pairs ? static_cast<const void*>(slot.pairs->key()) : nullptr, slot.turn.number);
  for (const OneSidedSlot& slot : slots.one_sided)
    texts[slot.call] += fmt::format("|{} {} {} {} {} {} {}", static_cast<int>(slot.what), slot.role,
                                    slot.target ? slot.target->key() : "", slot.group.size(),
                                    pointer(slot.bytes), pointer(slot.returned), slot.turn.number);
  for (std::size_t call = 0; call < texts.size(); ++call)
    if (slots.presence[call]) texts[call] += fmt::format("|{}", pointer(slots.presence[call]));
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  for (const std::string& text : texts)
    keys.push_back(numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second);
  return keys;
}

}  // namespace waitdiag
