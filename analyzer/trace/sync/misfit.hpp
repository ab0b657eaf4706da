// Messages that do not match: how often, how much time they affect, where first; clock violations also by
// pair of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class Misfit {
 public:
  void add(Rank rank, Time when, Duration length) {
    if (count_++ == 0) {
      first_rank_ = rank;
      first_time_ = when;
    }
    time_ += length;
  }
  // `other` comes later in order: it is of another rank.
  void merge(const Misfit& other);
  void report(const Trace& trace, Anomalies& anomalies, const char* id, Gravity gravity, const char* what,
              const char* time_is) const;

 private:
  std::uint64_t count_ = 0;
  Duration time_{};
  Rank first_rank_ = kNoRank;
  Time first_time_{};
};

// How often something ends before what it needs begins, and by how much at most: the receive of a message
// before its send, a collective before a member has entered it. By (rank that begins, rank that ends).
class ClockPairs {
 public:
  void add(Rank from, Rank to, Duration violation) { add({from, to, 1, violation}); }
  void merge(const ClockPairs& other);
  std::vector<ClockPair> rows() const;
  // `what` names the things that are counted: "messages".
  void report(Anomalies& anomalies, const char* id, const char* what) const;

 private:
  void add(const ClockPair& more);
  std::map<std::pair<Rank, Rank>, ClockPair> pairs_;
};

struct MessageMisfits {
  Misfit unreceived, unsent, bytes, clock;
  ClockPairs clocks_of_pairs;

  void merge(const MessageMisfits& other);
  void report(const Trace& trace, Anomalies& anomalies) const;

 private:
  void report_lonely(const Trace& trace, Anomalies& anomalies) const;
};

}  // namespace waitdiag
