// Machine, nodes, packages, cores, processes and threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/utsname.h>

#include <map>
#include <string>
#include <tuple>

#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitprof::archive {
namespace {

constexpr OTF2_SystemTreeNodeRef kMachine = 0;

std::string machine_name() {
  utsname system{};
  return ::uname(&system) == 0 ? system.sysname : "machine";
}

// Machine and nodes, and the packages and cores of ranks that are bound; written when a rank needs them.
class SystemTree {
 public:
  explicit SystemTree(GlobalWriter& writer) : writer_(writer) {
    write(kMachine, machine_name(), "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE,
          OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
  }

  // The innermost place that is known.
  OTF2_SystemTreeNodeRef place_of(const Rank& rank) {
    if (rank.host.empty()) {
      return kMachine;
    }
    const std::size_t known = nodes_.size();
    OTF2_SystemTreeNodeRef place =
        find_or_write({kMachine, rank.host, rank.boot}, "node", OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    if (nodes_.size() > known && rank.processors != 0) {
      OTF2_AttributeValue processors;
      processors.uint32 = rank.processors;
      writer_.check(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
          writer_.otf2, place, writer_.string(schema::kProcessors), OTF2_TYPE_UINT32, processors));
    }
    if (rank.binding.package != Binding::kNone) {
      place = find_or_write({place, "package " + std::to_string(rank.binding.package), 0}, "package",
                            OTF2_SYSTEM_TREE_DOMAIN_SOCKET);
      if (rank.binding.core != Binding::kNone) {
        place = find_or_write({place, "core " + std::to_string(rank.binding.core), 0}, "core",
                              OTF2_SYSTEM_TREE_DOMAIN_CORE);
      }
    }
    return place;
  }

 private:
  using Key = std::tuple<OTF2_SystemTreeNodeRef, std::string, std::uint64_t>;  // parent, name, boot

  OTF2_SystemTreeNodeRef find_or_write(const Key& key, const char* class_name, OTF2_SystemTreeDomain domain) {
    const auto next = static_cast<OTF2_SystemTreeNodeRef>(nodes_.size() + 1);
    const auto [node, is_new] = nodes_.try_emplace(key, next);
    if (is_new) {
      write(node->second, std::get<1>(key), class_name, std::get<0>(key), domain);
    }
    return node->second;
  }

  // The class names "machine" and "node" are what Scalasca looks for.
  void write(OTF2_SystemTreeNodeRef self, const std::string& name, const char* class_name,
             OTF2_SystemTreeNodeRef parent, OTF2_SystemTreeDomain domain) {
    writer_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_.otf2, self, writer_.string(name),
                                                           writer_.string(class_name), parent));
    writer_.check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_.otf2, self, domain));
  }

  GlobalWriter& writer_;
  std::map<Key, OTF2_SystemTreeNodeRef> nodes_;
};

std::string thread_name(std::uint32_t thread) {
  return thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
}

void write_rank(GlobalWriter& writer, const Rank& rank, OTF2_SystemTreeNodeRef node) {
  writer.check(OTF2_GlobalDefWriter_WriteLocationGroup(
      writer.otf2, rank.rank, writer.string("MPI Rank " + std::to_string(rank.rank)),
      OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP));
  for (const auto& [name, count] : {std::pair{schema::kFailedPolls, rank.left_out.failed_polls},
                                    {schema::kPathWalks, rank.left_out.path_walks_ns},
                                    {schema::kUpkeep, rank.left_out.upkeep_ns}}) {
    if (count > 0) {
      writer.check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer.otf2, rank.rank,
                                                                   writer.string(name), OTF2_TYPE_UINT64,
                                                                   OTF2_AttributeValue{.uint64 = count}));
    }
  }
  for (const Thread& thread : rank.threads) {
    writer.check(OTF2_GlobalDefWriter_WriteLocation(writer.otf2, location_of(rank.rank, thread.thread),
                                                    writer.string(thread_name(thread.thread)),
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, thread.events, rank.rank));
  }
}

// All ranks of the world, even those nothing is known about, each with its main thread: communicators refer
// to them.
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
  SystemTree tree(writer);
  for (const Rank& rank : complete_world(definitions)) {
    write_rank(writer, rank, tree.place_of(rank));
  }
}

}  // namespace waitprof::archive
