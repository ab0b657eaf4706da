// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/backend/build_backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tools/waitdiag/command_line/own_directory.hpp"
#include "tools/waitdiag/launching/child.hpp"
#include "tools/waitdiag/launching/search_path.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNeeds =
    "CMake 3.20 or later, a C and C++ compiler (GCC 11 or Clang 14), Python 3 and OTF2's static library";

// The sources of an installation, or those of the build.
fs::path find_sources() {
  std::error_code trouble;
  const fs::path home = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  for (const char* place :
       {"../" WAITPROF_DATADIR "/waitprof/source", "../share/waitprof/source", "../../../.."})
    if (fs::exists(home / place / "libwaitprof/backends", trouble)) return fs::canonical(home / place);
  throw std::runtime_error("the recorder's sources are not in " +
                           (home / "../" WAITPROF_DATADIR "/waitprof/source").lexically_normal().string() +
                           "; install all of WaitProf");
}

// The line in which a compiler or CMake says what is wrong, from the first "error" on; CMake breaks lines,
// and indents those that belong together.
std::string trouble_in(const fs::path& log) {
  std::ifstream file(log);
  std::string line, text;
  while (std::getline(file, line)) {
    const bool begins = line.find("rror") != std::string::npos;
    if (text.empty() && !begins) continue;
    if (!text.empty() && (begins || (!line.empty() && line.front() != ' '))) break;
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) text += (text.empty() ? "" : " ") + line;
  }
  return text;
}

// All output of the command is appended to the log.
void run_logged(std::vector<std::string> command, const fs::path& log) {
  const std::string name = command.front();
  std::vector<std::string> shell{"sh", "-c", R"(exec "$@" >>"$0" 2>&1 </dev/null)", log.string()};
  shell.insert(shell.end(), command.begin(), command.end());
  if (const int status = run_child({std::move(shell), {}}); status != 0)
    throw std::runtime_error(fmt::format("{} failed ({}); it needs {}. All of its output is in {}", name,
                                         trouble_in(log), kNeeds, log.string()));
}

bool is_part(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string_view view = name;
  return (view.starts_with("libwaitprof-") && view.ends_with(".so")) ||
         (view.starts_with("waitdiag-calibrate-") && view.find('.') == std::string_view::npos);
}

void check_writable(const fs::path& directory) {
  std::error_code trouble;
  fs::create_directories(directory, trouble);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error(fmt::format(
        "cannot write to {} ({}); do it as the user who installed WaitProf, or install it where you may",
        directory.string(), std::strerror(errno)));
}

void put_in_place(const fs::path& file, const fs::path& directory) {
  const fs::path made = directory / fmt::format(".{}.{}", file.filename().string(), getpid());
  fs::copy_file(file, made, fs::copy_options::overwrite_existing);
  fs::rename(made, directory / file.filename());
}

void put_parts_in_place(const fs::path& built, const fs::path& directory) {
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(built, trouble))
    if (is_part(entry.path()) && entry.is_regular_file(trouble)) put_in_place(entry.path(), directory);
}

}  // namespace

void build_backend(const std::string& mpicc, const fs::path& directory, const fs::path& log) {
  const std::string wrapper = find_executable(mpicc);
  if (wrapper.empty())
    throw std::runtime_error("--mpicc " + mpicc + " is no program; name the C compiler wrapper of the MPI");
  if (find_executable("cmake").empty())
    throw std::runtime_error(fmt::format("cmake is not in PATH; a backend needs {}", kNeeds));
  check_writable(directory);
  const fs::path sources = find_sources();
  const OwnDirectory build(fs::temp_directory_path(), "waitdiag-backend");
  if (build.path().empty())
    throw std::runtime_error("cannot make a directory to compile in (" + build.trouble() + "); set TMPDIR");
  fs::remove(log);
  run_logged({"cmake", "-S", sources.string(), "-B", build.path().string(), "-DCMAKE_BUILD_TYPE=Release",
              "-DWAITPROF_ONLY_BACKENDS=ON", "-DWAITPROF_BUILD_EXAMPLES=OFF", "-DWAITPROF_MPICC=" + wrapper,
              "-DWAITPROF_OPENMPI_MPICC=" + wrapper},
             log);
  run_logged({"cmake", "--build", build.path().string(), "--parallel"}, log);
  for (const char* place : {"libwaitprof/waitprof", "tools/calibrate"})
    put_parts_in_place(build.path() / place, directory);
  fs::remove(log);
}

}  // namespace waitdiag::tool
