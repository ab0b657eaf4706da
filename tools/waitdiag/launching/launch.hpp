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

// What a launcher takes, and whose ranks it can start as one job.
enum class Launcher {
  None,     // the program is started by itself
  Hydra,    // MPICH's and its relatives': -genv
  OpenMpi,  // orterun, prterun: -x
  Other     // srun and the like, for any MPI
};

// `file` is what a word of a launch line resolves to, `content` what is in that file: "mpirun" may be
// anybody's.
Launcher launcher_of(std::string_view file, std::string_view content);

// The place of the launcher in the launch line ("timeout 60 mpirun ..."); none: the number of its words.
std::size_t place_of_launcher(const std::vector<std::string>& launch_line);

// Hydra and Open MPI hand the settings to the ranks alone (-genv, -x right behind the launcher, and for Open
// MPI at each further program of the line), if the line starts with them. Any other line gets them in its
// environment; the recorder keeps quiet in everything that is not an MPI program.
Launch plan_launch(const std::vector<std::string>& launch_line, const Settings& settings, Launcher launcher);

// `library` behind what LD_PRELOAD already holds, once; but in front of MPI tools, which would take the calls
// and not pass them on to it.
std::string with_preloaded(std::string_view already, std::string_view library,
                           const std::function<bool(const std::string&)>& is_mpi_tool);

// The name of the program and the number of ranks as far as the launch line shows them: "solver-64p",
// "solver", "srun".
std::string run_name(const std::vector<std::string>& launch_line);

// How many ranks the launch line asks for, as it says it; "" when it does not.
std::string rank_count(const std::vector<std::string>& launch_line);

// The word of the launch line that is probably the MPI program itself; "" when none looks like one.
std::string find_program(const std::vector<std::string>& launch_line);
// Where that finds nothing: the first file that is named and is not there, else the last word; "": an option.
std::string missing_program(const std::vector<std::string>& launch_line);

}  // namespace waitdiag::tool
