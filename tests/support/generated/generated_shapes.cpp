// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/generated/generated_shapes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/schema/schema.hpp"
#include "tests/support/generated/process_grid.hpp"
#include "tests/support/generated/shape_ranks.hpp"

namespace waitdiag::fixtures {
namespace {

class Shape : private ShapeRanks {
 public:
  Shape(const std::filesystem::path& directory, const GeneratedShape& shape)
      : ShapeRanks(directory, shape), grid_(shape.ranks, true) {
    for (const char* name : {"main", "work", "late_work"}) functions_.push_back(archive_.function(name));
    if (!instrumented()) grow_call_tree(shape.pattern == ShapePattern::Recursion ? 300 : 30);
    if (shape.pattern == ShapePattern::Functions)
      for (int i = 0; i < 300; ++i) functions_.push_back(archive_.function("f" + std::to_string(i)));
    archive_.define([this](OTF2_GlobalDefWriter* writer) { define(writer); });
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
      processes_[rank].events = archive_.events(rank);
      if (instrumented()) enter(processes_[rank], functions_[0]);
      call(processes_[rank], "MPI_Init", 0, [](std::uint64_t, std::uint64_t) {});
    }
    if (shape.pattern == ShapePattern::Communicators) split();
  }
  ~Shape() { OTF2_AttributeList_Delete(attributes_); }
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;

  void run() {
    for (step_ = 0; step_ < shape_.steps; ++step_) step();
    for (Process& process : processes_) {
      call(process, "MPI_Finalize", 0, [](std::uint64_t, std::uint64_t) {});
      if (instrumented()) leave(process, functions_[0]);
    }
    archive_.close();
  }

 private:
  void step() {
    using enum ShapePattern;
    switch (shape_.pattern) {
      case Samples:
      case Recursion:
        return sampled_loops();
      case Functions:
        return many_functions();
      case Scans:
        compute_all();
        return scan();
      case Rooted:
        compute_all();
        rooted("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, true);
        compute_all();
        return rooted("MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, false);
      case Communicators:
        for (const auto& groups : {rows_, columns_}) {
          compute_all();
          for (const Group& group : groups) together("MPI_Allreduce", group, 8);
        }
        return;
      case Pairs:
        compute_all();
        return random_pairs();
      case Pipeline:
        return pipeline(false);
      case Ring:
        return pipeline(true);
      case Tags:
        compute_all();
        return exchange(32, true, false);
      case Requests:
        compute_all();
        return exchange(32, false, true);
      case Polls:
        compute_all();
        return polled();
      case Fences:
        compute_all();
        return fence();
      case Locks:
        compute_all();
        return lock();
      case Neighbourhoods:
        compute_all();
        return neighbourhood();
      case Alltoallv:
        compute_all();
        return alltoallv();
      default:  // another file's
        return;
    }
  }

  bool instrumented() const {
    return shape_.pattern != ShapePattern::Samples && shape_.pattern != ShapePattern::Recursion;
  }
  void define(OTF2_GlobalDefWriter* writer) {
    const auto attribute = [&](OTF2_AttributeRef id, const char* name, OTF2_Type type) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, id, archive_.string(name), archive_.string(""), type);
    };
    attribute(0, waitprof::schema::kCallPathAttribute, OTF2_TYPE_CALLING_CONTEXT);
    attribute(1, waitprof::schema::kNeighbourhoodAttribute, OTF2_TYPE_UINT8);
    attribute(2, waitprof::schema::kPeersAttribute, OTF2_TYPE_STRING);
    OTF2_GlobalDefWriter_WriteParameter(writer, 0, archive_.string(waitprof::schema::kSampleParameter),
                                        OTF2_PARAMETER_TYPE_UINT64);
    if (shape_.pattern == ShapePattern::Fences || shape_.pattern == ShapePattern::Locks)
      OTF2_GlobalDefWriter_WriteRmaWin(writer, kWindow, archive_.string("window"), kWorld,
                                       OTF2_RMA_WIN_FLAG_NONE);
    for (std::size_t i = 0; i < callers_.size(); ++i)
      OTF2_GlobalDefWriter_WriteCallingContext(
          writer, static_cast<OTF2_CallingContextRef>(i), functions_[3 + i % kNames],
          OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
          i == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : static_cast<OTF2_CallingContextRef>(callers_[i]));
  }

  // One rank in turn is late.
  void compute_all() {
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      compute(processes_[rank], 1, kWork);
      if (rank == step_ / 10 * 7 % shape_.ranks) compute(processes_[rank], 2, kWork);
    }
  }
  // Collective operations.
  void scan() {
    std::uint64_t last = 0;
    for (Process& process : processes_) {
      last = std::max(last, process.now);
      part(process, "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, kWorld, OTF2_COLLECTIVE_ROOT_NONE, 8, 8,
           last + kLatency);
    }
  }
  void rooted(const std::string& name, OTF2_CollectiveOp op, bool from_root) {
    const std::uint32_t root = step_ % shape_.ranks;
    std::uint64_t last = 0;
    for (const Process& process : processes_) last = std::max(last, process.now);
    const std::uint64_t there = (from_root ? processes_[root].now : last) + kLatency;
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      const bool sends = from_root == (rank == root);
      part(processes_[rank], name, op, kWorld, root, sends ? kBytes : 0, sends ? 0 : kBytes,
           sends ? 0 : there);
    }
  }
  void split() {
    std::uint32_t width = 1;
    while (width * width * 2 <= shape_.ranks) width *= 2;
    const auto add = [&](std::vector<Group>& groups, std::uint32_t count, auto group_of) {
      groups.resize(count);
      for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank)
        groups[group_of(rank)].members.push_back(rank);
      for (Group& group : groups) group.comm = archive_.comm("part", group.members);
    };
    add(rows_, (shape_.ranks + width - 1) / width, [width](std::uint32_t rank) { return rank / width; });
    add(columns_, std::min(width, shape_.ranks), [width](std::uint32_t rank) { return rank % width; });
  }
  // Each has data from its neighbours only, and nothing else joins the ranks.
  void neighbourhood() {
    std::vector<std::uint64_t> ends;
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      std::uint64_t last = 0;
      for (const std::uint32_t neighbour : grid_.neighbours(rank))
        last = std::max(last, processes_[neighbour].now);
      ends.push_back(last + kLatency);
    }
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      std::vector<std::uint32_t> neighbours = grid_.neighbours(rank);
      std::ranges::sort(neighbours);
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      std::string list;
      for (const std::uint32_t neighbour : neighbours)
        list += (list.empty() ? "" : ",") + std::to_string(neighbour) + ":8";
      OTF2_AttributeList* const peers = OTF2_AttributeList_New();
      OTF2_AttributeList_AddUint8(peers, 1, 1);
      OTF2_AttributeList_AddStringRef(peers, 2,
                                      archive_.string(waitprof::schema::kPeersPrefix + list + ";" + list));
      const std::uint64_t bytes = 8 * neighbours.size();
      part(processes_[rank], "MPI_Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALLV, kWorld,
           OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes, ends[rank], nullptr, peers);
      OTF2_AttributeList_Delete(peers);
    }
  }

  void alltoallv() {
    const Group all = world();
    const std::uint64_t end = last_of(all);
    const std::string list = "0-" + std::to_string(shape_.ranks - 1) + ":8";
    for (Process& process : processes_) {
      OTF2_AttributeList* const peers = OTF2_AttributeList_New();
      OTF2_AttributeList_AddStringRef(peers, 2,
                                      archive_.string(waitprof::schema::kPeersPrefix + list + ";" + list));
      part(process, "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, kWorld, OTF2_COLLECTIVE_ROOT_NONE,
           8 * shape_.ranks, 8 * shape_.ranks, end, nullptr, peers);
      OTF2_AttributeList_Delete(peers);
    }
  }

  // Messages.
  void swap(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t there = std::max(processes_[a].now, processes_[b].now) + kLatency;
    for (const auto& [me, other] : {std::pair(a, b), std::pair(b, a)}) {
      Process& process = processes_[me];
      call(process, "MPI_Sendrecv", there, [&, partner = other](std::uint64_t begin, std::uint64_t end) {
        OTF2_EvtWriter_MpiSend(process.events, nullptr, begin, partner, kWorld, 1, kBytes);
        OTF2_EvtWriter_MpiRecv(process.events, nullptr, end, partner, kWorld, 1, kBytes);
      });
    }
  }
  void random_pairs() {
    std::vector<std::uint32_t> order(shape_.ranks);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[dice(i + 1)]);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) swap(order[i], order[i + 1]);
  }
  void pipeline(bool closed) {
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      Process& process = processes_[rank];
      if (rank > 0 || (closed && step_ > 0))
        call(process, "MPI_Recv", token_, [&](std::uint64_t, std::uint64_t end) {
          OTF2_EvtWriter_MpiRecv(process.events, nullptr, end, previous(rank), kWorld, 1, kBytes);
        });
      compute(process, 1, closed ? kWork / 10 : kWork);
      token_ = process.now + kLatency;
      if (rank + 1 < shape_.ranks || (closed && step_ + 1 < shape_.steps))
        call(process, "MPI_Send", 0, [&](std::uint64_t begin, std::uint64_t) {
          OTF2_EvtWriter_MpiSend(process.events, nullptr, begin, next(rank), kWorld, 1, kBytes);
        });
    }
  }
  std::uint32_t next(std::uint32_t rank) const { return (rank + 1) % shape_.ranks; }
  std::uint32_t previous(std::uint32_t rank) const { return (rank + shape_.ranks - 1) % shape_.ranks; }
  void post(Process& process, std::uint32_t count, bool reversed) {
    const std::uint32_t to = next(static_cast<std::uint32_t>(&process - processes_.data()));
    for (std::uint32_t i = 0; i < count; ++i)
      call(process, "MPI_Irecv", 0, [&](std::uint64_t begin, std::uint64_t) {
        OTF2_EvtWriter_MpiIrecvRequest(process.events, nullptr, begin, process.request + i);
      });
    for (std::uint32_t i = 0; i < count; ++i)
      call(process, "MPI_Isend", 0, [&](std::uint64_t begin, std::uint64_t) {
        OTF2_EvtWriter_MpiIsend(process.events, nullptr, begin, to, kWorld, reversed ? count - 1 - i : i,
                                kBytes, process.request + count + i);
      });
  }
  // To the next rank and from the previous one; completed together or one after the other, the last one first.
  void exchange(std::uint32_t count, bool reversed, bool one_by_one) {
    for (Process& process : processes_) post(process, count, reversed);
    std::vector<std::uint64_t> there;
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank)
      there.push_back(processes_[previous(rank)].now + kLatency);
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      Process& process = processes_[rank];
      const auto complete = [&](std::uint32_t i, std::uint64_t end) {
        OTF2_EvtWriter_MpiIrecv(process.events, nullptr, end, previous(rank), kWorld, i, kBytes,
                                process.request + i);
        OTF2_EvtWriter_MpiIsendComplete(process.events, nullptr, end, process.request + count + i);
      };
      for (std::uint32_t i = one_by_one ? count : 0; i-- > 0;)
        call(process, "MPI_Waitall", there[rank],
             [&](std::uint64_t, std::uint64_t end) { complete(i, end); });
      if (!one_by_one)
        call(process, "MPI_Waitall", there[rank], [&](std::uint64_t, std::uint64_t end) {
          for (std::uint32_t i = 0; i < count; ++i) complete(i, end);
        });
      process.request += 2 * count;
    }
  }
  void polled() {
    for (Process& process : processes_) post(process, 1, false);
    std::vector<std::uint64_t> there;
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank)
      there.push_back(processes_[previous(rank)].now + kLatency);
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      Process& process = processes_[rank];
      while (process.now + kWork / 50 < there[rank]) {
        call(process, "MPI_Test", 0, [](std::uint64_t, std::uint64_t) {});
        process.now += kWork / 50;
      }
      call(process, "MPI_Test", there[rank], [&](std::uint64_t, std::uint64_t end) {
        OTF2_EvtWriter_MpiIrecv(process.events, nullptr, end, previous(rank), kWorld, 0, kBytes,
                                process.request);
        OTF2_EvtWriter_MpiIsendComplete(process.events, nullptr, end, process.request + 1);
      });
      process.request += 2;
    }
  }

  // One-sided communication.
  void put(Process& process, std::uint32_t target) {
    call(process, "MPI_Put", 0, [&](std::uint64_t begin, std::uint64_t) {
      OTF2_EvtWriter_RmaPut(process.events, nullptr, begin, kWindow, target, kBytes, ++process.operation);
    });
  }
  void fence() {
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) put(processes_[rank], next(rank));
    std::uint64_t last = 0;
    for (const Process& process : processes_) last = std::max(last, process.now);
    for (Process& process : processes_) {
      call(process, "MPI_Win_fence", last + kLatency, [&](std::uint64_t begin, std::uint64_t end) {
        OTF2_EvtWriter_RmaCollectiveBegin(process.events, nullptr, begin);
        OTF2_EvtWriter_RmaOpCompleteBlocking(process.events, nullptr, end, kWindow, process.operation);
        OTF2_EvtWriter_RmaCollectiveEnd(process.events, nullptr, end, OTF2_COLLECTIVE_OP_BARRIER,
                                        OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, kWindow,
                                        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
      });
    }
  }
  // All lock the memory of the same few ranks.
  void lock() {
    std::vector<std::uint64_t> free(shape_.ranks, 0);
    std::vector<std::uint32_t> order(shape_.ranks);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t rank) { return processes_[rank].now; });
    for (const std::uint32_t rank : order) {
      Process& process = processes_[rank];
      const std::uint32_t target = rank / 8 * 8;
      call(process, "MPI_Win_lock", free[target], [&](std::uint64_t, std::uint64_t end) {
        OTF2_EvtWriter_RmaAcquireLock(process.events, nullptr, end, kWindow, target, 0, OTF2_LOCK_EXCLUSIVE);
      });
      put(process, target);
      call(process, "MPI_Win_unlock", 0, [&](std::uint64_t, std::uint64_t end) {
        OTF2_EvtWriter_RmaOpCompleteBlocking(process.events, nullptr, end, kWindow, process.operation);
        OTF2_EvtWriter_RmaReleaseLock(process.events, nullptr, end, kWindow, target, 0);
      });
      free[target] = process.now;
    }
  }

  void many_functions() {
    for (Process& process : processes_)
      for (int i = 0; i < 20; ++i) {
        const std::size_t outer = 3 + dice(300), inner = 3 + dice(300);
        enter(process, functions_[outer]);
        compute(process, inner, kWork / 20);
        leave(process, functions_[outer]);
      }
    together("MPI_Allreduce", world(), 8);
  }
  // Some functions deeper than its trunk, and branching everywhere but near main.
  void grow_call_tree(std::size_t trunk) {
    for (std::size_t i = 0; i < kNames; ++i)
      functions_.push_back(archive_.function("function_" + std::to_string(i)));
    for (std::size_t i = 0; i < kPaths; ++i)
      callers_.push_back(i <= trunk ? std::max<std::size_t>(i, 1) - 1 : trunk + dice(i - trunk));
  }
  OTF2_AttributeList* inside(std::size_t path) {
    OTF2_AttributeList_AddCallingContextRef(attributes_, 0, static_cast<OTF2_CallingContextRef>(path));
    return attributes_;
  }
  // A short loop at each of many places, never the same twice; many samples between the calls.
  void sampled_loops() {
    constexpr std::uint32_t kTimes = 12;
    const Group all = world();
    const std::uint64_t bytes = 8 * (step_ + 1);
    const std::size_t place = dice(kPaths);
    for (std::uint32_t i = 0; i < kTimes; ++i) {
      for (Process& process : processes_)
        for (std::uint64_t samples = 4 + dice(8); samples-- > 0;) {
          process.now += kSamplingPeriod;
          OTF2_EvtWriter_ParameterUnsignedInt(process.events, inside((place + dice(200)) % kPaths),
                                              process.now, 0, 1);
        }
      const std::uint64_t end = last_of(all);
      for (Process& process : processes_)
        part(process, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, kWorld, OTF2_COLLECTIVE_ROOT_NONE, bytes,
             bytes, end, inside(place));
    }
  }

  static constexpr std::size_t kNames = 500, kPaths = 20'000;
  std::vector<std::size_t> callers_;  // of the call paths of samples
  ProcessGrid grid_;
  std::vector<Group> rows_, columns_;
  std::uint64_t token_ = 0;  // when the next rank can have it
  OTF2_AttributeList* attributes_ = OTF2_AttributeList_New();
};

}  // namespace

void write_generated_shape(const std::filesystem::path& directory, const GeneratedShape& shape) {
  if (shape.pattern >= ShapePattern::Wavefront) return write_generated_exchanges(directory, shape);
  Shape(directory, shape).run();
}

}  // namespace waitdiag::fixtures
