// How a launch line is changed so that the MPI ranks load the recorder.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/launch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <initializer_list>

#include "tools/waitdiag/launching/search_path.hpp"

namespace waitdiag::tool {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Words that are followed by the program; anything before them (timeout 60, env A=b) starts the launcher.
bool is_launcher(const std::string& word) {
  static constexpr std::array<std::string_view, 13> kNames{
      "mpirun",        "mpiexec",        "mpirun.mpich",    "mpiexec.mpich",
      "mpiexec.hydra", "mpirun.openmpi", "mpiexec.openmpi", "orterun",
      "prterun",       "srun",           "aprun",           "prun",
      "jsrun"};
  const std::string name = std::filesystem::path(word).filename().string();
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Launcher launcher_of(std::string_view file, std::string_view content) {
  const std::string name = std::filesystem::path(file).filename().string();
  if (name == "mpiexec.hydra") return Launcher::Hydra;
  if (is_one_of(name, {"orterun", "prterun", "prun"})) return Launcher::OpenMpi;
  const bool common = is_one_of(
      name, {"mpirun", "mpiexec", "mpirun.mpich", "mpiexec.mpich", "mpirun.openmpi", "mpiexec.openmpi"});
  const auto says = [content](std::string_view word) { return content.find(word) != std::string_view::npos; };
  if (common && (says("orterun") || says("prterun") || says("prte"))) return Launcher::OpenMpi;
  if (common && (says("hydra") || says("HYDRA"))) return Launcher::Hydra;
  return is_launcher(name) ? Launcher::Other : Launcher::None;
}

std::size_t place_of_launcher(const std::vector<std::string>& launch_line) {
  return static_cast<std::size_t>(std::find_if(launch_line.begin(), launch_line.end(), is_launcher) -
                                  launch_line.begin());
}

Launch plan_launch(const std::vector<std::string>& launch_line, const Settings& settings, Launcher launcher) {
  if (launcher != Launcher::Hydra && launcher != Launcher::OpenMpi) return {launch_line, settings};
  Launch launch;
  for (const std::string& word : launch_line) {
    const bool program_follows = launch.arguments.empty() || (launcher == Launcher::OpenMpi && word == ":");
    launch.arguments.push_back(word);
    for (const auto& [name, value] : settings) {
      if (!program_follows) break;
      if (launcher == Launcher::Hydra)
        launch.arguments.insert(launch.arguments.end(), {"-genv", name, value});
      else
        launch.arguments.insert(launch.arguments.end(), {"-x", name + "=" + value});
    }
  }
  return launch;
}

std::string with_preloaded(std::string_view already, std::string_view library,
                           const std::function<bool(const std::string&)>& is_mpi_tool) {
  constexpr std::string_view kSeparators = ": ";  // ld.so takes both
  std::size_t first_tool = std::string_view::npos;
  for (std::size_t at = already.find_first_not_of(kSeparators); at != std::string_view::npos;) {
    const std::size_t end = std::min(already.find_first_of(kSeparators, at), already.size());
    const std::string entry(already.substr(at, end - at));
    if (entry == library) return std::string(already);
    if (first_tool == std::string_view::npos && is_mpi_tool(entry)) first_tool = at;
    at = already.find_first_not_of(kSeparators, end);
  }
  if (first_tool != std::string_view::npos)
    return std::string(already.substr(0, first_tool)) + std::string(library) + ":" +
           std::string(already.substr(first_tool));
  return already.empty() ? std::string(library) : std::string(already) + ":" + std::string(library);
}

std::string find_program(const std::vector<std::string>& launch_line) {
  const auto launcher = std::find_if(launch_line.begin(), launch_line.end(), is_launcher);
  for (auto word = launcher == launch_line.end() ? launch_line.begin() : launcher + 1;
       word != launch_line.end(); ++word) {
    if (word->empty() || word->front() == '-') continue;
    if (std::string file = find_executable(*word); !file.empty()) return file;
  }
  return "";
}

std::string missing_program(const std::vector<std::string>& launch_line) {
  const auto launcher = std::find_if(launch_line.begin(), launch_line.end(), is_launcher);
  for (auto word = launcher == launch_line.end() ? launch_line.begin() : launcher + 1;
       word != launch_line.end(); ++word)
    if (word->find('/') != std::string::npos && word->front() != '-' && !std::filesystem::exists(*word))
      return *word;
  return launch_line.empty() || launch_line.back().front() == '-' ? "" : launch_line.back();
}

std::string rank_count(const std::vector<std::string>& launch_line) {
  static constexpr std::array<std::string_view, 4> kOptions{"-n", "-np", "--np", "--ntasks"};
  for (std::size_t i = 1; i + 1 < launch_line.size(); ++i)
    if (std::find(kOptions.begin(), kOptions.end(), launch_line[i]) != kOptions.end() &&
        is_number(launch_line[i + 1]))
      return launch_line[i + 1];
  return "";
}

std::string run_name(const std::vector<std::string>& launch_line) {
  const std::string program = find_program(launch_line);
  const std::filesystem::path file(program.empty() ? launch_line.front() : program);
  const std::string ranks = rank_count(launch_line);
  return file.filename().string() + (ranks.empty() ? "" : "-" + ranks + "p");
}

}  // namespace waitdiag::tool
