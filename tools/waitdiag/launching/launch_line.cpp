// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/launch_line.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "tools/waitdiag/command_line/help_format.hpp"

namespace waitdiag::tool {
namespace {

class LaunchLineFormatter : public HelpFormat {
 public:
  explicit LaunchLineFormatter(std::string name) : name_(std::move(name)) {}
  std::string make_usage(const CLI::App* command, std::string) const override {
    return "Usage: waitdiag " + command->get_name() + " [OPTIONS] -- " + name_ + "\n";
  }

 private:
  std::string name_;
};

}  // namespace

void take_launch_line(CLI::App& command, const std::string& name) {
  command.formatter(std::make_shared<LaunchLineFormatter>(name));
  command.prefix_command();
}

Action with_launch_line(const CLI::App& command, const std::vector<std::string>& behind_mark,
                        std::function<int(const std::vector<std::string>&)> use) {
  const std::vector<std::string> words = command.remaining();
  const std::string surplus = behind_mark.empty() || words.empty() ? "" : words.front();
  return [surplus, line = behind_mark.empty() ? words : behind_mark, use = std::move(use)] {
    if (!surplus.empty()) throw UsageError("unexpected '" + surplus + "' before --");
    return use(line);
  };
}

}  // namespace waitdiag::tool
