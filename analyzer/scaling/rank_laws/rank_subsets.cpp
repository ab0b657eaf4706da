// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/rank_subsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace waitdiag {
namespace {

std::string text_of(const FixedPlace& place) {
  return fmt::format("{}/{}", place.number, place.parts);
}

// Some of the ranks of one part, by the place there and the number of its ranks.
using InPart = bool (*)(int rank, int at, int length);
constexpr InPart kInPart[] = {[](int, int, int) { return true; },
                              [](int, int, int) { return false; },
                              [](int rank, int, int) { return rank % 2 == 0; },
                              [](int rank, int, int) { return rank % 2 == 1; },
                              [](int, int at, int) { return at == 0; },
                              [](int, int at, int length) { return at == length - 1; },
                              [](int, int at, int) { return at != 0; },
                              [](int, int at, int length) { return at != length - 1; }};

// Which of them; nothing: none.
std::optional<std::size_t> in_part(const std::vector<bool>& chosen, int from, int length) {
  for (std::size_t rule = 0; rule < std::size(kInPart); ++rule) {
    int at = 0;
    while (at < length && kInPart[rule](from + at, at, length) == chosen[static_cast<std::size_t>(from + at)])
      ++at;
    if (at == length) return rule;
  }
  return std::nullopt;
}

}  // namespace

// Ranks in a row, or all others: from one place to another, each fixed, counted from the end, or the begin of a part; or so
// many of them.
std::vector<RankSubset> ranks_in_a_row(const std::vector<bool>& chosen) {
  const int ranks = static_cast<int>(chosen.size());
  std::vector<int> changes;
  for (int rank = 1; rank < ranks; ++rank)
    if (chosen[static_cast<std::size_t>(rank)] != chosen[static_cast<std::size_t>(rank) - 1])
      changes.push_back(rank);
  if (changes.empty() || changes.size() > 2) return {};
  const bool inside = changes.size() == 2 ? !chosen.front() : chosen.front();
  if (changes.size() == 1) changes.insert(changes.begin(), 0);
  const std::vector<FixedPlace> starts =
      changes[0] == 0 ? std::vector<FixedPlace>{{}} : readings_of_place(changes[0], ranks);
  std::vector<RankSubset> all;
  for (const FixedPlace& start : starts)
    for (const FixedPlace& stop : readings_of_place(changes[1], ranks))
      all.push_back({fmt::format("row {} {} {}", text_of(start), text_of(stop), inside),
                     [start, stop, inside](int rank, int size) {
                       const std::optional<int> from = start.among(size), to = stop.among(size);
                       return from && to && (*from <= rank && rank < *to) == inside;
                     }});
  const int length = changes[1] - changes[0];
  for (const FixedPlace& start : starts)
    all.push_back({fmt::format("row {} so many {} {}", text_of(start), length, inside),
                   [start, length, inside](int rank, int size) {
                     const std::optional<int> from = start.among(size);
                     return from && (*from <= rank && rank < *from + length) == inside;
                   }});
  return all;
}

namespace {

// `others`: all but these.
void add_groups(const std::vector<bool>& chosen, bool others, std::vector<RankSubset>& subsets) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < chosen.size(); ++rank)
    if (chosen[rank] != others) ranks.push_back(static_cast<int>(rank));
  if (ranks.size() < 2) return;
  const int all = static_cast<int>(chosen.size()), place = ranks[0], length = ranks[1] - ranks[0];
  if (place >= length || all % length != 0) return;
  subsets.push_back({fmt::format("each {} of {} {}", place, length, others),
                     [=](int rank, int) { return (rank % length == place) != others; }});
  const int groups = all / length;
  for (const bool from_the_end : {false, true})
    subsets.push_back({fmt::format("each {} of {} groups {} {}", place, groups, from_the_end, others),
                       [=](int rank, int size) {
                         const int group = size / groups;
                         const int at = from_the_end ? group - (length - place) : place;
                         return size % groups == 0 && (rank % group == at) != others;
                       }});
}

}  // namespace

// Groups of the same length in all runs, or as many groups in all of them; or all but these.
std::vector<RankSubset> one_of_each_group(const std::vector<bool>& chosen) {
  std::vector<RankSubset> subsets;
  for (const bool others : {false, true}) add_groups(chosen, others, subsets);
  return subsets;
}

// Each half, third, quarter, sixth or eighth of the ranks has a rule of its own: a finer region and its neighbours, what does not fit a
// power of two.
std::vector<RankSubset> parts_of_ranks(const std::vector<bool>& chosen) {
  constexpr int kShortest = 4;  // of fewer ranks anything is said by chance
  const int ranks = static_cast<int>(chosen.size());
  std::vector<RankSubset> subsets;
  for (const int parts : {2, 3, 4, 6, 8}) {
    const int length = ranks / parts;
    if (ranks % parts != 0 || length < kShortest) continue;
    std::vector<InPart> of_part;
    std::string text = "parts";
    for (int from = 0; from < ranks; from += length)
      if (const auto rule = in_part(chosen, from, length)) {
        of_part.push_back(kInPart[*rule]);
        text += fmt::format(" {}", *rule);
      }
    if (static_cast<int>(of_part.size()) < parts) continue;
    subsets.push_back({std::move(text), [parts, of_part](int rank, int size) {
                         const int own = size / parts;
                         return size % parts == 0 &&
                                of_part[static_cast<std::size_t>(rank / own)](rank, rank % own, own);
                       }});
  }
  return subsets;
}

NumberedRanks::NumberedRanks(const Study& study, const RankSubset& subset, bool around)
    : text_(fmt::format("{} {}", subset.text, around)) {
  const auto add = [&](int ranks) {
    Line& line = lines_[ranks];
    if (!line.numbers.empty()) return;
    for (int rank = 0; rank < ranks; ++rank) {
      const bool has = subset.has(rank, ranks);
      line.numbers.push_back(has ? static_cast<int>(line.members.size()) : -1);
      if (has) line.members.push_back(rank);
    }
    line.grid = {.extents = {static_cast<int>(line.members.size())}, .periodic = {around}};
  };
  for (const RunSize& size : study.sizes) add(size.ranks);
  add(study.target.ranks);
}

std::optional<int> NumberedRanks::number_of(int rank, int ranks) const {
  const auto line = lines_.find(ranks);
  if (line == lines_.end() || rank < 0 || rank >= ranks) return std::nullopt;
  const int number = line->second.numbers[static_cast<std::size_t>(rank)];
  return number < 0 ? std::nullopt : std::optional(number);
}

std::optional<int> NumberedRanks::peer(int rank, int ranks, const Law& law) const {
  const std::optional<int> number = number_of(rank, ranks);
  if (!number) return std::nullopt;
  const Line& line = lines_.at(ranks);
  const int count = static_cast<int>(line.members.size());
  const std::optional<int> other = law(*number, count, line.grid);
  if (!other || *other < 0 || *other >= count) return std::nullopt;
  return line.members[static_cast<std::size_t>(*other)];
}

}  // namespace waitdiag
