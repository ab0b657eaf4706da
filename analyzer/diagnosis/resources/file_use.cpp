// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/file_use.hpp"

#include <algorithm>
#include <string>

#include "analyzer/trace/model/call_class.hpp"

namespace waitdiag {
namespace {

void add(FileUse::Sum& sum, const FileUse::Sum& more) {
  sum.calls += more.calls;
  sum.time += more.time;
  sum.read_bytes += more.read_bytes;
  sum.written_bytes += more.written_bytes;
}

bool is_file_call(const Region& region) {
  return region.mpi() && call_class(region) == CallClass::File;
}

}  // namespace

FileUse file_use(const Trace& trace) {
  std::vector<bool> of_file(trace.call_paths().size());
  for (std::size_t path = 0; path < of_file.size(); ++path)
    of_file[path] = is_file_call(trace.region(CallPathId(path)));
  FileUse use;
  if (std::find(of_file.begin(), of_file.end(), true) == of_file.end()) return use;
  std::vector<FileUse::Sum> sums(of_file.size());
  for (const Timeline& timeline : trace.timelines()) {
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const std::size_t path = index(trace.without_sites(timeline.call_path(op)));
      if (of_file[path]) add(sums[path], {.calls = 1, .time = timeline.length(op)});
    }
    for (const FileAccess& access : timeline.file_accesses()) {
      const CallPathId path = trace.without_sites(timeline.call_path(access.op));
      const bool writes = trace.region(path).name.find("write") != std::string::npos;
      (writes ? sums[index(path)].written_bytes : sums[index(path)].read_bytes) += access.bytes;
    }
  }
  for (std::size_t path = 0; path < sums.size(); ++path) {
    if (sums[path].calls == 0) continue;
    add(use.all, sums[path]);
    use.call_paths.push_back({CallPathId(path), sums[path]});
  }
  std::stable_sort(use.call_paths.begin(), use.call_paths.end(),
                   [](const auto& a, const auto& b) { return a.sum.time > b.sum.time; });
  return use;
}

}  // namespace waitdiag
