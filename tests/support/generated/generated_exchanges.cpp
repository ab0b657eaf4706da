// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/schema/schema.hpp"
#include "tests/support/generated/generated_shapes.hpp"
#include "tests/support/generated/process_grid.hpp"
#include "tests/support/generated/shape_ranks.hpp"

namespace waitdiag::fixtures {
namespace {

class ExchangeShape : private ShapeRanks {
 public:
  ExchangeShape(const std::filesystem::path& directory, const GeneratedShape& shape)
      : ShapeRanks(directory, shape), grid_(shape.ranks, false) {
    for (const char* name : {"main", "work", "late_work"}) functions_.push_back(archive_.function(name));
    if (unwound())
      for (std::size_t i = 0; i < kNames; ++i)
        functions_.push_back(archive_.function("function_" + std::to_string(i)));
    archive_.define([this](OTF2_GlobalDefWriter* writer) { define(writer); });
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
      processes_[rank].events = archive_.events(rank);
      if (!unwound()) enter(processes_[rank], functions_[0]);
      call(
          processes_[rank], "MPI_Init", 0, [](std::uint64_t, std::uint64_t) {}, place(0));
    }
    there_.resize(shape.ranks);
  }
  ~ExchangeShape() { OTF2_AttributeList_Delete(attributes_); }
  ExchangeShape(const ExchangeShape&) = delete;
  ExchangeShape& operator=(const ExchangeShape&) = delete;

  void run() {
    for (step_ = 0; step_ < shape_.steps; ++step_) step();
    for (Process& process : processes_) {
      call(
          process, "MPI_Finalize", 0, [](std::uint64_t, std::uint64_t) {}, place(0));
      if (!unwound()) leave(process, functions_[0]);
    }
    archive_.close();
  }

 private:
  void step() {
    using enum ShapePattern;
    if (shape_.pattern == Wavefront) return sweep();
    compute_all();
    if (shape_.pattern == Overlap) return overlapped();
    exchange(shape_.pattern == Persistent);
    if (step_ % 10 == 9 && shape_.pattern != Sparse) together("MPI_Allreduce", everybody(), 8);
  }

  // Call paths: below main, a chain of functions, and below its end a tree with many leaves.
  bool unwound() const {
    return shape_.pattern == ShapePattern::Paths || shape_.pattern == ShapePattern::Deep;
  }
  std::size_t paths() const { return shape_.pattern == ShapePattern::Deep ? kDepth + 40 : kDepth / 5 + 4000; }
  std::size_t trunk() const { return shape_.pattern == ShapePattern::Deep ? kDepth : kDepth / 5; }
  void define(OTF2_GlobalDefWriter* writer) {
    OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive_.string(waitprof::schema::kCallPathAttribute),
                                        archive_.string(""), OTF2_TYPE_CALLING_CONTEXT);
    OTF2_GlobalDefWriter_WriteParameter(writer, 0, archive_.string(waitprof::schema::kSampleParameter),
                                        OTF2_PARAMETER_TYPE_UINT64);
    if (!unwound()) return;
    for (std::size_t i = 0; i < paths(); ++i) {
      const std::size_t caller = i <= trunk() ? std::max<std::size_t>(i, 1) - 1 : trunk() + (i - trunk()) / 3;
      OTF2_GlobalDefWriter_WriteCallingContext(
          writer, static_cast<OTF2_CallingContextRef>(i), functions_[3 + i % kNames],
          OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
          i == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : static_cast<OTF2_CallingContextRef>(caller));
    }
  }
  OTF2_AttributeList* place(std::size_t i) {
    if (!unwound()) return nullptr;
    const std::size_t branches = paths() - trunk();
    const auto path = static_cast<OTF2_CallingContextRef>(trunk() + (i * 7919 + step_ * 104729) % branches);
    OTF2_AttributeList_AddCallingContextRef(attributes_, 0, path);
    return attributes_;
  }

  void work(Process& process, std::uint64_t length) {
    if (!unwound()) return compute(process, 1, length);
    const std::uint64_t end = process.now + length + dice(length / 5 + 1);
    for (std::uint64_t sample = process.now / kSamplingPeriod + 1; sample * kSamplingPeriod < end; ++sample)
      OTF2_EvtWriter_ParameterUnsignedInt(process.events, place(sample), sample * kSamplingPeriod, 0, 1);
    process.now = end;
  }
  void compute_all() {
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      work(processes_[rank], kWork);
      if (rank == step_ / 10 * 7 % shape_.ranks) work(processes_[rank], 2 * kWork);
    }
  }
  Group everybody() const { return world(); }

  // Where messages of a step go to, and come from.
  std::vector<std::uint32_t> partners(std::uint32_t rank) const {
    if (shape_.pattern != ShapePattern::Sparse) return grid_.neighbours(rank);
    std::vector<std::uint32_t> found;
    for (const std::uint32_t distance : {1u, 5u, 17u}) {
      if (distance >= shape_.ranks) continue;
      found.push_back((rank + distance) % shape_.ranks);
      found.push_back((rank + shape_.ranks - distance) % shape_.ranks);
    }
    return found;
  }
  void exchange(bool persistent) {
    std::vector<std::uint64_t> sent(shape_.ranks);
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      Process& process = processes_[rank];
      const std::vector<std::uint32_t> others = partners(rank);
      const auto receive = [&](std::uint64_t begin, std::size_t i) {
        OTF2_EvtWriter_MpiIrecvRequest(process.events, nullptr, begin, process.request + i);
      };
      const auto send = [&](std::uint64_t begin, std::size_t i) {
        OTF2_EvtWriter_MpiIsend(process.events, nullptr, begin, others[i], kWorld, 1, kBytes,
                                process.request + others.size() + i);
      };
      if (persistent) {
        call(process, "MPI_Startall", 0, [&](std::uint64_t begin, std::uint64_t) {
          for (std::size_t i = 0; i < others.size(); ++i) receive(begin, i);
          for (std::size_t i = 0; i < others.size(); ++i) send(begin, i);
        });
      } else {
        for (std::size_t i = 0; i < others.size(); ++i)
          call(
              process, "MPI_Irecv", 0, [&](std::uint64_t begin, std::uint64_t) { receive(begin, i); },
              place(i));
        for (std::size_t i = 0; i < others.size(); ++i)
          call(
              process, "MPI_Isend", 0, [&](std::uint64_t begin, std::uint64_t) { send(begin, i); }, place(i));
      }
      sent[rank] = process.now;
    }
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      Process& process = processes_[rank];
      const std::vector<std::uint32_t> others = partners(rank);
      std::uint64_t last = 0;
      for (const std::uint32_t other : others) last = std::max(last, sent[other] + kLatency);
      call(
          process, "MPI_Waitall", last,
          [&](std::uint64_t, std::uint64_t end) {
            for (const std::uint32_t other : others)
              OTF2_EvtWriter_MpiIrecv(process.events, nullptr, end, other, kWorld, 1, kBytes,
                                      process.request++);
            for (std::size_t i = 0; i < others.size(); ++i)
              OTF2_EvtWriter_MpiIsendComplete(process.events, nullptr, end, process.request++);
          },
          place(1));
    }
  }

  // From the first corner of the grid to the last one.
  void sweep() {
    const auto message = [&](std::uint32_t rank, std::uint32_t other, bool sends, std::uint64_t until) {
      Process& process = processes_[rank];
      call(process, sends ? "MPI_Send" : "MPI_Recv", until, [&](std::uint64_t begin, std::uint64_t end) {
        if (sends)
          OTF2_EvtWriter_MpiSend(process.events, nullptr, begin, other, kWorld, 1, kBytes);
        else
          OTF2_EvtWriter_MpiRecv(process.events, nullptr, end, other, kWorld, 1, kBytes);
      });
    };
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      const std::vector<std::uint32_t> others = grid_.neighbours(rank);
      for (const std::uint32_t other : others)
        if (other < rank) message(rank, other, false, there_[other] + kLatency);
      compute(processes_[rank], 1, kWork / 10);
      for (const std::uint32_t other : others)
        if (other > rank) message(rank, other, true, 0);
      there_[rank] = processes_[rank].now;
    }
  }

  // A reduction that goes on while they compute.
  void overlapped() {
    for (Process& process : processes_)
      call(process, "MPI_Iallreduce", 0, [&](std::uint64_t begin, std::uint64_t) {
        OTF2_EvtWriter_NonBlockingCollectiveRequest(process.events, nullptr, begin, process.request);
      });
    const std::uint64_t last = last_of(everybody());
    for (Process& process : processes_) {
      compute(process, 1, kWork / 10);
      call(process, "MPI_Wait", last, [&](std::uint64_t, std::uint64_t end) {
        OTF2_EvtWriter_NonBlockingCollectiveComplete(process.events, nullptr, end,
                                                     OTF2_COLLECTIVE_OP_ALLREDUCE, kWorld,
                                                     OTF2_COLLECTIVE_ROOT_NONE, 8, 8, process.request++);
      });
    }
  }

  static constexpr std::size_t kNames = 500, kDepth = 100;
  ProcessGrid grid_;
  std::vector<std::uint64_t> there_;  // when what a rank has sent is on its way
  OTF2_AttributeList* attributes_ = OTF2_AttributeList_New();
};

}  // namespace

void write_generated_exchanges(const std::filesystem::path& directory, const GeneratedShape& shape) {
  ExchangeShape(directory, shape).run();
}

}  // namespace waitdiag::fixtures
