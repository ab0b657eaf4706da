// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/peers_text.hpp"

#include <span>

#include "libwaitprof/schema/schema.hpp"

namespace waitprof::archive {
namespace {

void append_runs(std::string& text, std::span<const PeerRun> runs) {
  const char* separator = "";
  for (const PeerRun& run : runs) {
    text += separator + std::to_string(run.first);
    text += run.last > run.first ? "-" + std::to_string(run.last) : "";
    text += ":" + std::to_string(run.bytes);
    separator = ",";
  }
}

}  // namespace

std::string peers_text(const PeerList& list) {
  std::string text = schema::kPeersPrefix;
  append_runs(text, list.sent);
  text += ";";
  append_runs(text, list.received);
  return text;
}

}  // namespace waitprof::archive
