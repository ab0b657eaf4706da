// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/notation/peer_text.hpp"

#include <charconv>

namespace waitdiag {
namespace {

// Takes a number off the front of the text.
template <typename Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

bool take(std::string_view& text, PeerRun& run) {
  if (!take(text, run.first)) return false;
  run.last = run.first;
  if (take(text, '-') && !take(text, run.last)) return false;
  return take(text, ':') && take(text, run.bytes);
}

bool take(std::string_view& text, std::vector<PeerRun>& runs) {
  if (text.empty() || text.front() == ';') return true;
  do {
    if (!take(text, runs.emplace_back())) return false;
  } while (take(text, ','));
  return true;
}

std::string runs_text(const std::vector<PeerRun>& runs) {
  std::string text;
  for (const PeerRun& run : runs) {
    text += (text.empty() ? "" : ",") + std::to_string(run.first);
    if (run.last != run.first) text += "-" + std::to_string(run.last);
    text += ":" + std::to_string(run.bytes);
  }
  return text;
}

}  // namespace

std::optional<PeerList> parse_peers(std::string_view text) {
  PeerList list;
  const bool whole = take(text, list.sent) && take(text, ';') && take(text, list.received) && text.empty();
  return whole ? std::optional(std::move(list)) : std::nullopt;
}

std::string peers_text(const PeerList& list) {
  return runs_text(list.sent) + ";" + runs_text(list.received);
}

}  // namespace waitdiag
