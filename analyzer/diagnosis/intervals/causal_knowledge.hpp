// Who knows how much of whom: for every location, the last operation of every other location that it can know
// of, and its own operation by which it learned that. A vector clock with a memory.
//
// After the last event at which all locations learned of all others (start()), a location mostly learns of a
// few others only. So that event is common ground, and only newer knowledge is stored and carried: as a list
// while it is short, then as a vector over all locations. Messages share their sender's knowledge until it
// learns something new. A step costs O(what is new), at most O(locations).
//
// Without such events, all locations would eventually know something of all others, and each message would
// carry P entries on P ranks. So a location keeps what it learned of a limited number of others, the latest;
// of the rest it knows no more than the common ground. Queries for those are counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/model/ids.hpp"

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
    for (const Entry& entry : new_entries_) {
      const OpRef theirs{Location(entry.location), static_cast<std::uint32_t>(entry.stamp - 1)};
      if (counts(theirs)) learn(me, mine, theirs);
    }
  }
  void learn(Location me, std::uint32_t mine, OpRef theirs);
  // If what is carried is a vector over all locations: calls visit(operation) for each that is known.
  template <typename Visit>
  void for_each_of_all(Vector vector, Visit visit) const {
    const Carried& carried = carried_[vector];
    if (!carried.is_dense) return;
    for (std::uint32_t l = 0; l < locations_; ++l)
      if (carried.all[l] > 0) visit(OpRef{Location(l), static_cast<std::uint32_t>(carried.all[l] - 1)});
  }

  // Collectives collect knowledge in a vector of their own.
  Vector blank();
  void add(Vector gathered, Location who, std::uint32_t op) {
    add(carried_[gathered], index(who), stamp(op));
  }
  void add_knowledge(Vector gathered, Location who);

 private:
  // Operations are stored as their number + 1, signed because vector units prefer that; 0: nothing new.
  using Stamp = std::int32_t;
  struct Entry {
    std::uint32_t location;
    Stamp stamp;
  };
  struct Carried {
    std::vector<Entry> some;  // a location may occur twice: the later one counts
    std::vector<Stamp> all;   // by location, if there are too many
    bool is_dense = false;
    std::uint32_t owners = 0;
  };
  struct Learned {
    std::uint32_t location;
    Stamp known, learned;  // newer than the common ground; the own operations by which they were learned
  };
  struct Self {
    std::vector<Learned> some;          // by location, while there are few
    std::vector<Stamp> known, learned;  // the same by place, if there are too many
    bool is_dense = false;
    bool forgot = false;     // it forgot something since the common ground
    Vector carried = kNoOp;  // what share() returned last, while it is still current
  };
  static Stamp stamp(std::uint32_t op) { return static_cast<Stamp>(op + 1); }
  // A vector over all locations takes no more space than the list. (The knowledge that a collective collects
  // may become a vector, however little of it is kept.)
  bool too_many(std::size_t entries) const { return entries > 16 && entries > locations_ / 4; }
  void forget_oldest(Self& self);
  void find_new_entries(Location me, Vector vector);
  void note(Self& self, std::uint32_t other, Stamp theirs, Stamp mine);
  void note_few(Self& self, std::uint32_t other, Stamp theirs, Stamp mine);
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
};

}  // namespace waitdiag
