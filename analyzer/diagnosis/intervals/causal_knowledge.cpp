// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace waitdiag {
namespace {

// Where the location is, or would be, among those sorted by location.
template <typename List>
auto find(List& list, std::uint32_t location) {
  return std::lower_bound(list.begin(), list.end(), location,
                          [](const auto& entry, std::uint32_t wanted) { return entry.location < wanted; });
}

}  // namespace

CausalKnowledge::CausalKnowledge(std::size_t locations, std::size_t most)
    : locations_(locations), most_(most), ground_(locations, 0), selves_(locations) {}

void CausalKnowledge::start(const std::vector<std::uint32_t>& ops) {
  std::transform(ops.begin(), ops.end(), ground_.begin(),
                 [](std::uint32_t op) { return op == kNoOp ? 0 : stamp(op); });
  for (Self& self : selves_) {
    self.some.clear();
    self.is_dense = self.forgot = false;
    self.carried = kNoOp;
  }
  free_.resize(carried_.size());
  std::iota(free_.begin(), free_.end(), Vector{0});
}

CausalKnowledge::Known CausalKnowledge::about(Location me, Location other) {
  const Self& self = selves_[index(me)];
  const auto place = static_cast<std::uint32_t>(index(other));
  Learned latest{place, 0, 0};
  if (self.is_dense) {
    latest = {place, self.known[place], self.learned[place]};
  } else if (const auto found = find(self.some, place);
             found != self.some.end() && found->location == place) {
    latest = *found;
  }
  if (latest.known == 0) {
    latest = {place, ground_[place], ground_[index(me)]};
    forgotten_ += self.forgot ? 1 : 0;
  }
  if (latest.known == 0) return {};
  return {static_cast<std::uint32_t>(latest.known - 1), static_cast<std::uint32_t>(latest.learned - 1)};
}

CausalKnowledge::Vector CausalKnowledge::blank() {
  if (free_.empty()) {
    free_.push_back(static_cast<Vector>(carried_.size()));
    carried_.emplace_back();
  }
  const Vector vector = free_.back();
  free_.pop_back();
  Carried& carried = carried_[vector];
  carried.some.clear();
  carried.is_dense = carried.was_learned = false;
  carried.entered.times.clear();
  carried.bounds.clear();
  carried.owners = 1;
  return vector;
}

CausalKnowledge::Vector CausalKnowledge::share(Location me) {
  Self& self = selves_[index(me)];
  if (self.carried == kNoOp) {
    self.carried = blank();
    Carried& carried = carried_[self.carried];
    if (self.is_dense) {
      carried.is_dense = true;
      carried.all = self.known;
      carried.bounds = self.bounds;
    } else {
      for (const Learned& learned : self.some) carried.some.push_back({learned.location, learned.known});
    }
  }
  ++carried_[self.carried].owners;
  return self.carried;
}

void CausalKnowledge::release(Vector vector) {
  if (--carried_[vector].owners == 0) free_.push_back(vector);
}

void CausalKnowledge::forget_shared(Self& self) {
  if (self.carried == kNoOp) return;
  release(self.carried);
  self.carried = kNoOp;
}

void CausalKnowledge::make_dense(Self& self) {
  self.is_dense = true;
  self.known.assign(locations_, 0);
  self.learned.assign(locations_, 0);
  self.bounds.assign((locations_ + kBlock - 1) / kBlock, kNone);
  for (const Learned& learned : self.some) {
    self.bounds[learned.location / kBlock] = kAnyTime;
    self.known[learned.location] = learned.known;
    self.learned[learned.location] = learned.learned;
  }
}

// The time before which half of it was learned; mostly nearly all was just now.
CausalKnowledge::Stamp CausalKnowledge::middle_of_learned(const std::vector<Learned>& some, Stamp now) {
  const std::size_t half = some.size() / 2;
  const auto others = std::ranges::count_if(some, [now](const Learned& one) { return one.learned != now; });
  if (static_cast<std::size_t>(others) < half) return now;
  std::vector<Stamp> learned;
  for (const Learned& one : some) learned.push_back(one.learned);
  const auto middle = learned.begin() + static_cast<std::ptrdiff_t>(half);
  std::ranges::nth_element(learned, middle);
  return *middle;
}

// Forgets half of it, so that this is seldom needed.
void CausalKnowledge::forget_oldest(Self& self, Stamp now) {
  const Stamp since = middle_of_learned(self.some, now);
  std::size_t kept = 0;  // also counts those learned at the same time
  std::erase_if(self.some, [&](const Learned& one) { return one.learned < since || ++kept > most_ / 2 + 1; });
  self.forgot = true;
}

void CausalKnowledge::note_few(Self& self, std::uint32_t other, Stamp theirs, Stamp mine) {
  const auto found = find(self.some, other);
  if (found == self.some.end() || found->location != other) {
    self.some.insert(found, {other, theirs, mine});
    keep_few(self, mine);
  } else if (theirs > found->known) {
    *found = {other, theirs, mine};
  } else {
    return;
  }
  forget_shared(self);
}

// The list of what is known must not grow too long.
void CausalKnowledge::keep_few(Self& self, Stamp now) {
  if (locations_ <= most_ && too_many(self.some.size())) make_dense(self);
  if (!self.is_dense && self.some.size() > most_) forget_oldest(self, now);
}

bool CausalKnowledge::is_new(const Self& self, const Entry& entry) const {
  const auto [other, theirs] = entry;
  if (theirs <= ground_[other]) return false;
  if (self.is_dense) return theirs > self.known[other];
  const auto known = find(self.some, other);
  return known == self.some.end() || known->location != other || theirs > known->known;
}

void CausalKnowledge::note(Self& self, std::uint32_t other, Stamp theirs, Stamp mine, const Bounds& entered) {
  if (theirs <= ground_[other]) return;
  if (!self.is_dense) return note_few(self, other, theirs, mine);
  if (theirs <= self.known[other]) return;
  forget_shared(self);
  self.known[other] = theirs;
  self.learned[other] = mine;
  self.bounds[other / kBlock].widen(entered);
}

// All that is newer, each location without a branch.
bool CausalKnowledge::learn_block(Self& self, Stamp mine, const Carried& carried, std::size_t block) {
  const std::size_t first = block * kBlock, count = std::min(kBlock, locations_ - first);
  Stamp* const known = self.known.data() + first;
  Stamp* const learned = self.learned.data() + first;
  const Stamp* const theirs = carried.all.data() + first;
  const Stamp* const ground = ground_.data() + first;
  Stamp any = 0, keeps = 0;  // something that it knew before
  for (std::size_t i = 0; i < count; ++i) {
    const Stamp mask = -static_cast<Stamp>(theirs[i] > std::max(ground[i], known[i]));
    keeps |= -static_cast<Stamp>(known[i] > theirs[i]);
    any |= mask;
    known[i] ^= (known[i] ^ theirs[i]) & mask;
    learned[i] ^= (learned[i] ^ mine) & mask;
  }
  Bounds bounds = carried.bounds[block];
  if (keeps != 0) bounds.widen(self.bounds[block]);
  self.bounds[block] = bounds;
  return any != 0;
}

// Puts what `me` may not know yet into new_entries_.
void CausalKnowledge::find_new_entries(Location me, Vector vector) {
  const Self& self = selves_[index(me)];
  const Carried& carried = carried_[vector];
  if (!carried.is_dense) {
    new_entries_ = carried.some;
    return;
  }
  for (std::uint32_t i = 0; i < locations_; ++i) {
    const Stamp known = self.is_dense ? self.known[i] : 0;
    if (carried.all[i] > known) new_entries_.push_back({i, carried.all[i]});
  }
}

void CausalKnowledge::learn(Location me, std::uint32_t mine, OpRef theirs, const Bounds& entered) {
  note(selves_[index(me)], static_cast<std::uint32_t>(index(theirs.location)), stamp(theirs.op), stamp(mine),
       entered);
}

// Without branches: who came later is as good as random.
void CausalKnowledge::learn_later(Location me, std::uint32_t mine, std::span<const Entry> entries,
                                  std::span<const Time> entered, Time after) {
  new_entries_.resize(entries.size());
  std::size_t count = 0;
  const Self& self = selves_[index(me)];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    new_entries_[count] = entries[i];
    const auto [other, theirs] = entries[i];
    const Stamp before = std::max(ground_[other], self.is_dense ? self.known[other] : 0);
    count += static_cast<std::size_t>(entered[i] > after) & static_cast<std::size_t>(theirs > before);
  }
  new_entries_.resize(count);
  learn_each(me, mine, new_entries_, [](std::size_t) { return true; });
}

void CausalKnowledge::keep_last(const Carried& carried, Entered& entered) const {
  std::vector<std::uint32_t> places(entered.times.size());
  std::iota(places.begin(), places.end(), 0);
  const auto rest = places.begin() + static_cast<std::ptrdiff_t>(kept_at_once());
  std::ranges::nth_element(places, rest, std::greater<>(), [&](std::uint32_t i) { return entered.times[i]; });
  entered.rest = entered.times[*rest];
  places.erase(rest, places.end());
  std::ranges::sort(places);
  std::vector<Time> times;
  for (const std::uint32_t i : places) {
    if (entered.times[i] == Time::min()) continue;
    entered.last.push_back(carried.is_dense ? Entry{i, carried.all[i]} : carried.some[i]);
    times.push_back(entered.times[i]);
  }
  entered.times.swap(times);
}

// Blocks in which nothing came later are left out: mostly nearly all.
void CausalKnowledge::learn_later(Location me, std::uint32_t mine, Vector vector, const Entered& entered,
                                  Time after) {
  Self& self = selves_[index(me)];
  if (self.carried == vector) return;
  const std::vector<Time>& times = entered.times;
  if (!entered.last.empty()) {
    self.forgot |= entered.rest > after;
    return learn_later(me, mine, entered.last, times, after);
  }
  const Carried& carried = carried_[vector];
  new_entries_.clear();
  std::uint32_t any = 0;
  for (std::size_t block = 0; block < entered.latest.size(); ++block) {
    if (entered.latest[block] <= after) continue;
    const std::size_t last = std::min((block + 1) * kBlock, times.size());
    for (std::size_t i = block * kBlock; i < last; ++i) {
      if (!carried.is_dense || !self.is_dense) {
        if (times[i] > after)
          new_entries_.push_back(carried.is_dense ? Entry{static_cast<std::uint32_t>(i), carried.all[i]}
                                                  : carried.some[i]);
        continue;
      }
      // Without branches: who came later is as good as random.
      const std::uint32_t learns = static_cast<std::uint32_t>(times[i] > after) &
                                   static_cast<std::uint32_t>(carried.all[i] > self.known[i]);
      const Stamp mask = -static_cast<Stamp>(learns);
      self.known[i] ^= (self.known[i] ^ carried.all[i]) & mask;
      self.learned[i] ^= (self.learned[i] ^ stamp(mine)) & mask;
      any |= learns;
    }
    if (self.is_dense && carried.is_dense) self.bounds[block].widen({after, entered.latest[block]});
  }
  if (any != 0) forget_shared(self);
  learn_each(me, mine, new_entries_, [](std::size_t) { return true; });
}

void CausalKnowledge::make_dense(Carried& carried) {
  carried.is_dense = true;
  carried.all.assign(locations_, 0);
  for (const Entry& entry : carried.some) {
    carried.all[entry.location] = std::max(carried.all[entry.location], entry.stamp);
  }
}

// Nothing carried is older than the common ground.
void CausalKnowledge::add(Carried& carried, std::size_t location, Stamp stamp) {
  if (stamp <= ground_[location]) return;
  carried.entered.times.clear();
  carried.bounds.clear();
  if (!carried.is_dense) {
    carried.some.push_back({static_cast<std::uint32_t>(location), stamp});
    if (too_many(carried.some.size())) make_dense(carried);
  } else {
    carried.all[location] = std::max(carried.all[location], stamp);
  }
}

void CausalKnowledge::add_knowledge(Vector gathered, Location who) {
  Carried& carried = carried_[gathered];
  const Self& self = selves_[index(who)];
  if (!self.is_dense) {
    for (const Learned& learned : self.some) add(carried, learned.location, learned.known);
    return;
  }
  if (!carried.is_dense) make_dense(carried);
  carried.entered.times.clear();
  carried.bounds.clear();
  Stamp* sum = carried.all.data();
  const Stamp* known = self.known.data();
  for (std::size_t i = 0; i < locations_; ++i) sum[i] = std::max(sum[i], known[i]);
}

}  // namespace waitdiag
