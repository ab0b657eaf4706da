// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/message_column.hpp"

#include <bit>

namespace waitdiag {
namespace {

constexpr std::uint32_t kFree = 0xffffffff;

}  // namespace

std::size_t MessageColumn::hash_of(const Envelope& envelope) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15, kOther = 0xff51afd7ed558ccd;
  constexpr int kHalf = 32;
  const std::uint64_t peer = std::uint64_t{static_cast<std::uint32_t>(envelope.peer)} << kHalf |
                             static_cast<std::uint32_t>(envelope.tag);
  const std::uint64_t comm = std::uint64_t{index(envelope.comm)} << 2 |
                             std::uint64_t{envelope.cancelled} << 1 | std::uint64_t{envelope.any_source};
  const std::uint64_t mixed = ((envelope.bytes * kOdd ^ peer) * kOther ^ comm) * kOdd;
  return mixed ^ mixed >> kHalf;
}

void MessageColumn::reserve(std::size_t ends) {
  rows_.reserve(ends);
  bases_.reserve(ends / kBlock + 1);
}

void MessageColumn::push_back(const MessageEnd& end) {
  rows_.emplace_back();
  if (bases_.size() * kBlock < rows_.size()) bases_.push_back(kNoBase);
  set(rows_.size() - 1, end);
}

void MessageColumn::set(std::size_t which, const MessageEnd& end) {
  constexpr int kLow = 32;
  Row& row = rows_[which];
  Time& base = bases_[which / kBlock];
  if (base == kNoBase && end.time != Time{}) base = end.time;
  const std::int64_t distance = end.time == Time{} ? kUnset : (end.time - base).count();
  const bool is_far = distance != kUnset && (distance <= -kFurthest || distance >= kFurthest);
  const std::uint32_t envelope = is_far ? kMostEnvelopes : envelope_of(end);
  if (row.envelope == kMostEnvelopes) exact_.erase(which);
  if (envelope == kMostEnvelopes) exact_[which] = end;
  row = {.posted = end.posted,
         .completed = end.completed,
         .envelope = envelope & kMostEnvelopes,
         .high = static_cast<std::uint8_t>(distance >> kLow),
         .low = static_cast<std::uint32_t>(distance)};
}

void MessageColumn::complete(std::size_t which, std::uint32_t op) {
  Row& row = rows_[which];
  row.completed = op;
  if (row.envelope == kMostEnvelopes) exact_[which].completed = op;
}

std::uint32_t MessageColumn::envelope_of(const MessageEnd& end) {
  const Envelope envelope{.bytes = end.bytes,
                          .peer = end.peer,
                          .tag = end.tag,
                          .comm = end.comm,
                          .cancelled = end.cancelled,
                          .any_source = end.any_source};
  if (places_.size() <= 2 * envelopes_.size()) find_places();
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(envelope) & mask;
  for (; places_[place] != kFree; place = (place + 1) & mask)
    if (envelopes_[places_[place]] == envelope) return places_[place];
  if (envelopes_.size() >= most_envelopes_) return kMostEnvelopes;
  places_[place] = static_cast<std::uint32_t>(envelopes_.size());
  envelopes_.push_back(envelope);
  return places_[place];
}

// At most half of the places are used, and a quarter after this.
void MessageColumn::find_places() {
  constexpr std::size_t kFewest = 16;
  places_.assign(std::bit_ceil(std::max(kFewest, 4 * envelopes_.size())), kFree);
  const std::size_t mask = places_.size() - 1;
  for (std::uint32_t i = 0; i < envelopes_.size(); ++i) {
    std::size_t place = hash_of(envelopes_[i]) & mask;
    while (places_[place] != kFree) place = (place + 1) & mask;
    places_[place] = i;
  }
}

void MessageColumn::trim() {
  std::vector<std::uint32_t>().swap(places_);
  if (rows_.capacity() - rows_.size() > rows_.size() / 16) rows_.shrink_to_fit();
  bases_.shrink_to_fit();
  envelopes_.shrink_to_fit();
}

}  // namespace waitdiag
