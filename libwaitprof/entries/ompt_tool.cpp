// OpenMP run times ask for a tool by this name when a program uses OpenMP first, before or after it initialises MPI. We
// stay behind any other tool: one that the program has, one that is preloaded, one that OMP_TOOL_LIBRARIES names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

#include "libwaitprof/openmp/ompt_interface.hpp"
#include "libwaitprof/surroundings/front.hpp"

namespace waitprof {
namespace {

using UseOmpt = void (*)(void*);
constinit std::atomic<void*> ompt_look_up{nullptr};
constinit std::atomic<UseOmpt> ompt_user{nullptr};

// Whoever comes second finds the other: twice is as good as once.
void use_ompt() noexcept {
  void* const look_up = ompt_look_up.load();
  const UseOmpt use = ompt_user.load();
  if (look_up != nullptr && use != nullptr) {
    use(look_up);
  }
}

int initialise_tool(ompt::LookUp look_up, int /*device*/, ompt::Data* /*tool*/) {
  ompt_look_up.store(reinterpret_cast<void*>(look_up));
  use_ompt();
  return 1;
}

void finalise_tool(ompt::Data* /*tool*/) {
  ompt_look_up.store(nullptr);
}

constinit ompt::StartToolResult own_tool{initialise_tool, finalise_tool, {0}};

}  // namespace
}  // namespace waitprof

void waitprof_use_ompt(void (*use)(void* look_up)) noexcept {
  waitprof::ompt_user.store(use);
  waitprof::use_ompt();
}

extern "C" WAITPROF_OF_FRONT waitprof::ompt::StartToolResult* ompt_start_tool(unsigned version,
                                                                              const char* run_time);

// Programs without MPI have no tool.
waitprof::ompt::StartToolResult* ompt_start_tool(unsigned version, const char* run_time) {
  auto* const next = reinterpret_cast<decltype(&ompt_start_tool)>(dlsym(RTLD_NEXT, "ompt_start_tool"));
  waitprof::ompt::StartToolResult* const other = next != nullptr ? next(version, run_time) : nullptr;
  if (other != nullptr) {
    return other;
  }
  const char* const tools = std::getenv("OMP_TOOL_LIBRARIES");
  const bool named = tools != nullptr && *tools != '\0';
  return named || waitprof_real_function("MPI_Init") == nullptr ? nullptr : &waitprof::own_tool;
}
