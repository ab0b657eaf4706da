// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

using Ending = Report::Ending;

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + format_ranks(ranks);
}

std::string in_path(const std::string& call_path) {
  return call_path.empty() ? "" : " in " + brief_path(call_path);
}

void add_to(std::vector<WaitingPlace>& places, const std::string& call_path, std::int64_t rank, double open_s,
            const std::string& position) {
  auto place = std::find_if(places.begin(), places.end(), [&](const WaitingPlace& known) {
    return known.call_path == call_path && known.position == position;
  });
  if (place == places.end()) place = places.insert(places.end(), {call_path, position, 0, {}});
  place->longest_s = std::max(place->longest_s, open_s);
  if (std::find(place->ranks.begin(), place->ranks.end(), rank) == place->ranks.end())
    place->ranks.push_back(rank);
}

std::vector<WaitingPlace> places_outside_mpi(const Ending& ending, std::int64_t without_rank) {
  std::vector<WaitingPlace> places;
  for (const Ending::Outside& outside : ending.outside_mpi)
    if (outside.rank != without_rank) add_to(places, outside.call_path, outside.rank, 0, "");
  return places;
}

// "; ranks 0-2 were waiting in main/solve/MPI_Allreduce, rank 4 in main/MPI_Recv", at most three places.
std::string list(const std::vector<WaitingPlace>& places, const char* verb_of_one, const char* verb_of_many) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::vector<std::int64_t> elsewhere;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const WaitingPlace& place = places[i];
    if (i >= kMost) {
      elsewhere.insert(elsewhere.end(), place.ranks.begin(), place.ranks.end());
      continue;
    }
    text += (i == 0 ? "; " : ", ") + ranks_text(place.ranks);
    if (i == 0) text += place.ranks.size() == 1 ? verb_of_one : verb_of_many;
    text += place.call_path.empty() ? " elsewhere" : in_path(place.call_path);
    if (!place.position.empty() && std::ranges::count(places, place.call_path, &WaitingPlace::call_path) > 1)
      text += " (" + place.position + ")";
  }
  std::sort(elsewhere.begin(), elsewhere.end());
  elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
  return elsewhere.empty() ? text
                           : text + fmt::format(", {} more elsewhere", plural(elsewhere.size(), "rank"));
}

std::string head(const Ending& ending) {
  const std::string time = format_duration(ending.time_s);
  if (ending.how == "aborted")
    return fmt::format("Aborted by rank {} at {}{} (code {})", ending.rank, time, in_path(ending.call_path),
                       ending.code);
  if (ending.how == "exited")
    return fmt::format("Rank {} exited without MPI_Finalize at {}", ending.rank, time) +
           (ending.call_path.empty() ? "" : ", last seen" + in_path(ending.call_path));
  if (ending.rank >= 0)
    return fmt::format("Killed or crashed at {}: only rank {} was not in MPI", time, ending.rank) +
           (ending.call_path.empty() ? "" : ", but" + in_path(ending.call_path));
  if (ending.outside_mpi.empty())
    return fmt::format(
        "Killed or crashed at {}, all ranks being in MPI: an MPI error that was fatal (MPI said so on "
        "stderr), a rank that crashed there, or a deadlock that somebody ended",
        time);
  return fmt::format("Killed or crashed at {}", time);
}

}  // namespace

std::vector<WaitingPlace> open_places(const Ending& ending, std::int64_t without_rank) {
  std::vector<WaitingPlace> places;
  for (const Ending::OpenCall& call : ending.open_calls)
    if (call.rank != without_rank)
      add_to(places, call.call_path, call.rank, call.open_s, place_label(call.file, call.line));
  std::stable_sort(places.begin(), places.end(), [](const WaitingPlace& a, const WaitingPlace& b) {
    return a.ranks.size() > b.ranks.size();
  });
  for (WaitingPlace& place : places) std::sort(place.ranks.begin(), place.ranks.end());
  return places;
}

std::string ending_sentence(const Ending& ending) {
  return head(ending) + list(open_places(ending, ending.rank), " was waiting", " were waiting") +
         list(places_outside_mpi(ending, ending.rank), " was computing", " were computing") + ".";
}

}  // namespace waitdiag
