// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/doctor/program_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tools/waitdiag/launching/no_archive.hpp"

namespace waitdiag::tool {
namespace {

constexpr char kInside[] = "put `waitdiag exec --` in front of the program instead";

// Slurm passes on only the variables in the list; the recorder's are not among them.
std::string narrow_export(const std::vector<std::string>& launch_line, const std::string& export_list) {
  const std::string option = "--export=";
  for (const std::string& word : launch_line)
    if (word.starts_with(option)) return word.substr(option.size()).starts_with("ALL") ? "" : word;
  return export_list.empty() || export_list.starts_with("ALL") ? "" : "SLURM_EXPORT_ENV=" + export_list;
}

std::string bindings(const ProgramProbe& probe) {
  std::string text;
  const auto add = [&text](bool used, const char* name) {
    if (used) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  add(probe.calls_c, "C");
  add(probe.calls_fortran, "Fortran (mpif.h, use mpi)");
  add(probe.calls_f08, "Fortran (use mpi_f08)");
  return text;
}

Finding mpi_finding(const std::string& program, const ProgramProbe& probe) {
  if (const std::string reason = why_out_of_reach(program, probe); !reason.empty())
    return {Grade::Problem, "MPI", reason};
  if (const std::string library = mpi_library_name(probe); !library.empty()) {
    const std::string calls = bindings(probe);
    return {Grade::Ok, "MPI",
            library + (calls.empty() ? ", called from the program's libraries" : ", called from " + calls)};
  }
  return {Grade::Note, "MPI",
          program +
              (probe.elf ? " is not linked with an MPI library itself"
                         : " is no program file, perhaps a script") +
              "; what it loads or starts has to be (below: whether the recorder saw any)"};
}

Finding symbols_finding(const ProgramProbe& probe) {
  if (!probe.symbols)
    return {Grade::Note, "symbols",
            "stripped: functions of the program are shown as addresses; link without -s and do not strip"};
  if (!probe.lines)
    return {Grade::Note, "symbols", "functions have names, but no files and lines; compile with -g"};
  return {Grade::Ok, "symbols", "functions with files and lines"};
}

Finding wrappers_finding(const ProgramProbe& probe) {
  const bool init = std::find(probe.defines.begin(), probe.defines.end(), "MPI_Init") != probe.defines.end();
  const std::size_t more = probe.defines.size() - 1;
  return {init ? Grade::Problem : Grade::Note, "MPI tools",
          fmt::format(
              "the program defines {}{} itself, so the recorder does not see these calls; link it without "
              "the tool that brings them",
              probe.defines.front(), more == 0 ? "" : fmt::format(" and {} more", more))};
}

Findings tools_findings(const ProgramProbe& probe) {
  static constexpr std::array<std::string_view, 9> kTools{"libscorep",   "libmpiP",        "libTAU",
                                                          "libmpitrace", "libipm",         "libdarshan",
                                                          "libVT",       "libmap-sampler", "libhpctoolkit"};
  Findings findings;
  for (const std::string& name : probe.libraries)
    if (std::any_of(kTools.begin(), kTools.end(),
                    [&name](std::string_view tool) { return name.starts_with(tool); }))
      findings.push_back({Grade::Note, "MPI tools",
                          "the program is linked with " + name +
                              ", which measures too: both see the program's calls, and its time counts as "
                              "MPI's; link it without to see the program alone"});
  if (!probe.defines.empty()) findings.push_back(wrappers_finding(probe));
  return findings;
}

}  // namespace

Finding launcher_finding(const std::vector<std::string>& launch_line, Launcher launcher,
                         const std::string& export_list) {
  const std::size_t place = place_of_launcher(launch_line);
  const bool first = place == 0;
  const std::string name =
      std::filesystem::path(launch_line[place < launch_line.size() ? place : 0]).filename().string();
  if (launcher == Launcher::Hydra && first)
    return {Grade::Ok, "launcher", name + " is Hydra; only the ranks load the recorder (-genv)"};
  if (launcher == Launcher::OpenMpi && first)
    return {Grade::Ok, "launcher", name + " is Open MPI's; only the ranks load the recorder (-x)"};
  if (name == "srun") {
    const std::string narrow = narrow_export(launch_line, export_list);
    if (narrow.empty()) return {Grade::Ok, "launcher", "srun passes the recorder on in the environment"};
    return {Grade::Note, "launcher",
            narrow + " keeps the recorder's variables from the ranks; say --export=ALL,..., or " + kInside};
  }
  return {Grade::Note, "launcher",
          name +
              " is not known; it gets the recorder in its environment: if that does not reach the ranks, " +
              kInside};
}

Findings launcher_findings(Launcher launcher, const std::string& program, const ProgramProbe& probe) {
  if (const std::string reason = why_ranks_are_alone(launcher, program, probe); !reason.empty())
    return {{Grade::Problem, "launcher", reason}};
  if (const std::string hint = hint_at_launcher(launcher, program, probe); !hint.empty())
    return {{Grade::Note, "launcher", hint}};
  return {};
}

Findings program_findings(const std::string& program, const ProgramProbe& probe) {
  if (program.empty())
    return {{Grade::Note, "program", "none of the launch line was found in PATH; check its name"}};
  Findings findings{{Grade::Ok, "program", program}, mpi_finding(program, probe)};
  if (probe.elf) findings.push_back(symbols_finding(probe));
  for (Finding& finding : tools_findings(probe)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace waitdiag::tool
