// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/recovery.hpp"

#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/recover/recover_archive.hpp"

namespace waitdiag::tool {

namespace unfinished = waitprof::archive;

bool is_unfinished(const std::string& directory) {
  return unfinished::is_unfinished(directory);
}

std::string recover_and_say(const std::vector<std::string>& directories, const std::string& output) {
  try {
    const unfinished::Recovery done = unfinished::recover_archive(directories, output);
    const std::string ranks = done.ranks == done.world_size
                                  ? fmt::format("all {} ranks", done.world_size)
                                  : fmt::format("{} of {} ranks", done.ranks, done.world_size);
    const char* const what =
        !done.finished  ? "the program ended without MPI_Finalize; recovered"
        : done.parts    ? "the nodes did not share the directory: joined their parts to an archive of"
        : done.sessions ? "the program used sessions: made an archive of"
                        : "the archive was not completed at MPI_Finalize: made it now, with";
    std::string text = fmt::format("{} {} events of {} in {}", what, format_count(done.events), ranks,
                                   output.empty() ? directories.front() : output);
    for (const std::string& trouble : done.troubles) text += "; " + trouble;
    return text;
  } catch (const std::runtime_error& error) {
    throw TraceError(error.what());
  }
}

void recover_if_unfinished(const std::string& directory) {
  if (!is_unfinished(directory)) return;
  const std::string done = recover_and_say({directory});
  std::cerr << "waitdiag: " << done << '\n';
}

}  // namespace waitdiag::tool
