// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/call_filter.hpp"

#include <algorithm>
#include <iterator>

namespace waitprof {

constinit bool filtered_calls[kCallCount] = {};

namespace {

struct Names {
  std::string_view start, end;  // behind MPI_
  std::uint32_t group;
};

// Of the functions whose region says no more than "function"; the first that fits.
constexpr Names kByName[] = {
    {"Init", "", 0},
    {"Finalize", "", 0},
    {"Session_init", "", 0},
    {"Session_finalize", "", 0},
    {"Abort", "", 0},
    {"Wait", "", kPointToPointCalls},
    {"Test", "", kPointToPointCalls},
    {"Start", "", kPointToPointCalls},
    {"Request_", "", kPointToPointCalls},
    {"Cancel", "", kPointToPointCalls},
    {"Pready", "", kPointToPointCalls},
    {"Parrived", "", kPointToPointCalls},
    {"Win_", "", kRmaCalls},
    {"", "_init", kCollectiveCalls},
    {"", "_init_c", kCollectiveCalls},
    {"Comm_", "", kCommunicatorCalls},
    {"Intercomm_", "", kCommunicatorCalls},
    {"Cart_", "", kCommunicatorCalls},
    {"Graph_", "", kCommunicatorCalls},
    {"Dist_graph_", "", kCommunicatorCalls},
    {"Group_", "", kCommunicatorCalls},
    {"", "", kOtherCalls},
};

std::uint32_t group_by_name(std::string_view name) noexcept {
  return std::find_if(std::begin(kByName), std::end(kByName),
                      [name](const Names& names) {
                        return name.starts_with(names.start) && name.ends_with(names.end);
                      })
      ->group;
}

// visit(word, its bit; 0: no group is called so)
template <class Visit>
void for_each_word(std::string_view text, Visit visit) noexcept {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const auto* const found = std::find(std::begin(kCallGroups), std::end(kCallGroups), word);
    visit(word, found != std::end(kCallGroups) ? 1U << (found - std::begin(kCallGroups)) : 0);
  }
}

}  // namespace

std::uint32_t group_of_call(Call call) noexcept {
  constexpr std::string_view kPrefix = "MPI_";
  const CallDescription& description = kCalls[static_cast<std::uint32_t>(call)];
  switch (description.role) {
    case RegionRole::PointToPoint:
      return kPointToPointCalls;
    case RegionRole::Barrier:
    case RegionRole::OneToAll:
    case RegionRole::AllToOne:
    case RegionRole::AllToAll:
    case RegionRole::OtherCollective:
      return kCollectiveCalls;
    case RegionRole::Rma:
    case RegionRole::Atomic:
    case RegionRole::Allocate:
      return kRmaCalls;
    case RegionRole::FileIo:
    case RegionRole::FileIoMetadata:
      return kIoCalls;
    case RegionRole::Function:
      break;
  }
  return group_by_name(std::string_view(description.name).substr(kPrefix.size()));
}

bool parse_call_groups(std::string_view text, std::uint32_t& groups) noexcept {
  std::uint32_t set = 0;
  for_each_word(text, [&set](std::string_view, std::uint32_t group) { set |= group; });
  groups = set != 0 ? set : groups;
  return set != 0;
}

std::string_view unknown_call_group(std::string_view text) noexcept {
  std::string_view unknown;
  for_each_word(text, [&unknown](std::string_view word, std::uint32_t group) {
    unknown = group == 0 && unknown.empty() ? word : unknown;
  });
  return unknown;
}

void filter_calls(std::uint32_t groups) noexcept {
  for (std::uint32_t call = 0; call < kCallCount; ++call) {
    filtered_calls[call] = (group_of_call(static_cast<Call>(call)) & groups) != 0;
  }
}

}  // namespace waitprof
