// Where libwaitprof.so is.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/recorder_library.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

// Relative to the directory of this program: as installed, and as built.
constexpr std::array<const char*, 4> kPlaces{"../" WAITPROF_LIBDIR "/libwaitprof.so", "../lib/libwaitprof.so",
                                             "../lib64/libwaitprof.so", "../../libwaitprof/libwaitprof.so"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The loader splits LD_PRELOAD at blanks and colons, which cannot be quoted.
std::string loadable(const fs::path& library) {
  std::string path = fs::canonical(library).string();
  if (path.find_first_of(" :") != std::string::npos)
    throw CannotStart(
        "the recorder's path " + path +
        " has a blank or a colon, which LD_PRELOAD cannot hold; set WAITPROF_LIBRARY to a copy elsewhere");
  return path;
}

}  // namespace

std::string find_recorder_library() {
  if (const char* chosen = std::getenv("WAITPROF_LIBRARY"); chosen != nullptr && *chosen != '\0') {
    if (!is_file(chosen))
      throw CannotStart(std::string("WAITPROF_LIBRARY names ") + chosen +
                        ", which is no file; correct it, or unset it to use the installed recorder");
    return loadable(chosen);
  }
  std::error_code trouble;
  const fs::path home = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  for (const char* place : kPlaces)
    if (is_file(home / place)) return loadable(home / place);
  throw CannotStart(
      "libwaitprof.so is not beside " + (home / "waitdiag").string() +
      " (looked in ../lib*, ../../libwaitprof); install it, or set WAITPROF_LIBRARY to its path");
}

bool lacks_backend(const std::string& mpi) {
  try {
    return !is_file(fs::path(find_recorder_library()).parent_path() /
                    ("waitprof/libwaitprof-" + mpi + ".so"));
  } catch (const CannotStart&) {
    return false;  // there is no recorder at all: find_recorder_library() reports that
  }
}

}  // namespace waitdiag::tool
