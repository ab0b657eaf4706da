// waitdiag backend: which MPIs this installation records, and making it record another one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "tools/waitdiag/backend/build_backend.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/launching/installed_backends.hpp"
#include "tools/waitdiag/launching/recorder_library.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

struct BackendCommand {
  bool build = false;
  std::string mpicc;
};

int run_backend(const BackendCommand& command) {
  if (command.build == command.mpicc.empty())
    throw UsageError("`waitdiag backend build` and --mpicc PATH belong together");
  const fs::path directory = fs::path(find_recorder_library()).parent_path() / "waitprof";
  if (command.build) {
    std::cerr << "waitdiag: compiling the recorder for the MPI of " << command.mpicc
              << ", which takes some minutes" << std::endl;
    build_backend(command.mpicc, directory, fs::absolute("waitdiag-backend.log"));
  }
  const auto backends = installed_backends(directory);
  for (const InstalledBackend& backend : backends)
    std::cout << (backend.mpi.empty() ? "unknown" : backend.mpi) << "  " << backend.file.string() << '\n';
  if (backends.empty())
    throw std::runtime_error("no backend in " + directory.string() +
                             ": nothing is recorded; make one with `waitdiag backend build --mpicc PATH`");
  return kSuccess;
}

}  // namespace

void add_backend_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<BackendCommand>();
  CLI::App* command = app.add_subcommand("backend", "The MPIs that are recorded; add another one");
  command->footer(
      "Lists the parts of the recorder that know an MPI, one for each ABI, each with the MPI that it was "
      "compiled for. `build` compiles them, and "
      "waitdiag-calibrate, for the MPI of a compiler wrapper, and puts them into this installation.\n"
      "Example: waitdiag backend build --mpicc /opt/openmpi/bin/mpicc");
  add_choice(*command, "ACTION", options->build, {{"list", false}, {"build", true}}, "What to do [list]");
  command->add_option("--mpicc", options->mpicc, "The C compiler wrapper of the MPI to build for")
      ->type_name("PATH");
  command->callback([options, &action] { action = [options] { return run_backend(*options); }; });
}

}  // namespace waitdiag::tool
