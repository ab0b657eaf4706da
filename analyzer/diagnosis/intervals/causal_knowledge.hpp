// Who knows how much of whom: for every location, the last operation of every other location that it can know
// of, and its own operation by which it learned that. A vector clock with a memory.
//
// After the last event at which all locations learned of all others (start()), a location mostly learns of a
// few others only. So that event is common ground, and only newer knowledge is stored and carried: as a list
// while it is short, then as a vector over all locations. Messages share their sender's knowledge until it
// learns something new. A step costs O(what is new), at most O(locations). Of each block of locations it is known
// between which instants the operations were entered: mostly that tells whether they count, and nobody has to look
// each of them up.
//
// Without such events, all locations would eventually know something of all others, and each message would
// carry P entries on P ranks. So a location keeps what it learned of a limited number of others, the latest;
// of the rest it knows no more than the common ground. Queries for those are counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/trace/model/ids.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class CausalKnowledge {
 public:
  using Vector = std::uint32_t;  // handle of what is carried

  static constexpr std::size_t kMost = 1024;  // others of which a location knows more than the common ground

  explicit CausalKnowledge(std::size_t locations, std::size_t most = kMost);

  // Every location has just learned of operation ops[l] of every location l (kNoOp: of none), by its own
  // entry in `ops`. Carried knowledge is dropped: nothing in it can be new any more.
  void start(const std::vector<std::uint32_t>& ops);

  struct Known {
    std::uint32_t theirs = kNoOp;  // the last known operation of the other location
    std::uint32_t mine = kNoOp;    // its own operation by which that was learned
  };
  Known about(Location me, Location other);
  // How often about() found only the common ground, while something had been given up.
  std::uint64_t forgotten() const { return forgotten_; }

  // Of how many others a location keeps what it learns of them at the same time: of many it learns only what was
  // entered last.
  std::size_t kept_at_once() const { return locations_ > most_ ? most_ / 8 : locations_; }
  // There was more to learn for it than that.
  void give_up_rest(Location me) { selves_[index(me)].forgot = true; }

  // An operation of a location that others may know: its number + 1, signed because vector units prefer that; 0:
  // nothing new.
  using Stamp = std::int32_t;
  struct Entry {
    std::uint32_t location;
    Stamp stamp;
    OpRef operation() const { return {Location(location), static_cast<std::uint32_t>(stamp - 1)}; }
  };
  static Entry entry(OpRef operation) {
    return {static_cast<std::uint32_t>(index(operation.location)), stamp(operation.op)};
  }

  // Operations were entered no earlier and no later than this.
  struct Bounds {
    Time earliest, latest;
    void widen(const Bounds& other) {
      earliest = std::min(earliest, other.earliest);
      latest = std::max(latest, other.latest);
    }
  };
  static constexpr Bounds kAnyTime{Time::min(), Time::max()}, kNone{Time::max(), Time::min()};

  // What `me` knows now, to be carried elsewhere; to be returned with release().
  Vector share(Location me);
  void release(Vector vector);

  // In its operation `mine`, `me` learns what is carried, as far as counts(OpRef) is true; or it learns one
  // operation of another location.
  template <typename Counts>
  void learn(Location me, std::uint32_t mine, Vector vector, Counts counts) {
    if (selves_[index(me)].carried == vector) return;
    new_entries_.clear();
    find_new_entries(me, vector);
    learn_each(me, mine, new_entries_, [&](std::size_t i) { return counts(new_entries_[i].operation()); });
  }
  // Those that are new, if counts(place among the entries) is true: it is asked for no others.
  template <typename Counts>
  void learn_each(Location me, std::uint32_t mine, std::span<const Entry> entries, Counts counts) {
    Self& self = selves_[index(me)];
    if (self.is_dense) return learn_each_dense(self, stamp(mine), entries, counts);
    const bool in_order =
        std::ranges::adjacent_find(entries, std::greater_equal<>(), &Entry::location) == entries.end();
    for (std::size_t i = 0; i < entries.size();)
      i = in_order && !self.is_dense ? learn_in_order(self, stamp(mine), entries, i, counts)
                                     : learn_one(self, stamp(mine), entries, i, counts);
  }
  void learn(Location me, std::uint32_t mine, OpRef theirs, const Bounds& entered = kAnyTime);
  // The same for those that were entered after an instant.
  void learn_later(Location me, std::uint32_t mine, std::span<const Entry> entries,
                   std::span<const Time> entered, Time after);
  // When the operations of what is carried were entered, in its order, and the latest time of each block of them; of
  // many, only those that were entered last, by location.
  struct Entered {
    std::vector<Time> times{}, latest{};
    std::vector<Entry> last{};  // with `times`; none: they are those of what is carried
    Time rest = Time::min();    // the latest of the others
  };
  template <typename EnteredAt>
  Entered entered_of(Vector vector, EnteredAt entered_at) const {
    const Carried& carried = carried_[vector];
    const std::size_t size = size_of(carried);
    Entered entered{.times = std::vector<Time>(size, Time::min()),
                    .latest = std::vector<Time>((size + kBlock - 1) / kBlock, Time::min())};
    for (std::uint32_t i = 0; i < size; ++i) {
      const Entry entry = carried.is_dense ? Entry{i, carried.all[i]} : carried.some[i];
      if (entry.stamp == 0) continue;
      entered.times[i] = entered_at(entry.operation());
      entered.latest[i / kBlock] = std::max(entered.latest[i / kBlock], entered.times[i]);
    }
    if (size > most_) keep_last(carried, entered);
    return entered;
  }
  // As learn(), as far as operations were entered after an instant.
  void learn_later(Location me, std::uint32_t mine, Vector vector, const Entered& entered, Time after);
  // What several learn is looked up once for all but the first of them.
  template <typename EnteredAt>
  void learn_later(Location me, std::uint32_t mine, Vector vector, EnteredAt entered_at, Time after) {
    Carried& carried = carried_[vector];
    const bool is_first = !std::exchange(carried.was_learned, true);
    if (carried.entered.times.empty() && (!is_first || size_of(carried) > most_))
      carried.entered = entered_of(vector, entered_at);
    if (!carried.entered.times.empty()) return learn_later(me, mine, vector, carried.entered, after);
    if (carried.is_dense && !carried.bounds.empty() && selves_[index(me)].is_dense)
      return learn_by_blocks(me, mine, vector, entered_at, after);
    learn(me, mine, vector, [&](OpRef operation) { return entered_at(operation) > after; });
  }

  // Collectives collect knowledge in a vector of their own.
  Vector blank();
  void add(Vector gathered, Location who, std::uint32_t op) {
    add(carried_[gathered], index(who), stamp(op));
  }
  void add_knowledge(Vector gathered, Location who);

 private:
  struct Carried {
    std::vector<Entry> some;       // a location may occur twice: the later one counts
    std::vector<Stamp> all;        // by location, if there are too many
    std::vector<Bounds> bounds{};  // by block of `all`; or nothing: they are not known
    bool is_dense = false, was_learned = false;
    std::uint32_t owners = 0;
    Entered entered{};  // where several learn it
  };
  struct Learned {
    std::uint32_t location;
    Stamp known, learned;  // newer than the common ground; the own operations by which they were learned
  };
  struct Self {
    std::vector<Learned> some;          // by location, while there are few
    std::vector<Stamp> known, learned;  // the same by place, if there are too many
    std::vector<Bounds> bounds{};       // by block of these
    bool is_dense = false;
    bool forgot = false;     // it forgot something since the common ground
    Vector carried = kNoOp;  // what share() returned last, while it is still current
  };
  static Stamp stamp(std::uint32_t op) { return static_cast<Stamp>(op + 1); }
  // A vector over all locations takes no more space than the list. (The knowledge that a collective collects
  // may become a vector, however little of it is kept.)
  bool too_many(std::size_t entries) const { return entries > 16 && entries > locations_ / 4; }
  // Of what a location knows, as a list.
  bool is_too_long(std::size_t entries) const {
    return entries > most_ || (locations_ <= most_ && too_many(entries));
  }
  std::size_t size_of(const Carried& carried) const {
    return carried.is_dense ? locations_ : carried.some.size();
  }
  void keep_last(const Carried& carried, Entered& entered) const;
  static Stamp middle_of_learned(const std::vector<Learned>& some, Stamp now);
  void forget_oldest(Self& self, Stamp now);
  static constexpr std::size_t kBlock = 64;
  void find_new_entries(Location me, Vector vector);
  bool is_new(const Self& self, const Entry& entry) const;
  void note(Self& self, std::uint32_t other, Stamp theirs, Stamp mine, const Bounds& entered);
  void note_few(Self& self, std::uint32_t other, Stamp theirs, Stamp mine);
  void keep_few(Self& self, Stamp now);

  template <typename Counts>
  void learn_each_dense(Self& self, Stamp mine, std::span<const Entry> entries, Counts& counts) {
    bool any = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto [other, theirs] = entries[i];
      if (theirs <= ground_[other] || theirs <= self.known[other] || !counts(i)) continue;
      self.known[other] = theirs;
      self.learned[other] = mine;
      self.bounds[other / kBlock] = kAnyTime;
      any = true;
    }
    if (any) forget_shared(self);
  }
  template <typename EnteredAt>
  void learn_by_blocks(Location me, std::uint32_t mine, Vector vector, EnteredAt entered_at, Time after) {
    Self& self = selves_[index(me)];
    if (self.carried == vector) return;
    const Carried& carried = carried_[vector];
    bool any = false;
    for (std::size_t block = 0; block < carried.bounds.size(); ++block) {
      if (carried.bounds[block].latest <= after) continue;
      any |= carried.bounds[block].earliest > after
                 ? learn_block(self, stamp(mine), carried, block)
                 : learn_of_block(self, stamp(mine), carried, block, entered_at, after);
    }
    if (any) forget_shared(self);
  }
  bool learn_block(Self& self, Stamp mine, const Carried& carried, std::size_t block);
  // Those that were entered after an instant.
  template <typename EnteredAt>
  bool learn_of_block(Self& self, Stamp mine, const Carried& carried, std::size_t block, EnteredAt entered_at,
                      Time after) {
    Bounds learned = kNone;
    bool keeps = false;  // something that it knew before
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, locations_); ++i) {
      const Entry entry{static_cast<std::uint32_t>(i), carried.all[i]};
      Time entered = Time::min();
      if (entry.stamp > std::max(ground_[i], self.known[i])) entered = entered_at(entry.operation());
      if (entered <= after) {
        keeps |= self.known[i] > 0;
        continue;
      }
      self.known[i] = entry.stamp;
      self.learned[i] = mine;
      learned.widen({entered, entered});
    }
    const bool any = learned.earliest <= learned.latest;
    if (keeps) learned.widen(self.bounds[block]);
    self.bounds[block] = learned;
    return any;
  }
  // Returns the place of the next entry.
  template <typename Counts>
  std::size_t learn_one(Self& self, Stamp mine, std::span<const Entry> entries, std::size_t i,
                        Counts& counts) {
    if (is_new(self, entries[i]) && counts(i))
      note(self, entries[i].location, entries[i].stamp, mine, kAnyTime);
    return i + 1;
  }
  // The same for entries in the order of their locations, as long as all that is known stays a list: both are
  // merged.
  template <typename Counts>
  std::size_t learn_in_order(Self& self, Stamp mine, std::span<const Entry> entries, std::size_t i,
                             Counts& counts) {
    merged_.clear();
    auto next = self.some.begin();
    const std::size_t before = self.some.size();
    std::size_t more = 0;
    bool any = false;
    for (; i < entries.size() && !is_too_long(before + more); ++i) {
      const auto [other, theirs] = entries[i];
      if (theirs <= ground_[other]) continue;
      for (; next != self.some.end() && next->location < other; ++next) merged_.push_back(*next);
      const bool known = next != self.some.end() && next->location == other;
      if ((known && theirs <= next->known) || !counts(i)) continue;
      any = true;
      if (known) {
        *next = {other, theirs, mine};
      } else {
        merged_.push_back({other, theirs, mine});
        ++more;
      }
    }
    if (!any) return i;
    if (more > 0) {
      merged_.insert(merged_.end(), next, self.some.end());
      self.some.swap(merged_);
      keep_few(self, mine);
    }
    forget_shared(self);
    return i;
  }
  void make_dense(Self& self);
  void forget_shared(Self& self);
  void add(Carried& carried, std::size_t location, Stamp stamp);
  void make_dense(Carried& carried);

  std::size_t locations_, most_;
  std::uint64_t forgotten_ = 0;
  std::vector<Stamp> ground_;  // by location; what start() said
  std::vector<Carried> carried_;
  std::vector<Vector> free_;
  std::vector<Self> selves_;
  std::vector<Entry> new_entries_;
  std::vector<Learned> merged_;
};

}  // namespace waitdiag
