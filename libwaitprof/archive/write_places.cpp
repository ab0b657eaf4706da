// Machine, nodes, processes and threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/utsname.h>

#include <map>
#include <utility>

#include "libwaitprof/archive/location_writer.hpp"
#include "libwaitprof/archive/write_definitions.hpp"

namespace waitprof::archive {
namespace {

constexpr OTF2_SystemTreeNodeRef kMachine = 0;

// The class names "machine" and "node" are what Scalasca looks for.
void write_node(GlobalWriter& writer, OTF2_SystemTreeNodeRef self, const std::string& name,
                const char* class_name, OTF2_SystemTreeNodeRef parent, OTF2_SystemTreeDomain domain) {
  writer.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer.otf2, self, writer.string(name),
                                                        writer.string(class_name), parent));
  writer.check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer.otf2, self, domain));
}

std::string machine_name() {
  utsname system{};
  return ::uname(&system) == 0 ? system.sysname : "machine";
}

std::string thread_name(std::uint32_t thread) {
  return thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
}

void write_rank(GlobalWriter& writer, const Rank& rank, OTF2_SystemTreeNodeRef node) {
  writer.check(OTF2_GlobalDefWriter_WriteLocationGroup(
      writer.otf2, rank.rank, writer.string("MPI Rank " + std::to_string(rank.rank)),
      OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP));
  for (const Thread& thread : rank.threads) {
    writer.check(OTF2_GlobalDefWriter_WriteLocation(writer.otf2, location_of(rank.rank, thread.thread),
                                                    writer.string(thread_name(thread.thread)),
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, thread.events, rank.rank));
  }
}

// All ranks of the world, also those nothing is known about, each with its main thread: communicators name
// them.
std::vector<Rank> complete_world(const Definitions& definitions) {
  std::vector<Rank> ranks(definitions.world_size);
  for (const Rank& rank : definitions.ranks) {
    ranks.at(rank.rank) = rank;
  }
  for (std::uint32_t number = 0; number < ranks.size(); ++number) {
    Rank& rank = ranks[number];
    rank.rank = number;
    if (rank.threads.empty() || rank.threads.front().thread != 0) {
      rank.threads.insert(rank.threads.begin(), Thread{});
    }
  }
  return ranks;
}

}  // namespace

void write_places(GlobalWriter& writer, const Definitions& definitions) {
  write_node(writer, kMachine, machine_name(), "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE,
             OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
  std::map<std::pair<std::string, std::uint64_t>, OTF2_SystemTreeNodeRef> nodes;
  for (const Rank& rank : complete_world(definitions)) {
    if (rank.host.empty()) {
      write_rank(writer, rank, kMachine);
      continue;
    }
    const auto next = static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1);
    const auto [node, is_new] = nodes.try_emplace({rank.host, rank.boot}, next);
    if (is_new) {
      write_node(writer, node->second, rank.host, "node", kMachine, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
    write_rank(writer, rank, node->second);
  }
}

}  // namespace waitprof::archive
