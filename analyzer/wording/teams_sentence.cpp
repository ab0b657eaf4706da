// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/teams_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {

std::string teams_sentence(const Teams& teams) {
  const Teams::Team& most = teams.by_call_path.front();
  constexpr double kNotable = 0.995;
  const auto where_notable = [](const char* name, double factor) {
    return factor < kNotable ? fmt::format("{} {}, ", name, format_share(factor)) : "";
  };
  std::string text = fmt::format(
      "parallel efficiency {} of up to {} a rank: MPI {}, OpenMP {} (serial parts {}, thread balance {}, "
      "{}{}{}begin and end of teams {}); most waiting in {} on rank {}: {}, thread {} of {} computed longest",
      format_share(teams.parallel), plural(teams.threads, "thread"), format_share(teams.mpi),
      format_share(teams.openmp), format_share(teams.serial), format_share(teams.balance),
      where_notable("critical sections and locks", teams.contention),
      where_notable("waiting for tasks", teams.tasks), where_notable("barriers", teams.barriers),
      format_share(teams.overhead), most.function, most.rank, format_duration(most.waiting_s),
      most.busiest_thread, most.threads);
  const auto add_wait = [&](double factor, double Teams::Team::*loss, double Teams::Team::*waits,
                            const char* what) {
    const Teams::Team& row = *std::ranges::max_element(teams.by_call_path, {}, loss);
    if (factor < kNotable)
      text += fmt::format("; threads wait for {} in {} on rank {}: {}", what, row.function, row.rank,
                          format_duration(row.*waits));
  };
  add_wait(teams.contention, &Teams::Team::contention_s, &Teams::Team::turns_s,
           "critical or ordered sections or locks");
  add_wait(teams.tasks, &Teams::Team::tasks_s, &Teams::Team::task_waits_s, "tasks");
  if (teams.mpi_inside_s > 0)
    text += fmt::format("; without at least {} of MPI calls inside of teams",
                        format_duration(teams.mpi_inside_s));
  std::uint64_t left_out = 0;
  for (const Teams::Team& row : teams.by_call_path) left_out += row.left_out;
  if (left_out > 0)
    text +=
        fmt::format("; {} not in it: more than 256 threads, or tasks that are detached or carry much data",
                    plural(left_out, "region"));
  return text;
}

}  // namespace waitdiag
