// The machine a run is predicted for: how fast it computes, how its cores are grouped, what a message costs
// between two of them. Plain data; read_machine() makes it from a TOML file.
//
// A message of s bytes between two ranks costs l(level, s) + s / b(level, s): the level is the outermost one
// at which their places differ, l and b depend on the interval the size falls in (MCPSim, equation 3).
// Messages share the ports of the units of each level.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/simulation/machine/topology.hpp"

namespace waitdiag {

// Cost of messages from `from` bytes up to the next interval.
struct SizeInterval {
  std::uint64_t from = 0;
  double latency_ns = 0;
  double ns_per_byte = 0;  // the inverse of the bandwidth of one message alone
  double hop_ns = 0;       // latency of each link of the level's topology
};

// What messages share on a level. Duplex: each unit has ports in both directions; Half: one port for
// both; Bus: all units of one parent share one; None: messages do not disturb each other.
enum class Sharing : std::uint8_t { Duplex, Half, Bus, None };

// The units that one level joins: nodes of a cluster, chips of a node, cores of a chip.
struct MachineLevel {
  std::string name{};
  std::uint32_t units = 0;  // in each unit of the level outside; 0 (outermost level only): as many as needed
  std::uint32_t channels = 1;      // of a port, each as fast as `channel_ns_per_byte`
  double channel_ns_per_byte = 0;  // 0: the best of the intervals
  Sharing sharing = Sharing::Duplex;
  double opposite = 0;  // Duplex: what a message takes of the other direction, of what it takes of its own
  double claim = 1;     // of a message, to its share of a port, compared with those of other levels
  std::vector<SizeInterval> intervals{};  // ascending, the first from 0
  Topology topology{};                    // of the outermost level
};

// Processor time of a rank for each message it sends or receives, by size.
struct MessageOverhead {
  std::uint64_t from = 0;
  double send_ns = 0, send_ns_per_byte = 0;        // MPI_Send and the like
  double isend_ns = 0, isend_ns_per_byte = 0;      // MPI_Isend and the like
  double receive_ns = 0, receive_ns_per_byte = 0;  // where a receive is completed
};

struct ScaleOfRanks {
  std::uint32_t first = 0, last = 0;
  double scale = 1;
};
struct ScaleOfCallPath {
  std::string call_path{};
  double scale = 1;
};

enum class Mapping : std::uint8_t { Block, Cyclic };

struct Machine {
  std::string name{}, description{};
  double compute_scale = 1;  // time here / time where it was recorded
  std::vector<ScaleOfRanks> rank_scales{};
  std::vector<ScaleOfCallPath> call_path_scales{};
  double reduction_ns_per_byte = 0;  // of MPI_Reduce and the like, for each byte combined
  // Up to here the data moves when it is sent; up to the next limit the sender goes on, but the data waits
  // for the receive; above, the sender waits as well (rendezvous).
  std::uint64_t eager_bytes = UINT64_MAX, detached_bytes = UINT64_MAX;
  bool eager = true;                 // false: not even an empty message moves before its receive is posted
  double handshake_ns = 0;           // between both sides being ready and the data moving
  std::uint64_t envelope_bytes = 0;  // sent with every message
  std::vector<MessageOverhead> overheads{};
  Mapping mapping = Mapping::Block;
  std::uint32_t ranks_per_node = 0;    // units of node_level(); 0: as many as they have cores
  std::string collectives = "mpich";   // one that comes with waitdiag, or a file
  std::string collectives_place{};     // where the machine file says so: "FILE:LINE:COLUMN"
  std::vector<MachineLevel> levels{};  // outermost first; none: messages cost nothing
};

// Only computation costs time: what is left is serialisation by the program's own structure.
Machine ideal_machine();

// `machine` with the computation of `other`: its compute scales and how fast it combines data. Places of
// ranks and everything about messages remain.
Machine with_computation_of(Machine machine, const Machine& other);

// The place in `levels` of what MPI libraries call a node: the level of that name, otherwise the outermost
// one.
std::size_t node_level(const Machine& machine);

// What the interval table says about `bytes`; nullptr when the table is empty.
const SizeInterval* interval_of(const MachineLevel& level, std::uint64_t bytes);
// Makes messages of each interval cost so many times as much, by the size from which it is; many at the same time as well.
struct CostFactors {
  double latency = 1, per_byte = 1;
};
void scale_costs(MachineLevel& level, const std::function<CostFactors(std::uint64_t from)>& factors);
const MessageOverhead* overhead_of(const Machine& machine, std::uint64_t bytes);

// Reads a machine file. `source` is its name in error messages. Throws TraceError, with line and column, for
// anything that is not understood.
Machine parse_machine(std::string_view toml, const std::string& source);

// The machines that come with waitdiag, in alphabetical order: name and TOML text.
struct ReadyMachine {
  const char* name;
  const char* text;
};
const std::vector<ReadyMachine>& ready_machines();

// `name_or_file` is one of them, or a file. Throws TraceError when it is neither.
Machine find_machine(const std::string& name_or_file);

}  // namespace waitdiag
