// Random MPI programs in which one cause of waiting is planted: a function that takes longer on some ranks.
// The truth about it follows from running the program again without it.
//
//   Spmd             all ranks do the same in phases, with all kinds of communication between
//   Overlap          all compute between the start of an exchange and its end
//   Progress         the same with data that moves only while ranks are in MPI
//   Trees            rooted operations along trees; the late rank may be an inner node
//   Callers          one leaf function called by guilty and innocent functions
//   RareSteps        now and then a step is slow, on one rank or on each in turn
//   Drifting         the load of some ranks grows from step to step
//   HotSpot          the longer computation moves over the ranks
//   SlowNode         everything takes longer on some ranks
//   Balanced         no rank is late, except by noise
//   Crowded          MPI calls take long now and then, and perhaps a rank is late as well
//   Groups           two groups of ranks that communicate through their leaders; one group is slow
//   Climate          the same, but each group does work of its own
//   DifferentWork    half of the ranks run one function, half another; one rank of a half is slow
//   MasterAndWorkers rank 0 hands out work and waits for all of it; one worker is slow
//   TaskQueue        rank 0 prepares tasks, which takes long, and hands them to free ranks
//   Token            ranks write one after another; one takes longer
//   Pipeline         sweeps through a row of ranks; one takes longer, or none
//   Sweep            sweeps through a grid of ranks, likewise
//   EventLoop        rank 0 tests for results, with pauses, and then answers; one rank is slow
//   Server           the same with tests for any of the results, or for some
//   TwoCauses        two functions take longer on one rank, and somewhat longer on another
//   Alternating      one function is slow on one rank in even steps, another one on another rank in odd steps
//   Growing          the work of all ranks grows, and some do more by as much all the time
//   Nested           groups of ranks with one late rank each, which meet now and then
//   Nodes            ranks meet through the leaders of their nodes
//   Clients          rank 0 answers clients, one after the other
//   Scans            prefix reductions; one rank is late
//   Irregular        data for neighbours only (MPI_Alltoallv), or blocks of a reduction
//   Persistent       halos of persistent requests, started together
//   Protocols        large messages that need their receiver beside small ones
//   Fences, Epochs   one-sided access between fences; between post, start, complete and wait
//   Locks            one-sided access under a lock that one rank holds for long
//   TwoAtOnce        two nonblocking collective operations at the same time
//   Probing          rank 0 probes for results, with pauses
//   Wavefront        sweeps round a ring of ranks, of which some end early
//   Ring             blocks go round a ring, and each rank works on each
//   DynamicHalo      halos whose neighbours change from step to step
//   HandMadeTree     a reduction by messages along a tree, and its result back
//   Readers          now and then some ranks read, and one of them tells all
//   LateOrigin       one-sided access between fences, with work on both sides of them
//   Restarts         steps that do not converge are done again
//   Stealing         ranks fetch tasks under a lock; the last task is a long one
//   Recursion        a recursive function, of which one leaf is slow
//   Staggered        rows and columns of a grid that meet in different phases
//   UnevenBlocks     all have blocks of different sizes; one rank takes much longer
//   JoinedThread     in each step a thread works beside the main thread of each rank; some take longer
//   ThreadTeam       the same with several threads, of which one takes longer
//   Background       a thread works beside many steps, and is joined behind them
//   BlockedThread    a thread is blocked in a call, for longer on some ranks
//   CallingThreads   threads that meet those of other ranks (MPI_THREAD_MULTIPLE)
//   WokenThread      a thread gets work in each step, and wakes the main thread when that is done; some take longer
//   ThreadPool       the same with several threads that take tasks from a queue; one of the tasks takes longer
//   ReadAhead        a thread reads in advance what the main thread needs in the next step
//   Promises         a thread for every task, which wakes the main thread and then goes on
//   IdleThreads      threads wait for work of the main thread, which is late itself
//   ExchangeThread   one thread of each rank meets those of others, for the main thread
//   ServiceThread    one thread of each rank polls for messages that never come, until it is told to end
//   ScanChain        prefix sums one after another, with work between
//   SparseExchange   data for a few ranks only, others in each step (MPI_Alltoallv), or a graph's neighbours
//   Consensus        synchronous sends to a few, and a nonblocking barrier that tells when all have arrived
//   TwoLevels        leaders of nodes collect, meet, and spread along trees; nodes differ in size
//   DeferredWaits    receives are posted early and completed late, in the next step even
//   RequestPool      messages are completed one by one as they come, with work on each
//   EpochRing        one-sided access to the next rank, with work inside epochs and behind them
//   LockFarm         each changes memory of another rank under a lock
//   TaskFarm         all prepare the same before rank 0 hands out tasks
//   CounterFarm      ranks take tasks from a shared counter (MPI_Fetch_and_op)
//   Writer           one rank writes what the others hand it
//   MovingLoad       load moves between neighbours that exchange halos
//   TakingTurns      two functions take longer, each on a rank of its own and for a few steps at a time
//   ThreadRings      several threads of each rank, each in a ring of its own; one thread takes longer
//   Subcycling       half of the ranks take several short steps for one long step of the others
//   Aggregators      output in two phases: data goes to some ranks, which write it; one takes longer to write
//   StartedEarly     persistent requests with work between their start and their end
//   BusyTarget       all read memory of the next one, which answers only while it is in MPI
//   Migration        the work of a hot spot moves to the other ranks, until there is a new one
//   ProbeServer      rank 0 waits for requests in MPI_Probe, and answers them
//   AdaptiveSteps    steps of different lengths, some done again, and rarely an output
//   Regridding       now and then ranks find out what to refine, and blocks change hands (MPI_Alltoallv)
//   OutputServers    ranks hand their output to servers that probe for it, and wait for the answer an output later
//   CriticalSection  threads of each rank go through a critical section; one holds it for long
//   TestedCollective a nonblocking collective operation is tested for between parts of work, and then with pauses
//   NestedRoles      two models that work differently inside, with groups of groups and roles of their own
//   BusyOwner        all read memory of one rank, which answers between parts of its work
//   Stencil          neighbours in a grid exchange by a neighbourhood collective; one is late
//   EpochChain       one-sided access along a chain of ranks, each after the one before it
//   Shift            blocks move on in calls that send and receive (MPI_Sendrecv_replace)
//   PartialStarts    persistent requests, of which sends are started one by one
//   RotatingLeaders  hierarchical reductions with another leader of each node in every step
//   MovingSizes      the rank with most data, which takes longer, is another one in each step
//   Segments         nonblocking broadcasts of segments, and work on one after another
//   TwoTeams         two groups that meet only at the end, each with a cause of its own
//   BarrierLoop      a nonblocking barrier is tested for in a loop with pauses
//   Operators        MPI runs the program's reduction operator, which takes longer on one rank
//   LostInCalls      some ranks lose their processor in MPI calls, behind what they waited for
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag::test {

struct PlantedTruth {
  std::string call_path;   // empty: there is no cause, so no function may be named
  std::vector<int> ranks;  // none: it takes as long on all
  double share = 0;        // of the waiting that it causes
  double others = 0;       // of the waiting, on the same ranks
  double runtime_s = 0;    // without it
  std::string second;      // call path of a second cause, that is there besides; empty: there is none
  double runtime_without_second_s = 0;  // but with the first
  double seconds = 0;                   // with it
  double waited_s = 0;                  // with it
  double longer_s = 0;                  // how much more all ranks compute with it
  bool alone = true;  // nothing else makes ranks wait for long: ranks and share are determined
};

struct PlantedProgram {
  PlantedTruth truth;
  std::string text;     // the trace
  std::string without;  // the trace of the run without the cause
};

constexpr std::string_view kPlantedShapes[] = {"Spmd",
                                               "Overlap",
                                               "Progress",
                                               "Trees",
                                               "Callers",
                                               "RareSteps",
                                               "Drifting",
                                               "HotSpot",
                                               "SlowNode",
                                               "Balanced",
                                               "Crowded",
                                               "Groups",
                                               "Climate",
                                               "DifferentWork",
                                               "MasterAndWorkers",
                                               "TaskQueue",
                                               "Token",
                                               "Pipeline",
                                               "Sweep",
                                               "EventLoop",
                                               "Server",
                                               "TwoCauses",
                                               "Alternating",
                                               "Growing",
                                               "Nested",
                                               "Nodes",
                                               "Clients",
                                               "Scans",
                                               "Irregular",
                                               "Persistent",
                                               "Protocols",
                                               "Fences",
                                               "Epochs",
                                               "Locks",
                                               "TwoAtOnce",
                                               "Probing",
                                               "Wavefront",
                                               "Ring",
                                               "DynamicHalo",
                                               "HandMadeTree",
                                               "Readers",
                                               "LateOrigin",
                                               "Restarts",
                                               "Stealing",
                                               "Recursion",
                                               "Staggered",
                                               "UnevenBlocks",
                                               "JoinedThread",
                                               "ThreadTeam",
                                               "Background",
                                               "BlockedThread",
                                               "CallingThreads",
                                               "WokenThread",
                                               "ThreadPool",
                                               "ReadAhead",
                                               "Promises",
                                               "IdleThreads",
                                               "ExchangeThread",
                                               "ServiceThread",
                                               "ScanChain",
                                               "SparseExchange",
                                               "Consensus",
                                               "TwoLevels",
                                               "DeferredWaits",
                                               "RequestPool",
                                               "EpochRing",
                                               "LockFarm",
                                               "TaskFarm",
                                               "CounterFarm",
                                               "Writer",
                                               "MovingLoad",
                                               "TakingTurns",
                                               "ThreadRings",
                                               "Subcycling",
                                               "Aggregators",
                                               "StartedEarly",
                                               "BusyTarget",
                                               "Migration",
                                               "ProbeServer",
                                               "AdaptiveSteps",
                                               "Regridding",
                                               "OutputServers",
                                               "CriticalSection",
                                               "TestedCollective",
                                               "NestedRoles",
                                               "BusyOwner",
                                               "Stencil",
                                               "EpochChain",
                                               "Shift",
                                               "PartialStarts",
                                               "RotatingLeaders",
                                               "MovingSizes",
                                               "Segments",
                                               "TwoTeams",
                                               "BarrierLoop",
                                               "Operators",
                                               "LostInCalls"};

// Where few samples, two causes of nearly equal weight, or one that only passes on what another does, may leave it
// open which cause is the first:
//
//   Rivals           two functions take longer on the same ranks, one of them by hardly more
//   FewSamples       runs so short that the cause has a few samples only
//   ReplicatedStage  a pipeline with a stage that several ranks share; its first or last stage is slow. If the first
//                    one is hardly slower than the shared one, the last stage waits for that.
constexpr std::string_view kUncertainShapes[] = {"Rivals", "FewSamples", "ReplicatedStage"};

// The same seed makes the same program, whether it is sampled or not.
PlantedProgram planted_program(std::string_view shape, std::uint64_t seed, bool sampled);

}  // namespace waitdiag::test
