// The ends of point-to-point messages of one location. Programs send the same messages again and again: who, how much
// and with which tag is kept once for all ends that have it in common, and times as distances to that of one of 64
// ends. So an end takes 16 bytes instead of 40; it is put together when it is asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/trace/model/ids.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

// One end of a point-to-point message. PROC_NULL makes no end.
struct MessageEnd {
  Time time{};                      // time of the send record, or of the receive completion record
  std::uint64_t bytes = 0;          // receiver: bytes really received
  std::uint32_t posted = kNoOp;     // operation that posted it: Send, Isend, Recv, Irecv, Start, Sendrecv
  std::uint32_t completed = kNoOp;  // operation that completed it (== posted when blocking); kNoOp: never
  Rank peer = kNoRank;              // world rank of the other end, as really matched (never a wildcard)
  std::int32_t tag = 0;
  CommId comm = kNoComm;
  bool cancelled = false;
  bool any_source = false;  // receiver: asked for with MPI_ANY_SOURCE, where the trace tells
  friend bool operator==(const MessageEnd&, const MessageEnd&) = default;
};

// A random access range of MessageEnd values.
class MessageColumn {
 public:
  class const_iterator;
  using value_type = MessageEnd;
  static constexpr std::uint32_t kMostEnvelopes = 0xffffff;

  MessageColumn() = default;
  // For tests: ends with other envelopes than the first ones take more memory.
  explicit MessageColumn(std::uint32_t most_envelopes) : most_envelopes_(most_envelopes) {}

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  MessageEnd operator[](std::size_t which) const {
    const Row& row = rows_[which];
    if (row.envelope == kMostEnvelopes) [[unlikely]]
      return exact_.find(which)->second;
    const Envelope& envelope = envelopes_[row.envelope];
    return {.time = time_of(row, bases_[which / kBlock]),
            .bytes = envelope.bytes,
            .posted = row.posted,
            .completed = row.completed,
            .peer = envelope.peer,
            .tag = envelope.tag,
            .comm = envelope.comm,
            .cancelled = envelope.cancelled,
            .any_source = envelope.any_source};
  }
  std::uint32_t posted(std::size_t which) const { return rows_[which].posted; }
  std::uint32_t completed(std::size_t which) const { return rows_[which].completed; }
  const_iterator begin() const;
  const_iterator end() const;

  void reserve(std::size_t ends);
  void push_back(const MessageEnd& end);
  void set(std::size_t which, const MessageEnd& end);
  void complete(std::size_t which, std::uint32_t op);  // by this operation
  // No more ends are expected: gives memory back.
  void trim();

  // change(MessageEnd&) for all ends.
  template <typename Change>
  void change(const Change& change);
  // Returns how many there were.
  template <typename Is>
  std::size_t erase_if(const Is& is);

 private:
  // A MessageEnd without its time and calls.
  struct Envelope {
    std::uint64_t bytes;
    Rank peer;
    std::int32_t tag;
    CommId comm;
    bool cancelled, any_source;
    friend bool operator==(const Envelope&, const Envelope&) = default;
  };
  struct Row {
    std::uint32_t posted, completed;
    std::uint32_t envelope : 24, high : 8;  // kMostEnvelopes: the end is in `exact_`
    std::uint32_t low;                      // of the distance of its time from that of its block
  };
  static_assert(sizeof(Row) == 16);
  static constexpr std::size_t kBlock = 64;
  static constexpr Time kNoBase = Time::min();
  // The number that stands for Time{}, as receives have it until they are complete.
  static constexpr std::int64_t kFurthest = std::int64_t{1} << 39, kUnset = -kFurthest;

  static Time time_of(const Row& row, Time base) {
    constexpr int kLow = 32;
    const std::int64_t distance =
        std::int64_t{static_cast<std::int8_t>(row.high)} * (std::int64_t{1} << kLow) + row.low;
    return distance == kUnset ? Time{} : base + Duration(distance);
  }
  template <typename Keep>
  MessageColumn rebuilt(const Keep& keep) const;
  static std::size_t hash_of(const Envelope& envelope);
  std::uint32_t envelope_of(const MessageEnd& end);
  void find_places();

  std::vector<Row> rows_;
  std::vector<Time> bases_;  // by block
  std::vector<Envelope> envelopes_;
  std::vector<std::uint32_t> places_;  // of envelopes, by hash; empty: to be made again
  std::unordered_map<std::size_t, MessageEnd> exact_;
  std::uint32_t most_envelopes_ = kMostEnvelopes;
};

class MessageColumn::const_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = MessageEnd;
  using difference_type = std::ptrdiff_t;
  using reference = MessageEnd;
  using pointer = void;

  const_iterator() = default;
  const_iterator(const MessageColumn& column, std::size_t at)
      : column_(&column), at_(static_cast<difference_type>(at)) {}

  MessageEnd operator*() const { return (*column_)[static_cast<std::size_t>(at_)]; }
  MessageEnd operator[](difference_type n) const { return *(*this + n); }
  const_iterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  const_iterator& operator-=(difference_type n) { return *this += -n; }
  const_iterator& operator++() { return *this += 1; }
  const_iterator& operator--() { return *this += -1; }
  const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend const_iterator operator+(const_iterator it, difference_type n) { return it += n; }
  friend const_iterator operator+(difference_type n, const_iterator it) { return it += n; }
  friend const_iterator operator-(const_iterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const const_iterator& a, const const_iterator& b) { return a.at_ - b.at_; }
  friend bool operator==(const const_iterator& a, const const_iterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const const_iterator& a, const const_iterator& b) { return a.at_ <=> b.at_; }

 private:
  const MessageColumn* column_ = nullptr;
  difference_type at_ = 0;
};

inline MessageColumn::const_iterator MessageColumn::begin() const {
  return {*this, 0};
}
inline MessageColumn::const_iterator MessageColumn::end() const {
  return {*this, size()};
}

template <typename Change>
void MessageColumn::change(const Change& change) {
  *this = rebuilt([&](MessageEnd& end) {
    change(end);
    return true;
  });
}

template <typename Is>
std::size_t MessageColumn::erase_if(const Is& is) {
  if (std::none_of(begin(), end(), is)) return 0;  // nearly always
  const std::size_t before = size();
  *this = rebuilt([&](const MessageEnd& end) { return !is(end); });
  return before - size();
}

// Changed by keep(MessageEnd&), without those for which it returns false.
template <typename Keep>
MessageColumn MessageColumn::rebuilt(const Keep& keep) const {
  MessageColumn result(most_envelopes_);
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i)
    if (MessageEnd end = (*this)[i]; keep(end)) result.push_back(end);
  result.trim();
  return result;
}

}  // namespace waitdiag
