// The report as plain data: what every writer (text, JSON, CSV) prints. Times are seconds, shares 0..1, ranks
// are world ranks. Field names follow the JSON schema waitdiag.report/1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/action.hpp"
#include "analyzer/results/certainty.hpp"
#include "analyzer/results/everywhere.hpp"
#include "analyzer/results/late_candidates.hpp"
#include "analyzer/results/resources.hpp"
#include "analyzer/results/threads.hpp"

namespace waitdiag {

struct Report {
  struct Run {
    std::string program{}, mpi{}, creator{};
    std::string rules{};     // "waitprof" or "scalasca"
    std::string model{};     // "h-cwp-dm" or "cwp-dm"
    std::string interval{};  // "causal" or "pair"
    double hotspot_threshold = 0.01;
    std::uint64_t ranks = 0, threads = 0, nodes = 0, events = 0, mpi_calls = 0;
    std::uint64_t messages = 0;     // point-to-point messages sent
    std::uint64_t collectives = 0;  // other than Init and Finalize, one per communicator
    std::uint64_t message_bytes = 0, collective_bytes = 0;  // sent in them, over all ranks
    double runtime_s = 0;
    double paused_s = 0;       // further time, with the recording paused on some rank: all else leaves it out
    double clock_error_s = 0;  // no rank's times are further from rank 0's; 0: one clock, or not known
    std::string predicted_for{};  // the machine, if it is no recorded run
    std::string profile{};        // "light": see whole_run; empty: everything was recorded
    std::string sampling{};       // "cpu", "wall", "off", or empty when the archive does not say
    std::uint64_t steps = 0;      // time steps of the program; 0: none found
    struct StepNumbers {
      std::uint64_t first = 0, last = 0;
    };
    std::vector<StepNumbers> step_numbers{};  // theirs, in rows; empty: from 0 on
    std::string steps_source{};               // "marks" of the program, repeating "communication", or empty
    std::uint64_t eager_threshold_bytes = 0;  // standard sends up to here need no receiver
    std::string eager_threshold_source{};     // "given", "learnt", "assumed"; empty: no limit was used
  } run;

  // What the program asked of MPI, regardless of time: calls by call path, over all ranks; by name.
  struct CallSite {
    std::string call_path{};
    std::uint64_t calls = 0;
  };
  std::vector<CallSite> call_sites{};

  // How the run ended, if not by MPI_Finalize.
  struct Ending {
    std::string how{};        // "aborted" (MPI_Abort), "exited" (exit() on a rank), "killed" (or crashed)
    std::string sentence{};   // all of this in words
    std::int64_t rank = -1;   // who did it: by its own word, or the only one outside MPI; -1: not known
    std::int64_t code = 0;    // of MPI_Abort
    double time_s = 0;        // since the start: when that was, or the last sign of life of any rank
    std::string call_path{};  // where; empty if not known
    struct OpenCall {
      std::int64_t rank = 0;
      std::uint64_t thread = 0;
      std::string call_path{}, function{}, file{};
      std::uint32_t line = 0;
      double entered_s = 0, open_s = 0;  // since the start of the run; until its end
    };
    std::vector<OpenCall> open_calls{};  // MPI calls that were never left, longest first
    struct Outside {
      std::int64_t rank = 0;
      std::string call_path{};  // sampled or marked last; empty if not known
      double since_s = 0;       // outside MPI since then
    };
    std::vector<Outside> outside_mpi{};  // main threads that were not in MPI
  };
  std::optional<Ending> ending;

  struct Time {  // core seconds of all locations; to begin and end MPI: of mpi_s, none: not known
    double total_s = 0, computation_s = 0, mpi_s = 0, waiting_s = 0;
    std::optional<double> begin_and_end_s{};
  } time;

  struct Efficiency {  // POP tree; NaN where undefined
    double parallel = 0, load_balance = 0, communication = 0, serialisation = 0, transfer = 0;
    std::string method = "waits";
  } efficiency;

  // The recorder's light profile: what this is an excerpt of. Everything else here is about the excerpts, one
  // after the other. Counts and times are exact; waiting, and with it serialisation and transfer, is
  // estimated: each call path is assumed to wait for the same share of its time as in the excerpts.
  struct WholeRun {
    double runtime_s = 0, recorded_s = 0;  // recorded_s: the run time of the excerpts
    std::uint64_t excerpts = 0;
    std::uint64_t steps = 0;  // that the program marked; 0: none
    std::uint64_t mpi_calls = 0, messages = 0, message_bytes = 0, collective_bytes = 0;
    Time time{};
    Efficiency efficiency{};
    double unseen_mpi_s = 0;  // in call paths that no excerpt shows: no waiting is assumed
    struct CallSite {
      std::string call_path{};
      std::uint64_t calls = 0;
      double seconds = 0, shortest_s = 0, longest_s = 0;  // the latter two of one call
      std::uint64_t messages = 0, bytes = 0;              // bytes: sent, also in collective operations
    };
    std::vector<CallSite> call_sites{};  // longest first
  };
  std::optional<WholeRun> whole_run;

  // The same from the critical path: serialisation by re-timing the run on an ideal network.
  Efficiency efficiency_on_critical_path;
  // The same again: every message and collective operation replayed on an ideal network. Missing in reports
  // on long runs unless requested, when the replay cannot finish, and when it takes longer than the run did:
  // then `no_efficiency_by_replay` says so, as part of a sentence.
  std::optional<Efficiency> efficiency_by_replay;
  std::string no_efficiency_by_replay{};

  // The same for parts of the run: "run", "before the steps", "all steps", "after the steps", "step 3",
  // "steps 4-7", "in setup" (an outermost region of the user's that all ranks were in); empty where there are
  // neither time steps nor such regions.
  struct PartEfficiency {
    std::string part{};
    std::optional<std::uint64_t> first_step{}, last_step{};  // of single steps or groups of them
    std::string region{};                                    // its name, if it is one
    double time_s = 0;                                       // the longest of all ranks
    double computation_s = 0, mpi_s = 0, waiting_s = 0;      // of the main threads of all ranks
    Efficiency tree{}, on_path{};                            // by waits, and by the critical path
    double path_s = 0;                                       // of the critical path, in this part
  };
  std::vector<PartEfficiency> efficiency_by_part{};

  struct ByCallPath {
    std::string call_path{};  // outermost/.../innermost
    double seconds = 0;
    std::string file{};  // where it is called: calls of one function are entries of their own
    std::uint32_t line = 0;
  };
  struct ByRank {
    std::int64_t rank = 0;
    double seconds = 0;
    std::optional<std::int64_t> last{};  // all ranks up to it that are not listed (rank_groups.hpp)
    bool in_time = false;  // of a cause: a repair leaves the rank as it is, for others come later
  };

  using Candidate = LateCandidate;
  using OtherCandidates = LateCandidates;
  static constexpr std::size_t kMostCandidates = 4096;
  struct Wait {
    std::string pattern{}, title{};  // id and the name a user reads
    std::string summary{};           // one sentence: what happened
    bool waiting = true;    // false for completion patterns and parts of another pattern: listed, not summed
    std::string part_of{};  // id of the pattern it is a part of, or empty
    bool outside_mpi = false, for_receiver = false;
    double total_s = 0;
    double nonblocking_s = 0;  // of it, waits for nonblocking collectives
    double uncertain_s = 0;    // the clocks of different nodes make total_s wrong by so much at most
    std::uint64_t count = 0;
    std::optional<double> median_s{}, longest_s{};  // of one wait; none: not known one by one
    std::vector<ByRank> by_rank{};                  // ranks with a wait, ascending
    std::vector<ByCallPath> by_call_path{};         // largest first
    std::vector<Candidate> candidates{};            // by rank, call path, late rank: those with most seconds
    std::optional<OtherCandidates> other_candidates{};
  };
  std::vector<Wait> waits{};  // largest first; patterns without any instance are left out

  struct Hotspot {
    std::string call_path{}, function{}, file{};
    std::uint32_t line = 0;
    std::string waited_for{};  // "" where it ran; else as in words::kWaitedFor
    double share = 0, seconds = 0;
    std::uint64_t visits = 0;  // 0: not known (sampled code)
    std::vector<ByRank> by_rank{};
  };
  std::vector<Hotspot> hotspots{};  // computation and MPI call paths above the threshold, largest first

  struct Cause {
    std::string call_path{}, function{}, file{};
    std::uint32_t line = 0;
    std::string kind{};        // one of words::kCauses
    std::string waited_for{};  // "" where it ran; else as in words::kWaitedFor
    double waiting_s = 0, direct_s = 0, indirect_s = 0, excess_s = 0, share_of_waiting = 0;
    // The calls on the path that tell the guilty lines of its functions from others, outermost first: "main"
    // in line 24. None: it does not matter which, or there is only one way.
    struct Site {
      std::string function{}, file{};
      std::uint32_t line = 0;
    };
    std::vector<Site> called_at{};
    std::optional<LateThread> late_thread{};   // if it lies in a team of threads that were not even
    std::optional<WorkDifference> work{};      // of late ranks and others; none: no hardware counters
    std::vector<ByRank> ranks{};               // who caused it, largest first
    std::map<std::string, double> patterns{};  // waiting it caused, by pattern id of the wait
    // Details of the leading causes; `kind` is empty for the others.
    struct Why {
      std::string kind{}, text{};  // "uneven_executions", "slower_each", "slow_node", "noise" ...; a sentence
      std::string late_ranks{};    // over the steps: "same", "moving", "take_turns", "no_pattern", "unknown"
      std::optional<double> correlation{};  // of time and executions over ranks and steps
      double growth = 1;  // excess in the last third of the steps : first third; infinite: none in that
      bool grows = false;
      // Where the late ranks are so in some of the steps only: in all of first .. last, in one of `every`,
      // or, where that is 0, in those of `ranges`.
      struct StepRange {
        std::uint64_t first = 0, last = 0;
      };
      struct LateSteps {
        std::uint64_t first = 0, last = 0, every = 1;
        std::vector<StepRange> ranges{};
      };
      std::optional<LateSteps> late_steps{};
    } why{};
    // The run re-timed without this excess.
    struct Gain {
      double runtime_s = 0, speedup = 1;
      std::string method = "retiming";
      bool at_most = false, in_turn = false;  // all of it is removed; as if its ranks ran it at once
      double error_s = 0;  // three standard errors of what it saves (samples, tasks); 0: exact times
    };
    std::optional<Gain> gain{};
    std::optional<Everywhere>
        everywhere{};       // the function, if this is its largest cause, and it is late everywhere
    Certainty certainty{};  // of the leading causes
    struct Execution {
      std::int64_t rank = 0;
      double seconds = 0;                     // without waiting
      std::optional<std::uint64_t> visits{};  // none: seen by samples only
    };
    std::vector<Execution> executions{};  // by rank
    std::optional<Action> action{};       // of the leading causes
    struct BySteps {                      // rows are ranks, a column is one step or several
      std::uint64_t steps_per_column = 1;
      std::uint64_t ranks_per_row = 1;  // of so many neighbouring ranks, the one that runs it longest
      std::vector<std::vector<double>> time_s{}, visits{};  // no visits: not known
    } by_step{};
  };
  std::vector<Cause> causes{};  // by waiting_s, largest first

  // On request: gains by replay on the machine of the run.
  struct ReplayedGains {
    std::uint64_t replayed = 0;  // causes
    std::uint64_t retimed = 0;   // those that lie inside of MPI calls
    double error = 0;            // of the unchanged replay: run time / recorded run time - 1
    std::string refused{};       // why no cause was replayed; as part of a sentence
  };
  std::optional<ReplayedGains> replayed_gains;

  // The rank that came to MPI_Init last, if the others stayed there for a long time.
  struct LateStart {
    std::int64_t rank = 0;
    double late_s = 0;    // after the first rank
    double stayed_s = 0;  // of all others in MPI_Init, until it came; no waiting time
  };
  std::optional<LateStart> late_start;
  // The chain of computation and transfer that the run time consists of.
  // Of longer lists by call path, those with most seconds are kept, and the last entry stands for the rest.
  static constexpr std::size_t kMostCallPaths = 1024;
  static constexpr const char* kFurtherCallPaths = "(further call paths)";
  struct CriticalPath {
    double total_s = 0;       // with the late start, the run time
    double late_start_s = 0;  // from the first event of the run to that of the rank where the path begins
    struct Entry {
      std::string call_path{}, function{};
      double seconds = 0;      // on the path
      double imbalance_s = 0;  // more than an average rank spends in it, waiting taken out
    };
    std::vector<Entry> by_call_path{};  // largest first
    std::vector<ByRank> by_rank{};      // seconds the path stays on a rank; ranks it never visits are absent
    struct Stretch {                    // an equal part of the run, and the rank with most of the path in it
      double from_s = 0, to_s = 0;
      std::int64_t rank = 0;
      double share = 0;
    };
    std::vector<Stretch> over_time{};
    std::uint64_t changes = 0;  // how often it goes from one rank to another
  } critical_path;

  // Full model only: waiting by pattern, caused at the last synchronisation (short) or passed on before it.
  struct DelayCost {
    std::string pattern{};
    double short_s = 0, long_s = 0;
    // The waits of this pattern: caused where they were, or by earlier waits of the causing rank; and the
    // part that made the waiting rank late for others, or not.
    double direct_s = 0, indirect_s = 0, propagating_s = 0, terminal_s = 0;
  };
  std::vector<DelayCost> delay_costs{};
  double conservation_residual_s = 0;  // waiting less all delay costs and remainders: rounding only

  // On request: the messages of the run.
  struct MessageCount {
    std::uint64_t messages = 0, bytes = 0;
  };
  struct MessageSizes {  // (above_bytes, up_to_bytes]
    std::uint64_t above_bytes = 0;
    std::optional<std::uint64_t> up_to_bytes{};  // none: there is no larger interval
    MessageCount same_chip{}, same_node{}, other_node{}, unknown_layer{};
    std::uint64_t messages() const {
      return same_chip.messages + same_node.messages + other_node.messages + unknown_layer.messages;
    }
    std::uint64_t bytes() const {
      return same_chip.bytes + same_node.bytes + other_node.bytes + unknown_layer.bytes;
    }
  };
  struct MessagePair {
    std::int64_t from = 0, to = 0;
    std::uint64_t messages = 0, bytes = 0;
  };
  struct CommunicatorUse {
    std::string name{};
    std::uint64_t size = 0, messages = 0, bytes = 0, collectives = 0, collective_bytes = 0;
    double collective_s = 0, waiting_s = 0;  // core time in its collectives, and waiting there
  };
  std::vector<MessageSizes> message_sizes{};
  std::vector<MessagePair> message_pairs{};  // that exchanged anything; by sender, then receiver
  std::vector<CommunicatorUse> communicators{};

  // On request: where the processor time of each part of the run went (analyzer/diagnosis/characteristics).
  struct Characteristics {
    std::string part, region{};  // as those of the efficiencies above
    double time_s = 0, efficiency = 0, processor_time_s = 0, productive_s = 0, lost_s = 0,
           communication_s = 0, insufficient_parallelism_s = 0, idle_s = 0, desynchronised_before_s = 0,
           desynchronised_after_s = 0, overlap_s = 0;
  };
  struct OperationClass {
    std::string id{};
    std::uint64_t count = 0;
    double time_s = 0, waiting_s = 0, desynchronised_before_s = 0, desynchronised_after_s = 0, overlap_s = 0;
  };
  std::vector<Characteristics> characteristics{};
  std::vector<OperationClass> operation_classes{};

  // What ranks used of their nodes; empty: was not recorded.
  using RankResources = waitdiag::RankResources;
  using NodeResources = waitdiag::NodeResources;
  double resources_column_s = 0;
  std::string counters{};  // "instructions,cycles"; "none: " and why; empty: the archive does not say
  std::vector<CountedRank> counted{};  // ranks with hardware counters
  std::vector<RankResources> rank_resources{};
  std::vector<NodeResources> node_resources{};

  // Of ranks whose threads were not on a processor, outside of MPI: because they waited, or lost it to others.
  using OffProcessor = waitdiag::OffProcessor;
  std::vector<OffProcessor> off_processor{};
  std::vector<TakenProcessors> taken_processors{};  // by node, the one that lost most first

  // MPI I/O, of all threads together; of nonblocking calls the bytes that were asked for.
  struct FileAccess {
    std::string call_path{};  // empty: all
    std::uint64_t calls = 0;
    double seconds = 0;
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };
  struct Files {
    FileAccess all{};
    std::vector<FileAccess> by_call_path{};  // longest first
  };
  std::optional<Files> files;  // absent: no MPI_File_ function was called

  // What the recording itself cost; calls and failed polls by what each was measured to cost.
  struct Recording {
    double call_s = 0;
    double poll_s = 0;              // that of a call where the archive does not say it
    double start_s = 0, end_s = 0;  // 0: not known
    double ends_ran_s = 0;
    struct OfRank {
      std::int64_t rank = 0;
      std::uint64_t calls = 0, failed_polls = 0;
      double path_s = 0, flush_s = 0, upkeep_s = 0, total_s = 0;
    };
    std::vector<OfRank> ranks{};
  };
  std::optional<Recording> recording;

  using WorkerThreads = waitdiag::WorkerThreads;
  std::vector<WorkerThreads> worker_threads{};
  std::optional<Teams> teams;

  double explained_s = 0, unexplained_s = 0;
  // Where the unexplained part went: "not_hotspot", "passed_on" ... with seconds and a sentence each.
  struct Remainder {
    std::string id{}, text{};
    double seconds = 0;
  };
  std::vector<Remainder> remainders{};
  // Clocks that contradict each other: something on `to` ended before what it needs began on `from`.
  struct ClockViolation {
    std::int64_t from = 0, to = 0;
    std::string in{};  // "messages", "collectives", "windows"
    std::uint64_t count = 0;
    double largest_s = 0;
  };
  std::vector<ClockViolation> clock_violations{};
  struct Quality {
    std::string id{}, severity{}, text{};  // severity: "info", "warning", "serious"
    std::uint64_t count = 0;
  };
  std::vector<Quality> data_quality{};
};

}  // namespace waitdiag
