// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/generated_run.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "libwaitprof/schema/schema.hpp"
#include "tests/support/archive_writer.hpp"

namespace waitdiag::fixtures {
namespace {

namespace schema = waitprof::schema;

// Nanoseconds.
constexpr std::uint64_t kCall = 200, kLatency = 1'000, kWork = 500'000, kTask = 50'000;
constexpr std::uint64_t kHaloBytes = 800, kTaskBytes = 64;
constexpr std::uint64_t kSamplingPeriod = 9'700'000;  // no multiple of a step

enum Function : std::size_t { Main, Stencil, RefineCells };
enum Call : std::size_t { Init, Irecv, Isend, Waitall, Send, Recv, Allreduce, Finalize };
constexpr std::array kFunctions{"main", "stencil", "refine_cells"};
constexpr std::array kCalls{"MPI_Init", "MPI_Irecv", "MPI_Isend",     "MPI_Waitall",
                            "MPI_Send", "MPI_Recv",  "MPI_Allreduce", "MPI_Finalize"};

// The neighbours of a rank in the most nearly square grid without wrap-around.
class Grid {
 public:
  explicit Grid(std::uint32_t ranks) {
    for (std::uint32_t width = 1; width * width <= ranks; ++width) {
      if (ranks % width == 0) width_ = width;
    }
    height_ = ranks / width_;
  }
  std::vector<std::uint32_t> neighbours(std::uint32_t rank) const {
    std::vector<std::uint32_t> found;
    if (rank >= width_) found.push_back(rank - width_);
    if (rank % width_ > 0) found.push_back(rank - 1);
    if (rank % width_ + 1 < width_) found.push_back(rank + 1);
    if (rank / width_ + 1 < height_) found.push_back(rank + width_);
    return found;
  }

 private:
  std::uint32_t width_ = 1, height_ = 1;
};

// One rank while it runs.
struct Process {
  OTF2_EvtWriter* events = nullptr;
  std::uint64_t now = 0;
  std::uint64_t sent = 0;  // when its last messages to the neighbours were on their way
  std::uint64_t request = 0, first_request = 0;
  std::uint64_t next_sample = kSamplingPeriod;
  std::vector<std::uint32_t> neighbours;
};

class Simulation {
 public:
  Simulation(const std::filesystem::path& directory, const GeneratedRun& run)
      : run_(run), archive_(directory, run.ranks), processes_(run.ranks), dice_(run.seed) {
    for (const char* name : kFunctions) functions_.push_back(archive_.function(name));
    for (const char* name : kCalls) calls_.push_back(archive_.mpi(name));
    if (run.style == RunStyle::Unwound) define_call_paths();
    const Grid grid(run.ranks);
    for (std::uint32_t rank = 0; rank < run.ranks; ++rank) {
      processes_[rank].events = archive_.events(rank);
      processes_[rank].neighbours = grid.neighbours(rank);
      if (run.style == RunStyle::Instrumented) enter_function(processes_[rank], Main);
      call(processes_[rank], Init, 0, [](std::uint64_t, std::uint64_t) {});
    }
  }
  ~Simulation() { OTF2_AttributeList_Delete(attributes_); }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void run() {
    if (run_.pattern == RunPattern::MasterAndWorkers) {
      hand_out_all();
    } else {
      for (std::uint32_t step = 0; step < run_.steps; ++step) halo_step();
    }
    for (Process& process : processes_) {
      call(process, Finalize, 0, [](std::uint64_t, std::uint64_t) {});
      if (run_.style == RunStyle::Instrumented) leave_function(process, Main);
    }
    archive_.close();
  }

 private:
  void define_call_paths() {
    archive_.define([this](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive_.string(schema::kCallPathAttribute),
                                          archive_.string(""), OTF2_TYPE_CALLING_CONTEXT);
      OTF2_GlobalDefWriter_WriteParameter(writer, 0, archive_.string(schema::kSampleParameter),
                                          OTF2_PARAMETER_TYPE_UINT64);
      OTF2_CallingContextRef caller = OTF2_UNDEFINED_CALLING_CONTEXT;
      for (std::uint32_t i = 0; i < functions_.size(); ++i) {
        OTF2_GlobalDefWriter_WriteCallingContext(writer, i, functions_[i],
                                                 OTF2_UNDEFINED_SOURCE_CODE_LOCATION, caller);
        caller = Main;
      }
    });
  }

  OTF2_AttributeList* inside(Function function) {
    if (run_.style == RunStyle::Instrumented) return nullptr;
    OTF2_AttributeList_AddCallingContextRef(attributes_, 0, static_cast<OTF2_CallingContextRef>(function));
    return attributes_;
  }
  std::uint64_t noise(std::uint64_t most) {
    dice_ = dice_ * 6364136223846793005u + 1442695040888963407u;
    return (dice_ >> 33) % most;
  }

  void enter_function(Process& process, Function function) {
    OTF2_EvtWriter_Enter(process.events, nullptr, process.now, functions_[function]);
  }
  void leave_function(Process& process, Function function) {
    OTF2_EvtWriter_Leave(process.events, nullptr, process.now, functions_[function]);
  }
  void compute(Process& process, Function function, std::uint64_t length) {
    const std::uint64_t end = process.now + length + noise(length / 10);
    if (run_.style == RunStyle::Unwound) {
      for (; process.next_sample < end; process.next_sample += kSamplingPeriod) {
        if (process.next_sample < process.now) continue;  // in an MPI call
        OTF2_EvtWriter_ParameterUnsignedInt(process.events, inside(function), process.next_sample, 0, 1);
      }
      process.now = end;
      return;
    }
    enter_function(process, function);
    process.now = end;
    leave_function(process, function);
  }

  // A call that ends at `end` or later; records(enter, leave) makes its records.
  template <typename Records>
  void call(Process& process, Call name, std::uint64_t end, Records records) {
    const std::uint64_t enter = process.now;
    process.now = std::max(enter + kCall, end);
    OTF2_EvtWriter_Enter(process.events, inside(Main), enter, calls_[name]);
    records(enter, process.now);
    OTF2_EvtWriter_Leave(process.events, nullptr, process.now, calls_[name]);
  }

  std::uint32_t rank_of(const Process& process) const {
    return static_cast<std::uint32_t>(&process - processes_.data());
  }

  void halo_step() {
    const bool nonblocking = run_.pattern == RunPattern::HaloNonblocking;
    for (Process& process : processes_) {
      nonblocking ? post(process) : send(process);
      process.sent = process.now;
      compute(process, Stencil, kWork);
      if (rank_of(process) == run_.slow_rank) compute(process, RefineCells, 2 * kWork);
    }
    for (Process& process : processes_) {
      nonblocking ? wait(process) : receive(process);
      compute(process, Stencil, kWork);
    }
    allreduce();
  }

  void post(Process& process) {
    process.first_request = process.request;
    for (std::size_t i = 0; i < process.neighbours.size(); ++i) {
      call(process, Irecv, 0, [&](std::uint64_t enter, std::uint64_t) {
        OTF2_EvtWriter_MpiIrecvRequest(process.events, nullptr, enter, process.request++);
      });
    }
    for (const std::uint32_t neighbour : process.neighbours) {
      call(process, Isend, 0, [&](std::uint64_t enter, std::uint64_t) {
        OTF2_EvtWriter_MpiIsend(process.events, nullptr, enter, neighbour, 0, 1, kHaloBytes,
                                process.request++);
      });
    }
  }

  void wait(Process& process) {
    std::uint64_t there = 0;
    for (const std::uint32_t neighbour : process.neighbours)
      there = std::max(there, processes_[neighbour].sent + kLatency);
    call(process, Waitall, there, [&](std::uint64_t, std::uint64_t leave) {
      std::uint64_t request = process.first_request;
      for (const std::uint32_t neighbour : process.neighbours)
        OTF2_EvtWriter_MpiIrecv(process.events, nullptr, leave, neighbour, 0, 1, kHaloBytes, request++);
      while (request < process.request)
        OTF2_EvtWriter_MpiIsendComplete(process.events, nullptr, leave, request++);
    });
  }

  void send(Process& process) {
    for (const std::uint32_t neighbour : process.neighbours) {
      call(process, Send, 0, [&](std::uint64_t enter, std::uint64_t) {
        OTF2_EvtWriter_MpiSend(process.events, nullptr, enter, neighbour, 0, 1, kHaloBytes);
      });
    }
  }

  void receive(Process& process) {
    for (const std::uint32_t neighbour : process.neighbours)
      receive_from(process, neighbour, processes_[neighbour].sent + kLatency, 1, kHaloBytes);
  }

  void receive_from(Process& process, std::uint32_t sender, std::uint64_t there, std::uint32_t tag,
                    std::uint64_t bytes) {
    call(process, Recv, there + kCall, [&](std::uint64_t, std::uint64_t leave) {
      OTF2_EvtWriter_MpiRecv(process.events, nullptr, leave, sender, 0, tag, bytes);
    });
  }

  void allreduce() {
    const auto earlier = [](const Process& a, const Process& b) { return a.now < b.now; };
    const std::uint64_t end = std::max_element(processes_.begin(), processes_.end(), earlier)->now + kLatency;
    for (Process& process : processes_) {
      call(process, Allreduce, end, [&](std::uint64_t enter, std::uint64_t leave) {
        OTF2_EvtWriter_MpiCollectiveBegin(process.events, nullptr, enter);
        OTF2_EvtWriter_MpiCollectiveEnd(process.events, nullptr, leave, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                        OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
      });
    }
  }

  // Who is done first gets the next task first.
  void hand_out_all() {
    using Arrival = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
    std::vector<std::uint32_t> left(run_.ranks, run_.steps);
    for (std::uint32_t worker = 1; worker < run_.ranks; ++worker) hand_out(worker);
    for (std::uint32_t worker = 1; worker < run_.ranks; ++worker) arrivals.emplace(do_task(worker), worker);
    while (!arrivals.empty()) {
      const auto [there, worker] = arrivals.top();
      arrivals.pop();
      receive_from(processes_[0], worker, there, 2, kTaskBytes);
      if (--left[worker] == 0) continue;
      hand_out(worker);
      arrivals.emplace(do_task(worker), worker);
    }
  }
  // A message between master and worker; returns when it is there.
  std::uint64_t pass(Process& sender, std::uint32_t receiver, std::uint32_t tag) {
    const std::uint64_t sent = sender.now;
    call(sender, Send, 0, [&](std::uint64_t enter, std::uint64_t) {
      OTF2_EvtWriter_MpiSend(sender.events, nullptr, enter, receiver, 0, tag, kTaskBytes);
    });
    return sent + kLatency;
  }
  void hand_out(std::uint32_t worker) {
    receive_from(processes_[worker], 0, pass(processes_[0], worker, 1), 1, kTaskBytes);
  }
  std::uint64_t do_task(std::uint32_t worker) {
    compute(processes_[worker], worker == run_.slow_rank ? RefineCells : Stencil, kTask + noise(kTask));
    return pass(processes_[worker], 0, 2);
  }

  const GeneratedRun& run_;
  ArchiveWriter archive_;
  std::vector<OTF2_RegionRef> functions_, calls_;
  std::vector<Process> processes_;
  OTF2_AttributeList* attributes_ = OTF2_AttributeList_New();
  std::uint64_t dice_;
};

}  // namespace

void write_generated_run(const std::filesystem::path& directory, const GeneratedRun& run) {
  Simulation(directory, run).run();
}

}  // namespace waitdiag::fixtures
