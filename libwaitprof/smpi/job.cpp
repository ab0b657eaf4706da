// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/smpi/job.hpp"

#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/definitions/program_name.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof::archive {
namespace {

constexpr const char* kFamily = "waitprof";
constexpr const char* kName = "job";

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> absolute(::realpath(path.c_str(), nullptr), std::free);
  return absolute ? absolute.get() : "";
}

Job* new_job() {
  auto* job = new Job;  // never deleted: ranks may look until the process ends
  job->program = program_of_command_line();
  job->size = job->waiting_for = world.size;
  job->parts.resize(static_cast<std::size_t>(world.size));
  return job;
}

}  // namespace

// smpimain PROGRAM ...
std::string program_of_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string launcher, program;
  std::getline(file, launcher, '\0');
  std::getline(file, program, '\0');
  return resolved(program);
}

// SMPI keeps one address for all ranks under two names (file and line), for SMPI_SHARED_CALL. Looked up only
// once: SMPI drops these addresses before this rank learns that the program ends.
Job& this_job() {
  static Job* const job = [] {
    if (smpi_shared_known_call(kFamily, kName) == 0) {
      smpi_shared_set_call(kFamily, kName, new_job());
    }
    return static_cast<Job*>(smpi_shared_get_call(kFamily, kName));
  }();
  return *job;
}

OwnCopy own_copy() {
  note_loaded_objects();
  LoadedObject found;
  if (!find_loaded_object(reinterpret_cast<void*>(&own_copy), found)) {
    return {};
  }
  return {reinterpret_cast<const void*>(found.begin), reinterpret_cast<const void*>(found.end),
          resolved(found.path)};
}

std::string program_name() {
  const std::string& path = this_job().program;
  return path.empty() ? "unknown" : path.substr(path.rfind('/') + 1);
}

}  // namespace waitprof::archive
