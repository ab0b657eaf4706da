// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/text_file.hpp"

#include <fstream>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

std::optional<std::string> read_text_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  for (char part[4096]; file.read(part, sizeof part) || file.gcount() > 0;) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMost)
      throw TraceError(path + " is larger than 64 MiB: that is not a file of this kind; name another one");
  }
  if (file.bad()) return std::nullopt;
  return text;
}

}  // namespace waitdiag
