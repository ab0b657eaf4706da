// What the ids in the event files stand for, as plain data: of one rank, or of several after unification.
// Ids are indexes into these vectors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwaitprof/buffer/region_role.hpp"
#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/handles/member_runs.hpp"
#include "libwaitprof/mpi/binding.hpp"

namespace waitprof::archive {

inline constexpr std::uint32_t kNoId = 0xffffffff;

struct Module {
  std::string path;      // absolute; empty: code in no known module
  std::string build_id;  // hex; empty: none
};

// A place in the code. Ranks name functions only in modules that rank 0 does not have; rank 0 names the rest.
struct CodePlace {
  std::uint32_t module = 0;
  std::uint64_t offset = 0;          // address in the module as linked, of the instruction itself
  std::string function;              // as in the symbol table; empty: not looked up
  std::uint64_t function_start = 0;  // as linked
};

enum class RegionKind : std::uint8_t { Mpi, Named, Function, Library };

struct Region {
  RegionKind kind = RegionKind::Mpi;
  RegionRole role = RegionRole::Function;  // Mpi
  std::string name;                        // Mpi, Named, Library
  CodePlace place;                         // Function
};

// There may be hundreds of thousands of these: the places that they share are stored once
// (Definitions::places).
struct CallPath {
  std::uint32_t parent = kNoId;
  std::uint32_t place = 0;
};

// World ranks as runs: 0, 1, ... n-1 is one run however large n is.
struct MemberRun {
  std::int64_t first = 0, step = 1;
  std::uint64_t count = 0;
};

inline std::vector<MemberRun> runs_of(std::span<const int> members) {
  std::vector<MemberRun> runs;
  while (!members.empty()) {
    const crash_safe::MembersRecord run = take_run(members);
    runs.push_back({run.first, run.step, run.count});
  }
  return runs;
}

enum class Topology : std::uint8_t { None, Cartesian, Graph, DistributedGraph };

struct Neighbours {
  std::uint32_t rank = 0;  // in the communicator
  std::vector<std::int32_t> sources, destinations;
};

struct Communicator {
  std::uint64_t key = 0, parent_key = 0;
  bool has_create_event = false;
  std::vector<MemberRun> members, remote_members;
  std::string name;
  Topology topology = Topology::None;
  std::vector<std::int32_t> dims, periods;  // Cartesian; Graph: dims = nodes, edges
  std::vector<std::int32_t> edges;          // Graph, as given to MPI_Graph_create
  std::vector<Neighbours> neighbours;       // DistributedGraph: each member knows its own
};

// Readers number the other communicators without a name, see the paradigm's name template.
inline const char* default_communicator_name(std::uint32_t id) {
  return id == 0 ? "MPI_COMM_WORLD" : id == 1 ? "MPI_COMM_SELF" : "";
}

// `edges` as this process, `rank` in the communicator, knows them: the whole graph, or its own neighbours.
inline void set_edges(Communicator& communicator, std::uint32_t rank, std::vector<std::int32_t> edges) {
  if (communicator.topology == Topology::Graph) {
    communicator.edges = std::move(edges);
  } else if (communicator.topology == Topology::DistributedGraph && !communicator.dims.empty()) {
    const auto sources = std::min(static_cast<std::size_t>(communicator.dims[0]), edges.size());
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(sources);
    communicator.neighbours.push_back({rank, {edges.begin(), middle}, {middle, edges.end()}});
    communicator.dims.clear();  // each member's own degrees
  }
}

struct Window {
  std::uint64_t key = 0;
  std::uint32_t communicator = 0;
  std::string name;
};

// World ranks that synchronised through a window.
struct RankGroup {
  std::vector<MemberRun> members;
};

struct Thread {
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
};

struct Rank {
  std::uint32_t rank = 0;
  std::uint32_t program = 0;
  std::uint64_t process = 0;
  std::string host;
  std::uint64_t boot = 0;        // two processes with the same value share clock and memory
  std::uint32_t processors = 0;  // of the node; 0: not known
  Binding binding;
  std::vector<Thread> threads;
  std::uint64_t first_time = UINT64_MAX, last_time = 0;  // on rank 0's clock
  crash_safe::LeftOut left_out;
  std::uint64_t clamped_times = 0;
  std::uint64_t unknown_frames = 0, truncated_call_paths = 0, lost_call_paths = 0;
  std::uint64_t lost_regions = 0, regions_without_mpi = 0;
  OtherJobs other_jobs;
  std::uint64_t clock_error = 0;  // ns, see ClockOffset; the largest of the run
  std::uint64_t call_cost = 0;    // ns of a recorded call; 0: not measured
  std::uint64_t poll_cost = 0;    // ns of a poll that found nothing; 0: not measured
  std::uint64_t start_cost = 0;   // ns of work until the recorder was ready; 0: not measured
  std::uint64_t start_ran = 0;    // of this, on a processor
  std::uint64_t limit_time = 0;   // on rank 0's clock: it stopped there, its files being large; 0: it did not
  std::uint64_t limit_mib = 0;    // the limit then
  bool complete = true;           // every message of this rank is in its event files
  std::string ending;  // without MPI_Finalize: "abort <code>" or "exit"; empty: normal, or nothing is known
};

// Its files were full at `time`, and it ran until `end`, both on its own clock.
inline void stop_rank_at(Rank& rank, std::uint64_t time, std::uint64_t limit_mib, std::uint64_t end,
                         std::int64_t clock_offset) {
  const auto offset = static_cast<std::uint64_t>(clock_offset);
  rank.limit_time = time + offset;
  rank.limit_mib = limit_mib;
  rank.last_time = std::max(rank.last_time, end + offset);
  rank.complete = false;
}

// The same on all ranks; recording_facts.hpp lists them.
struct RecordingFacts {
  std::string mpi;                         // "MPICH 4.0.2"
  std::string sampling;                    // "cpu", "wall", "off"
  std::string mpi_filter;                  // groups of functions that were not recorded: "p2p,io"
  std::string function_filter;             // WAITPROF_FILTER_FUNCTIONS
  std::string sampling_ranks;              // "0,4..7"; empty: all
  std::string problem;                     // "n=256"; empty: not said
  std::string profile;                     // "light"; empty: full
  std::string tool_in_front, tool_behind;  // other MPI tools: OtherTools
  std::uint32_t sampling_hz = 0;
  std::string counters;
  std::int64_t realtime_offset = 0;  // rank 0's wall clock minus its clock, ns
};

// Of RecordingFacts::mpi_filter.
inline bool hides_communication(std::string_view mpi_filter) {
  constexpr std::string_view kCommunication[] = {"p2p", "collective", "rma"};
  return std::any_of(std::begin(kCommunication), std::end(kCommunication),
                     [&](std::string_view group) { return mpi_filter.find(group) != mpi_filter.npos; });
}

struct Definitions {
  std::string file_checks;  // of all files of all locations, known at the very end (schema/file_checks.hpp)
  std::vector<Module> modules;
  std::vector<std::string> texts;  // that event records refer to; a rank's first one is its program
  std::vector<Region> regions;
  std::vector<CodePlace> places;  // of call_paths
  std::vector<CallPath> call_paths;
  std::vector<Communicator> communicators;  // 0: world, 1: self
  std::vector<Window> windows;
  std::vector<RankGroup> groups;
  std::vector<Rank> ranks;
  std::uint32_t world_size = 0;     // ranks may be missing from `ranks`: aborted runs
  std::uint64_t longest_table = 0;  // entries of the longest id table of any rank
  bool finished = true;             // false: the program did not reach MPI_Finalize
  std::uint64_t end_cost = 0;       // ns since all ranks had entered MPI_Finalize; on rank 0, at the end
  std::uint64_t end_ran = 0;        // of this, on a processor
  RecordingFacts recording;
};

// Ids of one set of definitions -> ids of another; kNoId: there is none.
struct IdMaps {
  std::vector<std::uint32_t> texts, regions, call_paths, communicators, windows, groups;
  std::uint64_t definition_chunk = 0;  // bytes; the same on all ranks, 0: there are no global definitions
};

}  // namespace waitprof::archive
