// How a launch line is changed so that the MPI ranks, and as little else as possible, load the recorder.
// Pure: no process is started here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waitdiag::tool {

using Settings = std::vector<std::pair<std::string, std::string>>;  // environment variables, in order

struct Launch {
  std::vector<std::string> arguments;
  Settings environment;  // to be set for the launched process
};

// Launchers, by the options that they take and the MPI whose ranks they can start as one job.
enum class Launcher {
  None,     // the program is started by itself
  Hydra,    // MPICH's and its relatives': -genv
  OpenMpi,  // orterun, prterun: -x
  Other     // srun and the like, for any MPI
};

// `file`: the file that a word of a launch line resolves to; `content`: what is in it, since any MPI may have
// an "mpirun".
Launcher launcher_of(std::string_view file, std::string_view content);

// The position of the launcher in the launch line ("timeout 60 mpirun ..."); the number of words if there is
// none.
std::size_t place_of_launcher(const std::vector<std::string>& launch_line);

// If the line starts with Hydra or Open MPI, their options pass the settings to the ranks only (-genv or -x
// right after the launcher, and for Open MPI at each further program of the line). Any other line gets the
// settings in its environment; the recorder stays inactive in everything that is not an MPI program.
Launch plan_launch(const std::vector<std::string>& launch_line, const Settings& settings, Launcher launcher);

// `library` once, after what LD_PRELOAD already holds, but before MPI tools: they would take the calls and
// not pass them on to it.
std::string with_preloaded(std::string_view already, std::string_view library,
                           const std::function<bool(const std::string&)>& is_mpi_tool);

// The name of the program and the number of ranks as far as the launch line shows them: "solver-64p",
// "solver", "srun".
std::string run_name(const std::vector<std::string>& launch_line);

// The number of ranks that the launch line asks for, as text; "" if it does not say.
std::string rank_count(const std::vector<std::string>& launch_line);

// The word of the launch line that is probably the MPI program itself; "" when none looks like one.
std::string find_program(const std::vector<std::string>& launch_line);
// If find_program() finds nothing: the first named file that does not exist, else the last word; "" if that
// is an option.
std::string missing_program(const std::vector<std::string>& launch_line);

}  // namespace waitdiag::tool
