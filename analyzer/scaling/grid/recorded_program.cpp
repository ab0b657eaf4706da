// From a recorded halo exchange to the array behind it: a grid of ranks whose neighbours are exactly those
// that exchange messages, then the sides of the array from the sizes of the messages (a face of a block holds
// halo * bytes of an element * its other sides).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/scaling/grid/process_grid.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // from, to
using Traffic = std::map<Pair, double>;                // bytes in one iteration

// By location and call: is it in a step?
std::vector<std::vector<bool>> calls_in_steps(const Trace& trace, const Steps& steps) {
  std::vector<std::vector<bool>> inside(trace.timelines().size());
  for (std::uint32_t l = 0; l < inside.size(); ++l) {
    inside[l].assign(trace.timelines()[l].size() + 1, false);
    steps.for_each_part(trace, Location(l), [&](const GapPart& part, std::uint32_t step) {
      inside[l][part.gap] = step != Steps::kOutside;
    });
  }
  return inside;
}

Traffic traffic_of(const Trace& trace, const SyncPoints& sync, const Steps& steps,
                   const std::vector<std::vector<bool>>& inside) {
  Traffic traffic;
  for (const Message& message : sync.messages) {
    const MessageEnd& end = send_end(trace, message);
    if (end.posted == kNoOp || !inside[index(message.sender)][end.posted]) continue;
    const Pair pair{static_cast<std::uint32_t>(index(trace.rank(message.sender))),
                    static_cast<std::uint32_t>(index(trace.rank(message.receiver)))};
    traffic[pair] += static_cast<double>(end.bytes) / steps.count();
  }
  return traffic;
}

std::array<std::uint32_t, kMostGridDimensions> place_in(const ProcessGrid& grid, std::uint32_t rank) {
  return {rank / grid.along[2] / grid.along[1], rank / grid.along[2] % grid.along[1], rank % grid.along[2]};
}

// All pairs of neighbours on a grid.
std::set<Pair> neighbours_on(const ProcessGrid& grid, bool periodic) {
  std::set<Pair> pairs;
  const std::array<std::uint32_t, kMostGridDimensions> stride{grid.along[1] * grid.along[2], grid.along[2],
                                                              1};
  for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) {
    const auto place = place_in(grid, rank);
    for (std::size_t d = 0; d < kMostGridDimensions; ++d) {
      if (grid.along[d] == 1) continue;
      const bool last = place[d] + 1 == grid.along[d];
      if (last && !periodic) continue;
      const std::uint32_t other = last ? rank - place[d] * stride[d] : rank + stride[d];
      pairs.insert({rank, other});
      pairs.insert({other, rank});
    }
  }
  return pairs;
}

struct Found {
  ProcessGrid grid{};
  std::size_t dimensions = 0;
  bool periodic = false;
};

Found find_grid(const Traffic& traffic, std::uint32_t ranks) {
  std::set<Pair> seen;
  for (const auto& [pair, bytes] : traffic) seen.insert(pair);
  std::optional<Found> found;
  for (std::size_t dimensions = 1; dimensions <= kMostGridDimensions && !found; ++dimensions)
    for (const ProcessGrid& grid : all_grids(dimensions, ranks)) {
      const bool real =
          std::all_of(grid.along.begin(), grid.along.begin() + static_cast<std::ptrdiff_t>(dimensions),
                      [](std::uint32_t along) { return along > 1; });
      if (!real || grid.ranks() != ranks) continue;
      for (const bool periodic : {false, true})
        if (!found && neighbours_on(grid, periodic) == seen) found = Found{grid, dimensions, periodic};
    }
  if (found) return *found;
  const std::set<Pair> line = neighbours_on({{ranks, 1, 1}}, false);
  const auto odd =
      std::find_if(seen.begin(), seen.end(), [&](const Pair& pair) { return !line.contains(pair); });
  throw TraceError("no grid of " + std::to_string(ranks) +
                   " ranks has exactly the recorded messages between its neighbours" +
                   (odd == seen.end()
                        ? std::string()
                        : "; not along a line, for instance, rank " + std::to_string(odd->first) +
                              " sends to rank " + std::to_string(odd->second)) +
                   "; describe the program in a file and name it with --program");
}

// Bytes of the face between the first rank and the next one along a dimension, by elements of the halo.
double face_of(const Traffic& traffic, const Found& found, std::size_t d, const ArrayFacts& facts) {
  std::uint32_t stride = 1;
  for (std::size_t e = d + 1; e < kMostGridDimensions; ++e) stride *= found.grid.along[e];
  double bytes = traffic.at({0, stride});
  if (found.periodic && found.grid.along[d] == 2) bytes /= 2;  // both of its neighbours are the same rank
  return bytes / static_cast<double>(facts.element_bytes * facts.halo);
}

// The sides of the first rank's block, multiplied by the number of ranks along them.
std::vector<std::uint64_t> array_size(const Traffic& traffic, const Found& found, const ArrayFacts& facts) {
  std::vector<double> face(found.dimensions);
  for (std::size_t d = 0; d < face.size(); ++d) face[d] = face_of(traffic, found, d, facts);
  std::vector<double> side;
  if (face.size() == 2) side = {face[1], face[0]};
  if (face.size() == 3)
    side = {std::sqrt(face[1] * face[2] / face[0]), std::sqrt(face[0] * face[2] / face[1]),
            std::sqrt(face[0] * face[1] / face[2])};
  std::vector<std::uint64_t> size;
  for (std::size_t d = 0; d < side.size(); ++d) {
    if (!(side[d] >= 1) || side[d] > 1e12)
      throw TraceError("the messages are too small to be faces of blocks of " +
                       std::to_string(facts.element_bytes) + " bytes an element with a halo of " +
                       std::to_string(facts.halo) + "; give --element-bytes, --halo or --array");
    size.push_back(static_cast<std::uint64_t>(std::llround(side[d] * found.grid.along[d])));
  }
  if (size.empty())
    throw TraceError(
        "ranks in a line do not tell how long their parts of the array are; give its sizes with --array");
  return size;
}

// Reductions of a step; every other collective operation is noted.
void add_reductions(const Trace& trace, const SyncPoints& sync, const Steps& steps,
                    const std::vector<std::vector<bool>>& inside, GridProgram& program) {
  std::map<std::uint64_t, std::uint64_t> reductions;  // bytes -> how many
  std::uint64_t others = 0;
  for (const CollectiveInstance& instance : sync.collectives) {
    const CollectiveMember& member = sync.members_of(instance).front();
    const OpRef call{member.location, operation_of(trace, instance, member)};
    if (call.op >= inside[index(call.location)].size() || !inside[index(call.location)][call.op]) continue;
    if (instance.kind != CollectiveKind::Allreduce) {
      ++others;
      continue;
    }
    const CollectivePart& part = trace.timeline(member.location).collectives()[member.part];
    const std::size_t members = sync.members_of(instance).size();  // the buffer is counted as sent to each
    ++reductions[(part.sent + members - 1) / members];
  }
  for (const auto& [bytes, count] : reductions)
    program.reductions.insert(program.reductions.end(), (count + steps.count() / 2) / steps.count(), bytes);
  if (others > 0)
    program.notes.push_back(std::to_string(others) +
                            " collective operations in the steps are no Allreduce and are left out");
}

}  // namespace

GridProgram recorded_program(const Trace& trace, const SyncPoints& sync, const Steps& steps,
                             const ArrayFacts& facts) {
  if (trace.ranks() < 2) throw TraceError("a run on one rank exchanges no halo; record one on at least 4");
  if (steps.count() == 0)
    throw TraceError(
        "no time steps were found in this run, so it is not known what repeats; mark them with "
        "MPI_Pcontrol(2) or waitprof_step(), or describe the program in a file (--program)");
  const auto inside = calls_in_steps(trace, steps);
  const Traffic traffic = traffic_of(trace, sync, steps, inside);
  const Found found = find_grid(traffic, static_cast<std::uint32_t>(trace.ranks()));
  GridProgram program{.name = trace.facts().program.empty() ? "the recorded program" : trace.facts().program};
  program.size = facts.size.empty() ? array_size(traffic, found, facts) : facts.size;
  program.halo.assign(program.size.size(), facts.halo);
  program.periodic = found.periodic;
  program.element_bytes = facts.element_bytes;
  program.iterations = steps.count();
  double elements = 1, work_ns = 0;
  for (const std::uint64_t size : program.size) elements *= static_cast<double>(size);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location location = trace.main_location(Rank(rank));
    const Timeline& timeline = trace.timeline(location);
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
      if (inside[index(location)][gap])
        work_ns += static_cast<double>((timeline.gap_end(gap) - timeline.gap_begin(gap)).count());
  }
  program.element_ns = work_ns / elements / static_cast<double>(program.iterations);
  constexpr double kLeastNs = 0.1;  // for an element; no processor is faster
  if (facts.size.empty() && program.element_ns < kLeastNs)
    throw TraceError(
        "by its messages the array has " + std::to_string(std::llround(elements)) +
        " elements, each computed in " + std::to_string(program.element_ns) +
        " ns, which is too fast: it may have a dimension that is not divided; give its sizes with --array");
  program.notes.push_back("recorded on " + name_of(found.grid, found.dimensions) + " ranks" +
                          (found.periodic ? ", periodic" : "") + "; " + std::to_string(facts.element_bytes) +
                          " bytes an element and a halo of " + std::to_string(facts.halo) + " are assumed");
  add_reductions(trace, sync, steps, inside, program);
  return program;
}

}  // namespace waitdiag
