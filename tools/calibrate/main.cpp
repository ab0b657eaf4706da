// waitdiag-calibrate: an MPI program that measures a machine and writes it down for `waitdiag predict`.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <thread>

#include "analyzer/simulation/calibration/calibrate.hpp"
#include "tools/calibrate/calibrate_options.hpp"
#include "tools/calibrate/mpi_laboratory.hpp"

namespace waitdiag::measuring {
namespace {

constexpr int kBadUsage = 2, kBadOutput = 3;
constexpr std::size_t kMostRanks = 64;  // up to which the distance of every pair is measured
constexpr std::size_t kNameLength = MPI_MAX_PROCESSOR_NAME;

std::vector<std::string> host_names(int ranks) {
  std::array<char, kNameLength> own{};
  int length = 0;
  MPI_Get_processor_name(own.data(), &length);
  std::vector<char> all(kNameLength * static_cast<std::size_t>(ranks));
  MPI_Allgather(own.data(), static_cast<int>(kNameLength), MPI_CHAR, all.data(),
                static_cast<int>(kNameLength), MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
    names.emplace_back(&all[rank * kNameLength]);
  return names;
}

// Cores are those that this process may use; the ranks of a host are assumed to share them.
bool more_ranks_than_cores(const std::vector<std::string>& hosts, int rank) {
  const auto here = std::ranges::count(hosts, hosts[static_cast<std::size_t>(rank)]);
  return here > static_cast<std::ptrdiff_t>(std::max(1u, std::thread::hardware_concurrency()));
}

void print(const Calibration& calibration, const Options& options) {
  std::printf("%-8s %6s %12s %14s %10s %8s %9s %12s %9s\n", "level", "units", "latency", "bandwidth",
              "intervals", "error", "at worst", "other sizes", "at worst");
  for (std::size_t l = 0; l < calibration.levels.size(); ++l) {
    const MachineLevel& level = calibration.machine.levels[l];
    const FitError& error = calibration.levels[l].error;
    const FitError& other = calibration.levels[l].other_error;
    std::printf("%-8s %6s %9.3f us %9.1f MB/s %10zu %6.1f %% %7.1f %% %10.1f %% %7.1f %%\n",
                level.name.c_str(), level.units > 0 ? std::to_string(level.units).c_str() : "-",
                calibration.levels[l].samples.front().ns / 1e3,
                level.intervals.back().ns_per_byte > 0 ? 1e3 / level.intervals.back().ns_per_byte : 0.0,
                level.intervals.size(), 100 * error.typical, 100 * error.worst, 100 * other.typical,
                100 * other.worst);
  }
  for (const std::string& note : calibration.assumed) std::printf("Assumed: %s.\n", note.c_str());
  std::printf("waitdiag predict DIR --machine %s\n", options.output.c_str());
}

int measure(Participant& participant, const std::vector<std::string>& hosts, const Options& options) {
  std::ofstream file(options.output);
  if (!file) {
    std::fprintf(stderr, "waitdiag-calibrate: cannot write %s; give another file with -o\n",
                 options.output.c_str());
    const MpiLaboratory nothing(participant, {}, 0, 0);  // releases the other ranks
    return kBadOutput;
  }
  std::vector<std::string> used(
      hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(std::min(hosts.size(), kMostRanks)));
  MpiLaboratory laboratory(participant, used, options.repetitions, options.seconds);
  Calibration calibration = calibrate(laboratory, {.largest_bytes = options.largest_bytes, .progress = {}});
  calibration.machine.description =
      "as " + std::to_string(hosts.size()) + " ranks on " + hosts.front() + " found it";
  if (used.size() < hosts.size())
    calibration.assumed.push_back("the ranks from " + std::to_string(kMostRanks) +
                                  " on are like those before");
  file << machine_text(calibration);
  file.close();
  if (!file) {
    std::fprintf(stderr, "waitdiag-calibrate: cannot write all of %s; is the disk full?\n",
                 options.output.c_str());
    return kBadOutput;
  }
  if (!options.quiet) print(calibration, options);
  return 0;
}

// All ranks take the same decision from the options; only rank 0 prints and writes.
int run(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options = parse_options(argc, argv);
  if (!options.help.empty()) {
    if (rank == 0) std::fputs(options.help.c_str(), stdout);
    return 0;
  }
  if (options.complaint.empty() && ranks < 2)
    options.complaint = "needs two ranks or more: mpirun -n 2 waitdiag-calibrate";
  if (!options.complaint.empty()) {
    if (rank == 0) std::fprintf(stderr, "waitdiag-calibrate: %s\n", options.complaint.c_str());
    return kBadUsage;
  }
  const std::vector<std::string> hosts = host_names(ranks);
  Participant participant(more_ranks_than_cores(hosts, rank));
  if (rank == 0) return measure(participant, hosts, options);
  participant.serve();
  return 0;
}

}  // namespace
}  // namespace waitdiag::measuring

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = waitdiag::measuring::run(argc, argv);
  MPI_Finalize();
  return status;
}
