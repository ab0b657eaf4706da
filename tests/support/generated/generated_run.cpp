// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/generated/generated_run.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "libwaitprof/schema/schema.hpp"
#include "tests/support/generated/archive_writer.hpp"
#include "tests/support/generated/process_grid.hpp"

namespace waitdiag::fixtures {
namespace {

namespace schema = waitprof::schema;

// Nanoseconds.
constexpr std::uint64_t kCall = 200, kLatency = 1'000, kWork = 500'000, kTask = 50'000;
constexpr std::uint64_t kHaloBytes = 800, kTaskBytes = 64;
constexpr std::uint64_t kSamplingPeriod = 9'700'000;  // no multiple of a step

// After the last one come the further functions of slow ranks, then those between main and all others.
enum Function : std::size_t { Main, Stencil, WriteOutput, RefineCells };
enum Call : std::size_t { Init, Irecv, Isend, Waitall, Send, Recv, Sendrecv, Allreduce, Finalize };
constexpr std::array kFunctions{"main", "stencil", "write_output", "refine_cells"};
constexpr std::array kCalls{"MPI_Init", "MPI_Irecv",    "MPI_Isend",     "MPI_Waitall", "MPI_Send",
                            "MPI_Recv", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Finalize"};

// One rank while it runs.
struct Process {
  OTF2_EvtWriter* events = nullptr;
  std::uint64_t now = 0;
  std::uint64_t sent = 0;  // when its last messages to the neighbours were sent
  std::uint64_t request = 0, first_request = 0;
  std::uint64_t next_sample = kSamplingPeriod;
  std::vector<std::uint32_t> neighbours;
};

class Simulation {
 public:
  Simulation(const std::filesystem::path& directory, const GeneratedRun& run)
      : run_(run), archive_(directory, run.ranks), processes_(run.ranks), dice_(run.seed) {
    for (const char* name : kFunctions) functions_.push_back(archive_.function(name));
    for (std::uint32_t i = 1; i < run.slow_functions; ++i)
      functions_.push_back(archive_.function("refine_cells_" + std::to_string(i)));
    innermost_ = functions_.size();
    for (std::uint32_t i = 0; i < run.nested; ++i)
      functions_.push_back(archive_.function("level_" + std::to_string(i + 1)));
    for (const char* name : kCalls) calls_.push_back(archive_.mpi(name));
    if (run.style == RunStyle::Unwound) define_call_paths();
    const ProcessGrid grid(run.ranks, run.periodic);
    rounds_ = grid.rounds();
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
      const bool halo = run_.pattern != RunPattern::PingPong;
      for (step_ = 0; step_ < run_.steps; ++step_) halo ? halo_step() : round_trip();
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
      const auto define_one = [&](std::size_t i, std::size_t caller) {
        OTF2_GlobalDefWriter_WriteCallingContext(
            writer, static_cast<OTF2_CallingContextRef>(i), functions_[i],
            OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
            i == Main ? OTF2_UNDEFINED_CALLING_CONTEXT : static_cast<OTF2_CallingContextRef>(caller));
      };
      define_one(Main, Main);
      for (std::size_t i = innermost_; i < functions_.size(); ++i)
        define_one(i, i == innermost_ ? Main : i - 1);
      for (std::size_t i = Main + 1; i < innermost_; ++i)
        define_one(i, functions_.size() > innermost_ ? functions_.size() - 1 : Main);
    });
  }

  OTF2_AttributeList* inside(std::size_t function) {
    if (run_.style == RunStyle::Instrumented) return nullptr;
    OTF2_AttributeList_AddCallingContextRef(attributes_, 0, static_cast<OTF2_CallingContextRef>(function));
    return attributes_;
  }
  std::uint64_t noise(std::uint64_t most) {
    if (run_.wait_percent == 0) return 0;
    dice_ = dice_ * 6364136223846793005u + 1442695040888963407u;
    return (dice_ >> 33) % most;
  }

  void enter_function(Process& process, std::size_t function) {
    OTF2_EvtWriter_Enter(process.events, nullptr, process.now, functions_[function]);
  }
  void leave_function(Process& process, std::size_t function) {
    OTF2_EvtWriter_Leave(process.events, nullptr, process.now, functions_[function]);
  }
  void compute(Process& process, std::size_t function, std::uint64_t length) {
    const std::uint64_t end = process.now + length + noise(length / 10);
    if (run_.style == RunStyle::Unwound) {
      for (; process.next_sample < end; process.next_sample += kSamplingPeriod) {
        if (process.next_sample < process.now) continue;  // in an MPI call
        OTF2_EvtWriter_ParameterUnsignedInt(process.events, inside(function), process.next_sample, 0, 1);
      }
      process.now = end;
      return;
    }
    const std::size_t levels = functions_.size() - innermost_;
    const std::uint64_t in_level = std::min<std::uint64_t>(kCall, length / (2 * levels + 1));
    for (std::size_t i = 0; i < levels; ++i) {
      enter_function(process, innermost_ + i);
      process.now += in_level;
    }
    enter_function(process, function);
    process.now = end;
    leave_function(process, function);
    for (std::size_t i = levels; i-- > 0;) leave_function(process, innermost_ + i);
  }

  // A call that ends at `end` or later; records(enter, leave) writes its records.
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

  bool is_slow(std::uint32_t rank) const {
    if (run_.wait_percent == 0) return false;
    const std::uint32_t moved = run_.slow_moves_every == 0 ? 0 : step_ / run_.slow_moves_every;
    const std::uint32_t behind = (rank + run_.ranks - (run_.slow_rank + moved) % run_.ranks) % run_.ranks;
    return behind * run_.slow_ranks % run_.ranks < run_.slow_ranks;
  }
  void compute_first(Process& process) {
    compute(process, Stencil, kWork);
    const std::uint32_t rank = rank_of(process);
    if (is_slow(rank))
      compute(process, RefineCells + step_ % run_.slow_functions,
              2 * kWork * run_.wait_percent / (100 - run_.wait_percent));
    if (rank == 0 && every(run_.output_every)) compute(process, WriteOutput, 4 * kWork);
  }
  bool every(std::uint32_t steps) const { return steps > 0 && (step_ + 1) % steps == 0; }

  void halo_step() {
    if (run_.pattern == RunPattern::HaloSendrecv) {
      exchange();
    } else {
      post_and_receive();
    }
    if (every(run_.allreduce_every)) allreduce();
  }

  void post_and_receive() {
    const bool nonblocking = run_.pattern == RunPattern::HaloNonblocking;
    for (Process& process : processes_) {
      if (run_.late_sends) compute_first(process);
      nonblocking ? post(process) : send(process);
      process.sent = process.now;
      if (!run_.late_sends) compute_first(process);
    }
    for (Process& process : processes_) {
      nonblocking ? wait(process) : receive(process);
      compute(process, Stencil, kWork);
    }
  }

  void exchange() {
    for (Process& process : processes_) {
      compute(process, Stencil, kWork);
      compute_first(process);
    }
    for (const ProcessGrid::Pairs& pairs : rounds_) {
      for (const auto& [a, b] : pairs) {
        const std::uint64_t of_a = processes_[a].now, of_b = processes_[b].now;
        exchange_with(processes_[a], b, of_b + kLatency);
        exchange_with(processes_[b], a, of_a + kLatency);
      }
    }
  }
  void exchange_with(Process& process, std::uint32_t partner, std::uint64_t there) {
    call(process, Sendrecv, there, [&](std::uint64_t enter, std::uint64_t leave) {
      OTF2_EvtWriter_MpiSend(process.events, nullptr, enter, partner, 0, 1, kHaloBytes);
      OTF2_EvtWriter_MpiRecv(process.events, nullptr, leave, partner, 0, 1, kHaloBytes);
    });
  }

  // One round trip in each of the pairs (0, 1), (2, 3) ...
  void round_trip() {
    for (std::uint32_t rank = 0; rank + 1 < run_.ranks; rank += 2) {
      hit(rank, rank + 1);
      hit(rank + 1, rank);
    }
  }
  void hit(std::uint32_t from, std::uint32_t to) {
    compute(processes_[from], from == run_.slow_rank ? RefineCells : Stencil,
            from == run_.slow_rank ? 2 * kTask : kTask);
    receive_from(processes_[to], from, pass(processes_[from], to, 1), 1, kTaskBytes);
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

  // The first worker to finish gets the next task first.
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
  // A message between master and worker; returns the time of its arrival.
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
  std::size_t innermost_ = 0;  // the first of the functions between main and those that compute
  std::vector<ProcessGrid::Pairs> rounds_;
  std::uint32_t step_ = 0;
  std::vector<Process> processes_;
  OTF2_AttributeList* attributes_ = OTF2_AttributeList_New();
  std::uint64_t dice_;
};

}  // namespace

void write_generated_run(const std::filesystem::path& directory, const GeneratedRun& run) {
  Simulation(directory, run).run();
}

}  // namespace waitdiag::fixtures
