// Who knows how much of whom: for every location the last operation of every other location it can know of,
// and the own operation by which it learned that. A vector clock with a memory.
//
// Messages carry the sender's knowledge: vectors are shared until their owner learns something new, so
// several messages in a row cost one copy. Everything is O(locations) per operation that learns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/ids.hpp"

namespace waitdiag {

class CausalKnowledge {
 public:
  using Vector = std::uint32_t;  // handle of a shared vector

  explicit CausalKnowledge(std::size_t locations);

  struct Known {
    std::uint32_t theirs = kNoOp;  // the last operation of the other one that is known
    std::uint32_t mine = kNoOp;    // the own operation that brought the news
  };
  Known about(Location me, Location other) const;

  // What `me` knows now, to be carried elsewhere; give it back with release().
  Vector share(Location me);
  void release(Vector vector);

  // `me` learns in its operation `mine` what a carried vector holds, or one operation of another location.
  void learn(Location me, std::uint32_t mine, Vector vector);
  void learn(Location me, std::uint32_t mine, Location other, std::uint32_t theirs);

  // Collectives gather knowledge in a vector of their own.
  Vector blank();
  void add(Vector gathered, Location who, std::uint32_t op) { note(vectors_[gathered].last[index(who)], op); }
  void add_knowledge(Vector gathered, Location who);
  // `vector` holds an operation of everybody that nobody could know before: it replaces what `me` knew.
  void replace(Location me, std::uint32_t mine, Vector vector);

 private:
  // Operations are kept as their number + 1, signed for the sake of vector units; 0: nothing.
  using Stamp = std::int32_t;
  struct Shared {
    std::vector<Stamp> last;
    std::uint32_t owners = 0;
  };
  struct Self {
    Vector known;
    std::vector<Stamp> learned;  // by which own operation
    Stamp learned_all = 0;       // everything was learned at this operation or later
  };
  static Stamp stamp(std::uint32_t op) { return static_cast<Stamp>(op + 1); }
  static void note(Stamp& last, std::uint32_t op) { last = last < stamp(op) ? stamp(op) : last; }
  Vector fresh();                       // with any content
  std::vector<Stamp>& own(Self& self);  // the vector of `self`, not shared with anybody

  std::size_t locations_;
  std::vector<Shared> vectors_;
  std::vector<Vector> free_;
  std::vector<Self> selves_;
};

}  // namespace waitdiag
