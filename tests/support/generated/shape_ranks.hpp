// The ranks of generated shapes, each with a clock: what they compute, and the calls that they make.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/generated/archive_writer.hpp"
#include "tests/support/generated/generated_shapes.hpp"

namespace waitdiag::fixtures {

class ShapeRanks {
 protected:
  static constexpr std::uint64_t kCall = 200, kLatency = 1'000, kWork = 200'000;  // nanoseconds
  static constexpr std::uint64_t kSamplingPeriod = 1'000'000, kBytes = 800;
  static constexpr OTF2_CommRef kWorld = 0;
  static constexpr OTF2_RmaWinRef kWindow = 0;

  struct Process {
    OTF2_EvtWriter* events = nullptr;
    std::uint64_t now = 0;
    std::uint64_t request = 0;
    std::uint64_t operation = 0;  // one-sided
  };
  struct Group {
    OTF2_CommRef comm = kWorld;
    std::vector<std::uint64_t> members{};
  };

  ShapeRanks(const std::filesystem::path& directory, const GeneratedShape& shape)
      : shape_(shape), archive_(directory, shape.ranks), processes_(shape.ranks) {}

  std::uint64_t dice(std::uint64_t most) {
    dice_ = dice_ * 6364136223846793005u + 1442695040888963407u;
    return (dice_ >> 33) % most;
  }

  void enter(Process& process, OTF2_RegionRef region) {
    OTF2_EvtWriter_Enter(process.events, nullptr, process.now, region);
  }
  void leave(Process& process, OTF2_RegionRef region) {
    OTF2_EvtWriter_Leave(process.events, nullptr, process.now, region);
  }
  void compute(Process& process, std::size_t function, std::uint64_t length) {
    enter(process, functions_[function]);
    process.now += length + dice(length / 5 + 1);
    leave(process, functions_[function]);
  }
  template <typename Records>
  void call(Process& process, const std::string& name, std::uint64_t end, Records records,
            OTF2_AttributeList* attributes = nullptr) {
    const auto [known, is_new] = calls_.try_emplace(name, 0);
    if (is_new) known->second = archive_.mpi(name);
    const OTF2_RegionRef region = known->second;
    const std::uint64_t begin = process.now;
    process.now = std::max(begin + kCall, end);
    OTF2_EvtWriter_Enter(process.events, attributes, begin, region);
    records(begin, process.now);
    OTF2_EvtWriter_Leave(process.events, nullptr, process.now, region);
  }

  void part(Process& process, const std::string& name, OTF2_CollectiveOp op, OTF2_CommRef comm,
            std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::uint64_t end,
            OTF2_AttributeList* called_from = nullptr, OTF2_AttributeList* peers = nullptr) {
    call(
        process, name, end,
        [&](std::uint64_t begin, std::uint64_t left) {
          OTF2_EvtWriter_MpiCollectiveBegin(process.events, nullptr, begin);
          OTF2_EvtWriter_MpiCollectiveEnd(process.events, peers, left, op, comm, root, sent, received);
        },
        called_from);
  }
  std::uint64_t last_of(const Group& group) const {
    std::uint64_t last = 0;
    for (const std::uint64_t rank : group.members) last = std::max(last, processes_[rank].now);
    return last + kLatency;
  }
  void together(const std::string& name, const Group& group, std::uint64_t bytes) {
    const std::uint64_t end = last_of(group);
    for (const std::uint64_t rank : group.members)
      part(processes_[rank], name, OTF2_COLLECTIVE_OP_ALLREDUCE, group.comm, OTF2_COLLECTIVE_ROOT_NONE, bytes,
           bytes, end);
  }
  Group world() const {
    Group all;
    all.members.resize(shape_.ranks);
    std::iota(all.members.begin(), all.members.end(), 0);
    return all;
  }

  const GeneratedShape shape_;
  ArchiveWriter archive_;
  std::vector<OTF2_RegionRef> functions_;
  std::map<std::string, OTF2_RegionRef> calls_;
  std::vector<Process> processes_;
  std::uint32_t step_ = 0;
  std::uint64_t dice_ = 1;
};

}  // namespace waitdiag::fixtures
