// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/named_machine.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/command_line/nearest_name.hpp"

namespace waitdiag::tool {

bool is_ready_machine(const std::string& name) {
  return std::ranges::any_of(ready_machines(), [&](const ReadyMachine& ready) { return name == ready.name; });
}

Machine named_machine(const std::string& name_or_file) {
  std::vector<std::string> names;
  for (const ReadyMachine& ready : ready_machines()) names.emplace_back(ready.name);
  const std::string nearest = nearest_name(name_or_file, names);
  if (!nearest.empty() && nearest != name_or_file && !read_text_file(name_or_file))
    throw TraceError("no machine called " + name_or_file + " and no file of that name; did you mean " +
                     nearest + "?");
  return find_machine(name_or_file);
}

std::optional<Machine> machine_of(const std::string& name_or_file) {
  if (name_or_file.empty() || name_or_file == "recorded") return std::nullopt;
  return named_machine(name_or_file);
}

}  // namespace waitdiag::tool
