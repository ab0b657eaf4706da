// See attendance.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/attendance.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/lifecycle/bulletin.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/launched_job.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"

namespace waitprof {
namespace {

constexpr long kMostPlaces = 4096;  // of one machine

LaunchedJob job;
Bulletin bulletin;
bool cannot_sign = false;  // so other ranks find this one missing

// A file in shared memory, named after the job: a byte for each rank; behind them their parts of the memory through
// which they talk, if there is room for them.
constexpr char kHere = '1', kHereWithPart = '2';
struct List {
  char path[96] = "";
  int file = -1;
  bool kept = false;
};
constinit List list;

void sign_list() noexcept {
  const QuietSection quiet;  // the size of files may be limited
  list = {};
  list.kept = true;
  std::snprintf(list.path, sizeof list.path, "/dev/shm/waitprof.%s", job.name);
  constexpr mode_t kMine = 0600;
  list.file = ::open(list.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMine);
  if (list.file < 0 && (errno == ENOENT || errno == EROFS)) list.kept = false;  // no rank of this machine can
  if (list.file < 0) return;
  const bool has_part = shared_memory_ranks.take_part(list.file, kMostPlaces, static_cast<int>(job.rank),
                                                      static_cast<int>(job.ranks));
  if (::pwrite(list.file, has_part ? &kHereWithPart : &kHere, 1, job.rank) != 1) {
    ::close(list.file);
    list.file = -1;
  }
}

void remove_list() noexcept {
  if (list.file < 0) return;
  ::close(list.file);
  ::unlink(list.path);
}

void say_who_is_missing(long present) noexcept {
  say("only %ld of %ld ranks have this library (the others do not preload it, or their MPI is linked "
      "statically): "
      "nothing is recorded.",
      present, job.ranks);
}

void make_progress() noexcept {
  int found = 0;
  pmpi::Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

Attendance read_list() noexcept {
  char signatures[kMostPlaces] = "";
  // If this rank could not sign, the others find it missing, too.
  if (list.file < 0) {
    if (job.rank == 0) say("cannot write to /dev/shm, where ranks find each other: nothing is recorded.");
    return Attendance::Some;
  }
  const ssize_t read = ::pread(list.file, signatures, sizeof signatures, 0);
  remove_list();
  const std::string_view signed_by(signatures, read > 0 ? static_cast<std::size_t>(read) : 0);
  const auto with_part = std::count(signed_by.begin(), signed_by.end(), kHereWithPart);
  const auto present = with_part + std::count(signed_by.begin(), signed_by.end(), kHere);
  if (with_part == job.ranks) shared_memory_ranks.begin(make_progress);
  if (present == job.ranks) return Attendance::All;
  constexpr char kBoth[] = {kHere, kHereWithPart, '\0'};
  if (signed_by.find_first_of(kBoth) == static_cast<std::size_t>(job.rank)) say_who_is_missing(present);
  return Attendance::Some;
}

// Two ranks that both signed, in a communicator of their own: no other rank takes part in creating it.
class Pair {
 public:
  Pair(int first, int second) noexcept {
    constexpr int kTag = 21335;
    const int ranks[] = {first, second};
    MPI_Group world = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
    pmpi::Comm_group(MPI_COMM_WORLD, &world);
    pmpi::Group_incl(world, 2, ranks, &two);
    pmpi::Comm_create_group(MPI_COMM_WORLD, two, kTag, &comm_);
    pmpi::Group_free(&two);
    pmpi::Group_free(&world);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { pmpi::Comm_free(&comm_); }

  void tell(int place, int number) const noexcept { pmpi::Send(&number, 1, MPI_INT, place, 0, comm_); }
  int hear(int place) const noexcept {
    int number = 0;
    pmpi::Recv(&number, 1, MPI_INT, place, 0, comm_, MPI_STATUS_IGNORE);
    return number;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Counts the ranks of the subtree of `rank` that signed and are connected; then learns from above whether all
// of `ranks` did. Ranks below a missing one are not counted, but are informed.
int look_over_tree(int rank, int ranks, bool is_root) noexcept {
  int present = 1;
  std::optional<Pair> below[2];  // created once, on both sides
  for (int i = 0; i < 2; ++i) {
    const int child = 2 * rank + 1 + i;
    if (child < ranks && bulletin.is_signed_by(child)) {
      present += below[i].emplace(rank, child).hear(1);
    }
  }
  if (!is_root) {
    const Pair above((rank - 1) / 2, rank);
    above.tell(0, present);
    present = above.hear(0);
  }
  for (const std::optional<Pair>& child : below) {
    if (child) child->tell(1, present);
  }
  return present;
}

Attendance read_bulletin(int rank, int ranks) noexcept {
  const bool is_root = rank == 0 || !bulletin.is_signed_by((rank - 1) / 2);
  const int present = look_over_tree(rank, ranks, is_root);
  const bool speaks = present < ranks && is_root && bulletin.may_speak(rank);
  bulletin.clear(rank);
  if (speaks) {
    say("not all of %d ranks have this library (the others do not preload it, or their MPI is linked "
        "statically; with "
        "Open MPI, other nodes need -x LD_PRELOAD)%s: nothing is recorded.",
        ranks,
        job.pmi >= 0 ? "" : ", or their nodes share neither the archive's directory nor the working one");
  }
  return present == ranks ? Attendance::All : Attendance::Some;
}

}  // namespace

void sign_in() noexcept {
  job = launched_job();
  list = {};
  if (job.known() && job.ranks > 1 && job.one_machine && job.ranks <= kMostPlaces) {
    sign_list();
  }
  const bool may_sign = job.known() && job.ranks > 1 && (job.pmi >= 0 || job.on_all_machines);
  cannot_sign = may_sign && !list.kept && !bulletin.sign(job);
}

Attendance attendance(int rank, int ranks) noexcept {
  if (ranks == 1) {
    remove_list();  // by another MPI's launcher
    return Attendance::All;
  }
  if (cannot_sign || !job.known() || job.rank != rank || job.ranks != ranks) {
    remove_list();
    if (!cannot_sign && settings.every_rank) return Attendance::All;
    if (rank == 0 && settings.enabled) {
      say("nothing tells whether all %d ranks have this library: nothing is recorded. If they have, set "
          "WAITPROF_EVERY_RANK=on.",
          ranks);
    }
    return Attendance::Some;
  }
  return list.kept ? read_list() : read_bulletin(rank, ranks);
}

}  // namespace waitprof
