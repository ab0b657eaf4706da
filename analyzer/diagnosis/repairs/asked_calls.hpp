// Whom calls would wait for if they were entered earlier has been looked at before, mostly: waits that follow
// each other ask for much the same. A table of fixed size remembers what is settled; where it has no place for
// a call, that call is looked at again, with the same result.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/repairs/asked_members.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"

namespace waitdiag {

// That a call came so much earlier, and nobody it waited for was left out but who came behind `last`
// (Time::max(): nobody did), or is `but`.
struct AskedCall {
  static constexpr Location kNobody{kNoOp};

  Dependencies::Node call = ~Dependencies::Node{0};  // or row of calls
  Location but = kNobody;
  Duration earlier{};
  Time last{};

  // Of a call that waits for nobody.
  static AskedCall waits_for_nobody(Dependencies::Node call) {
    return {.call = call, .earlier = Duration::max(), .last = Time::max()};
  }
  // Is nothing more to be found by `ask`?
  bool settles(const AskedCall& ask) const {
    return call == ask.call && ask.earlier <= earlier && ask.last <= last &&
           (but == kNobody || but == ask.but);
  }
};

class AskedCalls {
 public:
  explicit AskedCalls(std::size_t locations)
      : row_bits_(
            static_cast<unsigned>(std::bit_width(std::clamp(locations * kRowsOfLocation, kFewest, kMost)))),
        calls_(kRow << row_bits_),
        rows_(std::size_t{1} << row_bits_) {}

  void clear() {
    std::ranges::fill(calls_, AskedCall{});
    std::ranges::fill(rows_, AskedCall{});
  }

  // Asks `count` calls of a location, from that of `ask` on, backwards (step -1) or forwards (1), until stop(call). For
  // one that is not settled, look(ask) looks whom it waits for and returns what is settled then. Rows that are
  // settled are passed over as one.
  template <int step, typename Stop, typename Look>
  void ask_each(AskedCall ask, std::uint32_t count, const Stop& stop, const Look& look) {
    AskedCall row{};
    bool is_whole = false;  // have all calls of the row been asked so far?
    for (std::uint32_t passed = 1; count > 0 && !stop(ask.call); count -= passed, ask.call += step * passed) {
      const Dependencies::Node number = ask.call / kRow, place = ask.call % kRow;
      passed = 1;
      if (place == (step > 0 ? 0 : kRow - 1) && count >= kRow) {
        row = AskedCall::waits_for_nobody(number);
        is_whole = true;
        AskedCall ask_row = ask;
        ask_row.call = number;
        if (rows_[place_of_row(number)].settles(ask_row)) {
          passed = kRow;
          continue;
        }
      }
      AskedCall& before = calls_[place_of_row(number) * kRow + place];
      const AskedCall settled = before.settles(ask) ? before : look(ask);
      if (settled.earlier < Duration::max()) before = settled;
      row.earlier = std::min(row.earlier, settled.earlier);
      row.last = std::min(row.last, settled.last);
      if (settled.but != AskedCall::kNobody) row.but = settled.but;
      if (is_whole && place == (step > 0 ? kRow - 1 : 0)) rows_[place_of_row(number)] = row;
    }
  }

 private:
  // Rows of calls lie side by side, because they are asked one after the other.
  static constexpr std::uint32_t kRow = 8;
  static constexpr std::size_t kRowsOfLocation = 16, kFewest = 1 << 11, kMost = 1 << 14;
  std::size_t place_of_row(Dependencies::Node row) const { return row * 2654435761u >> (32 - row_bits_); }

  unsigned row_bits_;
  std::vector<AskedCall> calls_, rows_;
};

// By how much whoever asked came earlier, of stretches: by location and how often a cause ran up to their end. One
// look into memory for each, as there are millions.
class AskedStretches {
 public:
  // Valid until the next one is asked for; zero if it has not been asked for.
  Duration& of(Location location, std::size_t ran) {
    if (2 * used_ >= places_.size()) grow();
    return find(std::uint64_t{index(location)} << 32 | ran).earlier;
  }
  void clear() {
    std::ranges::fill(places_, Entry{});
    used_ = 0;
  }

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t of = kNobody;
    Duration earlier{};
  };

  // At its place, or at the next free one.
  Entry& find(std::uint64_t key) {
    constexpr std::uint64_t kMixed = 0x9e3779b97f4a7c15;
    std::size_t place = key * kMixed >> (64 - bits_);
    while (places_[place].of != key && places_[place].of != kNobody)
      place = (place + 1) & (places_.size() - 1);
    if (places_[place].of == kNobody) {
      places_[place].of = key;
      ++used_;
    }
    return places_[place];
  }
  void grow() {
    std::vector<Entry> before(std::size_t{1} << ++bits_);
    before.swap(places_);
    used_ = 0;
    for (const Entry& entry : before)
      if (entry.of != kNobody) find(entry.of) = entry;
  }

  unsigned bits_ = 10;
  std::vector<Entry> places_ = std::vector<Entry>(std::size_t{1} << bits_);
  std::size_t used_ = 0;
};

// Whether a member of a join was asked, or why not: it is who asks or the victim, or it came too late.
enum class LeftOut : std::uint8_t { No, Always, BehindLast };

// What whoever asked the members of a collective operation has settled: how many of them, by how much he came earlier,
// behind which instant he asked nobody, and whom else he left out. Who comes next asks these alone, and those that
// nobody has asked.
class AskedJoin {
 public:
  // Asks those of the first `count` members that are not settled for one who comes so much earlier; member(place) is
  // one of them. Returns from when on nobody was asked.
  template <typename MemberAt, typename AskMember>
  Time ask_each(std::size_t count, const MemberAt& member, Duration earlier, Time last,
                const AskMember& ask) {
    if (is_much_more(earlier, earlier_) || last > last_) {
      if (count < asked_) return ask_rest(0, count, member, last, ask, [](std::size_t) {});
      asked_ = 0;
      earlier_ = earlier;
      last_ = Time::max();
      left_out_.clear();
    } else {
      std::erase_if(left_out_,
                    [&](std::size_t place) { return place < count && ask(member(place)) == LeftOut::No; });
    }
    const Time of_rest =
        ask_rest(asked_, count, member, last, ask, [&](std::size_t place) { left_out_.push_back(place); });
    last_ = std::min(last_, of_rest);
    asked_ = std::max(asked_, count);
    return last_ == Time::max() ? last_ : last;
  }

 private:
  template <typename MemberAt, typename AskMember, typename LeaveOut>
  static Time ask_rest(std::size_t first, std::size_t count, const MemberAt& member, Time last,
                       const AskMember& ask, const LeaveOut& leave_out) {
    Time nobody_behind = Time::max();
    for (std::size_t place = first; place < count; ++place) {
      const LeftOut left_out = ask(member(place));
      if (left_out == LeftOut::Always) leave_out(place);
      if (left_out == LeftOut::BehindLast) nobody_behind = last;
    }
    return nobody_behind;
  }

  std::size_t asked_ = 0;
  Duration earlier_{};
  Time last_ = Time::min();
  std::vector<std::size_t> left_out_{};  // places
};

// All that has been asked for.
struct Asked {
  explicit Asked(std::size_t locations) : calls(locations) {}

  AskedStretches stretches{};
  std::unordered_map<Dependencies::Node, AskedJoin> joins{};  // by the first join of an operation
  std::unordered_map<Dependencies::Node, AskedMembers> members{};
  AskedCalls calls;

  // Those members of a join that are not settled; see AskedJoin.
  template <typename AskMember>
  Time ask_members(const WaitForGraph& graph, Dependencies::Node join, Duration earlier, Time last,
                   const AskMember& ask) {
    const auto member = [&](std::size_t place) { return graph.call_of(join, place); };
    return joins[graph.first_of(join)].ask_each(graph.count_calls(join), member, earlier, last, ask);
  }
  // Of a prefix operation all of them, not only those before a call.
  AskedMembers& members_of(Dependencies::Node join, const Trace& trace, const Dependencies& dependencies,
                           const CausePlaces& places) {
    const WaitForGraph& graph = dependencies.graph();
    const Dependencies::Node first = graph.first_of(join);
    const auto found = members.find(first);
    if (found != members.end()) return found->second;
    const Dependencies::Node all = graph.prefix(join) > 0 ? graph.last_of_prefix(join) : join;
    return members.try_emplace(first, trace, dependencies, places, all).first->second;
  }
  void clear() {
    stretches.clear();
    joins.clear();
    members.clear();
    calls.clear();
  }
};

}  // namespace waitdiag
