// OTF2 makes a trace's identifier from the time, the host and the process, if it has none when it writes the
// anchor. Two runs of one simulation are the same trace, so their identifier comes from what was recorded.
// (The linker sends the function here: --wrap.)
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/smpi/trace_id.hpp"

#include <otf2/otf2.h>

namespace waitprof::archive {
namespace {

std::uint64_t own_id = 0;

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x100000001b3U;  // FNV-1a, eight bytes at a time
}

}  // namespace

void set_trace_id(const Definitions& definitions) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : definitions.texts.front()) {
    mix(hash, static_cast<unsigned char>(letter));
  }
  for (const Rank& rank : definitions.ranks) {
    mix(hash, rank.first_time);
    mix(hash, rank.last_time);
    for (const Thread& thread : rank.threads) {
      mix(hash, thread.events);
    }
  }
  own_id = hash != 0 ? hash : 1;
}

}  // namespace waitprof::archive

extern "C" __attribute__((visibility("hidden"))) OTF2_ErrorCode __wrap_otf2_archive_get_trace_id(  // NOLINT
    OTF2_Archive* archive, std::uint64_t* id);

OTF2_ErrorCode __wrap_otf2_archive_get_trace_id(OTF2_Archive*, std::uint64_t* id) {  // NOLINT
  *id = waitprof::archive::own_id;
  return OTF2_SUCCESS;
}
