// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/doctor/machine_findings.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>

#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/switch_events.hpp"
#include "tools/waitdiag/command_line/environment.hpp"
#include "tools/waitdiag/launching/program_probe.hpp"

namespace waitdiag::tool {
namespace {

constexpr char kClockSource[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

double cost_of_reading() {
  constexpr int kReadings = 10'000;
  timespec time{};
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kReadings; ++i) clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         kReadings;
}

constexpr char kPerfParanoid[] = "/proc/sys/kernel/perf_event_paranoid";

// Makes the request that the recorder makes to the kernel for each thread: returns 0, or errno.
int ask_for_switches() {
  const int descriptor = waitprof::schema::open_switches_of_this_thread();
  if (descriptor < 0) return errno;
  const std::size_t bytes = waitprof::schema::kSwitchPages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int trouble = pages == MAP_FAILED ? errno : 0;
  if (pages != MAP_FAILED) munmap(pages, bytes);
  close(descriptor);
  return trouble;
}

bool is_recorder(const std::filesystem::path& library) {
  return library.filename() == "libwaitprof.so";
}

Finding preload_finding(const std::string& library) {
  std::error_code ignored;
  if (library.find('/') != std::string::npos && !std::filesystem::exists(library, ignored))
    return {Grade::Note, "LD_PRELOAD",
            library + " is not there; the loader complains in every process: correct or unset LD_PRELOAD"};
  const ProgramProbe probe = probe_program(library);
  if (!probe.defines.empty())
    return {Grade::Note, "LD_PRELOAD",
            fmt::format(
                "{} is another MPI tool (it defines {}); the recorder is loaded before it, so that both "
                "see the program's calls, and the tool's time counts as MPI's: unset LD_PRELOAD to record "
                "without it",
                library, plural(probe.defines.size(), "MPI function"))};
  return {Grade::Ok, "LD_PRELOAD", library + " stays loaded as well"};
}

}  // namespace

Finding clock_finding(const std::string& source, double read_ns) {
  if (source == "tsc") return {Grade::Ok, "clock", "the processor's counter (tsc), which the kernel trusts"};
  return {Grade::Note, "clock",
          fmt::format(
              "the kernel's, {} ({:.0f} ns a reading): it does not trust the processor's counter (tsc), so "
              "every MPI call costs two such readings more; if that is much, ask for a node with tsc",
              source.empty() ? "of unknown source" : source, read_ns)};
}

Finding clock_finding() {
  std::ifstream file(kClockSource);
  std::string source;
  file >> source;
  return clock_finding(source, cost_of_reading());
}

Finding presence_finding(int trouble, const std::string& paranoid) {
  if (trouble == 0)
    return {Grade::Ok, "presence", "the kernel tells every time a thread leaves a processor, and why"};
  constexpr int kTooStrict = 2;
  std::string remedy = "a container's seccomp profile that allows perf_event_open would tell";
  if (trouble == ENOMEM)
    remedy = "a larger kernel.perf_event_mlock_kb would tell";
  else if (trouble == ENOSYS || paranoid.empty())
    remedy = "a kernel with CONFIG_PERF_EVENTS would tell";
  else if (std::atoi(paranoid.c_str()) > kTooStrict)
    remedy = fmt::format("kernel.perf_event_paranoid={} instead of {} would tell", kTooStrict, paranoid);
  return {
      Grade::Note, "presence",
      fmt::format("the kernel does not tell when a thread leaves a processor (perf_event_open: {}): clocks "
                  "say for how long between MPI calls half a millisecond apart, not when; {}",
                  std::strerror(trouble), remedy)};
}

Finding presence_finding() {
  std::ifstream file(kPerfParanoid);
  std::string paranoid;
  file >> paranoid;
  return presence_finding(ask_for_switches(), paranoid);
}

Finding backends_finding(const std::vector<InstalledBackend>& backends, const std::string& directory,
                         const std::string& version) {
  constexpr const char* kMake = "waitdiag backend build --mpicc PATH/mpicc";
  std::string known, unfit;
  for (const InstalledBackend& backend : backends) {
    const bool fits = backend.version == version;
    std::string& list = fits ? known : unfit;
    list += (list.empty() ? "" : ", ") + (fits ? backend.mpi : backend.file.filename().string());
  }
  if (backends.empty())
    return {Grade::Problem, "backends",
            fmt::format("none in {}, so that no program is recorded; make the one for your MPI: {}",
                        directory, kMake)};
  if (unfit.empty()) return {Grade::Ok, "backends", known + " (each for all MPIs with the same ABI)"};
  return {known.empty() ? Grade::Problem : Grade::Note, "backends",
          fmt::format("{}{} of another build than this waitdiag ({}), so that nothing is recorded with it; "
                      "install both together, or make it anew: {}",
                      known.empty() ? "" : known + "; ", unfit, version, kMake)};
}

Finding backends_finding(const std::filesystem::path& recorder) {
  const std::filesystem::path directory = recorder.parent_path() / "waitprof";
  return backends_finding(installed_backends(directory), directory.string(), WAITPROF_VERSION);
}

Finding processors_finding(std::uint64_t ranks, std::uint64_t processors) {
  const std::string here = fmt::format("{} may be used on this node", processors);
  if (ranks <= processors) return {Grade::Ok, "processors", here};
  return {
      Grade::Note, "processors",
      fmt::format("{}, for {} ranks: if all of them run here they take turns, which looks like computation; "
                  "start fewer, or on more nodes",
                  here, ranks)};
}

Finding processors_finding(std::uint64_t ranks) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return {Grade::Ok, "processors", "how many may be used is not known"};
  return processors_finding(ranks, static_cast<std::uint64_t>(CPU_COUNT(&set)));
}

Findings environment_findings() {
  Findings findings;
  if (const std::string value = environment("WAITPROF_ENABLE"); value == "off" || value == "0")
    findings.push_back(
        {Grade::Problem, "environment", "WAITPROF_ENABLE=" + value + " turns the recorder off; unset it"});
  const std::string preloaded = environment("LD_PRELOAD");
  for (std::size_t at = preloaded.find_first_not_of(": "); at != std::string::npos;) {
    const std::size_t end = std::min(preloaded.find_first_of(": ", at), preloaded.size());
    const std::string library = preloaded.substr(at, end - at);
    if (!is_recorder(library)) findings.push_back(preload_finding(library));
    at = preloaded.find_first_not_of(": ", end);
  }
  return findings;
}

}  // namespace waitdiag::tool
