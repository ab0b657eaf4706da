// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/call_filter.hpp"

#include <algorithm>
#include <iterator>

#include "libwaitprof/schema/mpi_functions.hpp"

namespace waitprof {

constinit bool filtered_calls[kCallCount] = {};

namespace {

// The bit of a group; 0: there is no group of this name.
std::uint32_t bit_of(std::string_view word) noexcept {
  const auto* const found = std::find(std::begin(kCallGroups), std::end(kCallGroups), word);
  return found != std::end(kCallGroups) ? 1U << (found - std::begin(kCallGroups)) : 0;
}

// Calls visit(word, its bit; 0: there is no group of this name).
template <class Visit>
void for_each_word(std::string_view text, Visit visit) noexcept {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    visit(word, bit_of(word));
  }
}

}  // namespace

std::uint32_t group_of_call(Call call) noexcept {
  const schema::CallClass call_class =
      schema::class_of_function(kCalls[static_cast<std::uint32_t>(call)].name);
  return bit_of(schema::names_of(call_class).filter);
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
    filtered_calls[call] = groups != 0 && (group_of_call(static_cast<Call>(call)) & groups) != 0;
  }
}

}  // namespace waitprof
