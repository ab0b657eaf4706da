// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/delay/causal_knowledge.hpp"

#include <algorithm>

namespace waitdiag {

CausalKnowledge::CausalKnowledge(std::size_t locations) : locations_(locations) {
  for (std::size_t i = 0; i < locations; ++i) selves_.push_back({blank(), std::vector<Stamp>(locations, 0)});
}

CausalKnowledge::Known CausalKnowledge::about(Location me, Location other) const {
  const Self& self = selves_[index(me)];
  const Stamp theirs = vectors_[self.known].last[index(other)];
  if (theirs == 0) return {};
  const Stamp mine = std::max(self.learned[index(other)], self.learned_all);
  return {static_cast<std::uint32_t>(theirs - 1), static_cast<std::uint32_t>(mine - 1)};
}

CausalKnowledge::Vector CausalKnowledge::fresh() {
  if (free_.empty()) {
    vectors_.push_back({std::vector<Stamp>(locations_), 1});
    return static_cast<Vector>(vectors_.size() - 1);
  }
  const Vector vector = free_.back();
  free_.pop_back();
  vectors_[vector].owners = 1;
  return vector;
}

CausalKnowledge::Vector CausalKnowledge::blank() {
  const Vector vector = fresh();
  std::fill(vectors_[vector].last.begin(), vectors_[vector].last.end(), 0);
  return vector;
}

CausalKnowledge::Vector CausalKnowledge::share(Location me) {
  const Vector known = selves_[index(me)].known;
  ++vectors_[known].owners;
  return known;
}

void CausalKnowledge::release(Vector vector) {
  if (--vectors_[vector].owners == 0) free_.push_back(vector);
}

std::vector<CausalKnowledge::Stamp>& CausalKnowledge::own(Self& self) {
  if (vectors_[self.known].owners > 1) {
    const Vector copy = fresh();
    std::copy(vectors_[self.known].last.begin(), vectors_[self.known].last.end(),
              vectors_[copy].last.begin());
    release(self.known);
    self.known = copy;
  }
  return vectors_[self.known].last;
}

void CausalKnowledge::learn(Location me, std::uint32_t mine, Vector vector) {
  Self& self = selves_[index(me)];
  if (self.known == vector) return;
  Stamp* known = own(self).data();
  Stamp* learned = self.learned.data();
  const Stamp* news = vectors_[vector].last.data();
  const Stamp now = stamp(mine);
  for (std::size_t i = 0; i < locations_; ++i) {
    const bool newer = news[i] > known[i];
    known[i] = newer ? news[i] : known[i];
    learned[i] = newer ? now : learned[i];
  }
}

void CausalKnowledge::learn(Location me, std::uint32_t mine, Location other, std::uint32_t theirs) {
  Self& self = selves_[index(me)];
  if (vectors_[self.known].last[index(other)] >= stamp(theirs)) return;
  own(self)[index(other)] = stamp(theirs);
  self.learned[index(other)] = stamp(mine);
}

void CausalKnowledge::add_knowledge(Vector gathered, Location who) {
  Stamp* sum = vectors_[gathered].last.data();
  const Stamp* known = vectors_[selves_[index(who)].known].last.data();
  for (std::size_t i = 0; i < locations_; ++i) sum[i] = std::max(sum[i], known[i]);
}

void CausalKnowledge::replace(Location me, std::uint32_t mine, Vector vector) {
  Self& self = selves_[index(me)];
  ++vectors_[vector].owners;
  release(self.known);
  self.known = vector;
  self.learned_all = stamp(mine);
}

}  // namespace waitdiag
