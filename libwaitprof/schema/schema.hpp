// Names shared by the writer (libwaitprof) and the reader (analyzer/formats/read). Header only, no dependency.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof::schema {

inline constexpr int kVersion = 2;
// Buffer of a rank's first thread, also on disk, unless WAITPROF_BUFFER_MIB says otherwise.
inline constexpr int kBufferMib = 16;
inline constexpr char kVersionProperty[] = "WAITPROF::VERSION";

// Attribute of type CALLING_CONTEXT on an ENTER: the caller's call path, without the MPI function itself.
inline constexpr char kCallPathAttribute[] = "callpath";
// UINT64 attribute of an ENTER: later ones of the location without kCallPathAttribute have the call path of the
// ENTER so many before them (repeated_paths.hpp). Before the first such attribute they have none.
inline constexpr char kRepeatAttribute[] = "waitprof calls before";

// UINT64 attribute of the LEAVE of an MPI_File_read or MPI_File_write of any kind: bytes that were moved; for
// nonblocking ones and MPI_File_*_begin, the bytes that were requested.
inline constexpr char kFileBytesAttribute[] = "waitprof file bytes";

// UINT64 attribute of the ENTER of an MPI_Test, MPI_Iprobe or the like that was called repeatedly with
// nothing in between: the number of calls before the recorded one that found nothing. The region is entered
// by the first of them. If a row ends without success, all of its calls are counted.
inline constexpr char kPollsAttribute[] = "waitprof polls";

// UINT8 attribute, 1, of the MPI_RECV or MPI_IRECV_REQUEST of a receive that asked for MPI_ANY_SOURCE.
inline constexpr char kAnySourceAttribute[] = "waitprof any source";

// Attributes of MPI_COLLECTIVE_END and NON_BLOCKING_COLLECTIVE_COMPLETE. Neighbourhood collectives, for which
// OTF2 has no operation, are written as their all-to-all siblings with a UINT8 attribute.
inline constexpr char kNeighbourhoodAttribute[] = "waitprof neighbourhood";
// STRING: kPeersPrefix, what goes to whom, ";", what comes from whom; "0-3:8,5:16" is 8 bytes each for ranks
// 0 to 3 of the communicator (of an inter-communicator: of the other group) and 16 bytes for rank 5.
inline constexpr char kPeersAttribute[] = "waitprof peers";
inline constexpr char kPeersPrefix[] = "peers ";

// The function of code that lies in no file: of a library that was unloaded, or made while the program ran.
inline constexpr char kNamelessCode[] = "(unloaded or generated code)";

// A sample of the computation: a ParameterUnsignedInt event of this parameter. Value: sampling periods it
// stands for; its attribute list carries kCallPathAttribute. (CallingContextSample events must not be mixed
// with ENTER and LEAVE, and no other reader would show the trace.)
inline constexpr char kSampleParameter[] = "waitprof sample";

// A time step of the program begins: a ParameterUnsignedInt event of this parameter on the rank's main
// thread. Value: the step's number, counted from 0. If the recording resumes in the middle of a step, the
// number of that step.
inline constexpr char kStepParameter[] = "waitprof step";

// WAITPROF_PROFILE=light (kProfile below). An excerpt of the run that was recorded in full begins: a
// ParameterUnsignedInt event of this parameter. Value: its number, the same on all ranks, larger for later
// ones. Everything before the first such event is excerpt 0. Between excerpts the measurement is off.
inline constexpr char kExcerptParameter[] = "waitprof excerpt";
// At the end of a location: the totals of all calls of one function on one call path, over the whole run.
// Value: calls; its attribute list carries kCallPathAttribute and these. Without the first one: calls that
// had no row of their own.
inline constexpr char kTotalParameter[] = "waitprof total";
inline constexpr const char* kTotalAttributes[] = {
    "waitprof function",         // REGION; the others are UINT64
    "waitprof time",             // in all calls, as the archive's times
    "waitprof shortest",         // of one call
    "waitprof longest",          //
    "waitprof messages",         // sent from point to point
    "waitprof message bytes",    // in them
    "waitprof collective bytes"  // sent in collective operations
};
// At the end of a rank's main thread. Value: time steps that the program began, recorded or not.
inline constexpr char kStepsPassedParameter[] = "waitprof steps passed";

// How it is known when a thread was not on a processor: a ParameterUnsignedInt event of this parameter
// before the first one of those below, and again where it changes. Value: 1, by clocks that were read at MPI
// calls; 2, every interval.
inline constexpr char kPresenceParameter[] = "waitprof presence";
// The thread is back on a processor: a ParameterUnsignedInt event of the parameter that says why it was off.
// Value: for how long, as the archive's times. With kTurnsAttribute (UINT64) it is a sum of that many
// intervals since the previous event, or since clocks were last read; it is not known when they were.
inline constexpr const char* kOffProcessorParameters[] = {
    "waitprof off processor: blocked",      // waited: for a disk, a lock, a timer, another process
    "waitprof off processor: preempted",    // could have run, but another thread did
    "waitprof off processor: unknown",      // the reason is not known, or whether it was off at all
    "waitprof off processor: page faults",  // waited for pages that it touched, from a disk
};
inline constexpr char kTurnsAttribute[] = "waitprof turns";

// At the end of a location: the totals of all regions that the thread opened on one call path and in which a
// team of threads computed (OpenMP). A ParameterUnsignedInt event of this parameter for each thread of the
// team. Value: its number; its attribute list carries kCallPathAttribute and these (UINT64, times as the
// archive's).
inline constexpr char kParallelParameter[] = "waitprof parallel";
inline constexpr const char* kParallelAttributes[] = {
    "waitprof parallel regions",  // how many
    "waitprof parallel time",     // of the thread that opened them, until the team had ended
    "waitprof slowest thread",    // the longest computation of a thread between each two barriers, added up
    "waitprof busy",              // of this thread, without waiting for others
    "waitprof parallel left out",  // regions that are in none of these, because not all was seen of their threads
    "waitprof slowest thread with turns",  // as the slowest one, if waiting for turns counts, too
    "waitprof barriers",                   // from when all threads had come to them until they had ended
    "waitprof waited for turns",           // by this thread: for critical or ordered sections, or locks
    "waitprof slowest thread with tasks",  // as that with turns, if waiting for tasks counts, too
    "waitprof waited for tasks",           // by all threads
};

// What a process uses, a synchronous metric of seven UINT64 members (three or six in older archives), read at MPI calls:
// its processor time so far in ns, its resident memory in bytes, the threads of the node that run or want to; page
// faults so far, without and with a disk, and how often recorded threads went to another processor; what the host of a
// virtual machine took from the node's processors since the first reading, added up, in ns.
inline constexpr char kProcessorTimeMetric[] = "CPU time";
inline constexpr char kResidentMemoryMetric[] = "resident memory";
inline constexpr char kNodeLoadMetric[] = "node load";
inline constexpr char kMinorFaultsMetric[] = "minor page faults";
inline constexpr char kMajorFaultsMetric[] = "major page faults";
inline constexpr char kMigrationsMetric[] = "migrations";
inline constexpr char kStolenMetric[] = "stolen";
inline constexpr char kNodeBusyMetric[] = "node busy";

// What a thread executed in the program's code so far, and in how many cycles: a synchronous metric of two UINT64
// members, where there are hardware counters, as MPI calls begin and end, and at samples.
inline constexpr char kInstructionsMetric[] = "instructions";
inline constexpr char kCyclesMetric[] = "cycles";

// Property of a system tree node of class "node", UINT32: how many processors are online there.
inline constexpr char kProcessors[] = "WAITPROF::PROCESSORS";

// Calling context properties (Score-P's names): where the frame's code is. The offset is an address as linked
// (what symbol tables and DWARF use), of the call instruction itself or of the sampled one: look it up as it
// is.
inline constexpr char kInstructionOffset[] = "INSTRUCTION OFFSET";  // "0x11f3"
inline constexpr char kModule[] = "EXECUTABLE/SHARED OBJECT";       // absolute path
inline constexpr char kBuildId[] = "BUILD ID";                      // hex, absent if the module has none
inline constexpr char kStableId[] = "WAITPROF ID";  // hex, same call path => same id in every run

// Archive properties (OTF2_Archive_SetProperty).
inline constexpr char kProgram[] = "WAITPROF::PROGRAM";
inline constexpr char kMpi[] = "WAITPROF::MPI";
inline constexpr char kProblem[] = "WAITPROF::PROBLEM";             // "n=256,steps=10", as the user said
inline constexpr char kPredictedFor[] = "WAITPROF::PREDICTED_FOR";  // a machine, if the run is predicted
inline constexpr char kSampling[] = "WAITPROF::SAMPLING";           // "cpu", "wall" or "off"
inline constexpr char kSamplingHz[] = "WAITPROF::SAMPLING_HZ";
// "instructions,cycles"; "none: " and why; absent: nobody asked for them.
inline constexpr char kCounters[] = "WAITPROF::COUNTERS";
inline constexpr char kProfile[] = "WAITPROF::PROFILE";  // "light": excerpts and totals; absent: all
inline constexpr char kMpiFilter[] =
    "WAITPROF::FILTER_MPI";  // groups not recorded: "p2p,io"; absent: all were
// WAITPROF_FILTER_FUNCTIONS as it was given, absent if it was not; and, decimal, how often regions that it
// leaves out were entered (all ranks together, absent if the program did not reach MPI_Finalize).
inline constexpr char kFunctionFilter[] = "WAITPROF::FILTER_FUNCTIONS";
inline constexpr char kFilteredRegions[] = "WAITPROF::FILTERED_REGIONS";
// Another tool with MPI functions of its own, "libtool.so (2 MPI functions: MPI_Barrier, MPI_Send)", absent
// if there is none: a tool in front gets the program's calls first and bypasses the recorder; a tool behind
// gets them from the recorder, so that both see them. As on rank 0.
inline constexpr char kToolInFront[] = "WAITPROF::TOOL_IN_FRONT";
inline constexpr char kToolBehind[] = "WAITPROF::TOOL_BEHIND";
// About jobs that communicate with each other (MPI_Comm_spawn, accept, connect, join), all decimal, absent if
// 0: processes whose MPI_Comm_spawn started this job; processes that this job spawned, and processes that it
// was connected to; messages and collectives with processes of other jobs, which are not recorded.
inline constexpr char kParentProcesses[] = "WAITPROF::PARENT_PROCESSES";
inline constexpr char kSpawnedProcesses[] = "WAITPROF::SPAWNED_PROCESSES";
inline constexpr char kConnectedProcesses[] = "WAITPROF::CONNECTED_PROCESSES";
inline constexpr char kUntracked[] = "WAITPROF::UNTRACKED_COMMUNICATION";
// "0,4..7": other ranks' computation was not sampled; absent: all ranks' was.
inline constexpr char kSamplingRanks[] = "WAITPROF::SAMPLING_RANKS";
inline constexpr char kDroppedEvents[] = "WAITPROF::DROPPED_EVENTS";  // decimal, all ranks together
// All calls of MPI_Test*, MPI_Iprobe and the like that found nothing: rows of them are one region each
// (kPollsAttribute), the others are in no event file. Absent: none. Of all ranks together, and as a property
// (UINT64) of the location group of each.
inline constexpr char kFailedPolls[] = "WAITPROF::FAILED_POLLS";
inline constexpr char kDroppedSamples[] = "WAITPROF::DROPPED_SAMPLES";
// Threads that never call MPI and were not sampled because there were too many: the largest number at one
// time on each rank, added up. Absent: none.
inline constexpr char kUnsampledThreads[] = "WAITPROF::UNSAMPLED_THREADS";
// Switches of threads for which the kernel's buffer had no room. Absent: none.
inline constexpr char kLostSwitches[] = "WAITPROF::LOST_SWITCHES";
// Reduction operators of the program whose time is that of the calls in which MPI runs them: too many. Absent: none.
inline constexpr char kUntimedOperators[] = "WAITPROF::UNTIMED_OPERATORS";
// System calls of the program that a sample has ended with EINTR; their threads are sampled no more. Absent: none.
inline constexpr char kCutShortCalls[] = "WAITPROF::CUT_SHORT_CALLS";
inline constexpr char kClampedTimes[] =
    "WAITPROF::CLAMPED_TIMES";  // events moved to keep a location's time order
// Decimal, ns: no rank's corrected time is further from rank 0's than this, when the clocks were compared.
inline constexpr char kClockError[] = "WAITPROF::CLOCK_ERROR";
// Decimal, ns: what a recorded call costs beyond MPI itself, as measured at the end of the run; mean of all
// ranks.
inline constexpr char kCallCost[] = "WAITPROF::CALL_COST";
// The same for a poll that finds nothing (kFailedPolls).
inline constexpr char kPollCost[] = "WAITPROF::POLL_COST";
// ns spent on walks up the stack for calls whose path was not recognised, in addition to kCallCost. A
// property (UINT64) of the location group of each rank. Absent: 0.
inline constexpr char kPathWalks[] = "WAITPROF::PATH_WALKS";
// The same for samples (of all its threads, by the clock), and for readings of the process's usage.
// Absent: 0.
inline constexpr char kUpkeep[] = "WAITPROF::UPKEEP";
// Decimal, ns of work, without waiting for other ranks: from the first MPI call to where the recorder was ready, but for
// MPI's own part of it, on the rank that had most; and from MPI_Finalize on to where this was written, on rank 0.
inline constexpr char kStartCost[] = "WAITPROF::START_COST";
inline constexpr char kEndCost[] = "WAITPROF::END_COST";
// The same on a processor: of the rank that had most of it, and of rank 0.
inline constexpr char kStartRan[] = "WAITPROF::START_PROCESSOR_TIME";
inline constexpr char kEndRan[] = "WAITPROF::END_PROCESSOR_TIME";
inline constexpr char kUnknownFrames[] = "WAITPROF::UNKNOWN_FRAMES";  // call path nodes in no loaded module
inline constexpr char kTruncatedCallPaths[] =
    "WAITPROF::TRUNCATED_CALL_PATHS";  // deeper than WAITPROF_CALLPATH_DEPTH
inline constexpr char kLostCallPaths[] =
    "WAITPROF::LOST_CALL_PATHS";  // calls and samples without one: there were too many different ones
// Times that a user region was entered or left without a record: there were too many different ones, it was
// nested too deeply, or it was left without having been entered.
inline constexpr char kLostRegions[] = "WAITPROF::LOST_REGIONS";
// User regions that ended before MPI_Init, or in a thread before its first MPI call: they are in no event
// file.
inline constexpr char kRegionsWithoutMpi[] = "WAITPROF::REGIONS_WITHOUT_MPI";
// How often a rank created a communicator, a window or a file for which it had no room. Absent: never.
inline constexpr char kLostHandles[] = "WAITPROF::LOST_HANDLES";
// The program did not reach MPI_Finalize: the archive was made of what was on disk. Every location ends in
// a ParameterUnsignedInt event of kLastSeenParameter, at the last time the thread is known to have run;
// regions that were open then are not left.
inline constexpr char kRecovered[] = "WAITPROF::RECOVERED";
inline constexpr char kLastSeenParameter[] = "waitprof last seen";
// + rank: how that rank ended, if it left a note: "abort <code>" or "exit".
inline constexpr char kEndingPrefix[] = "WAITPROF::ENDING::RANK_";
// + the communicator's id in the definitions, e.g. WAITPROF::TOPOLOGY::COMM_3: "cart dims=2x2 periods=1,0",
// "graph index=1,2 edges=1,0" (as given to MPI_Graph_create) or "distgraph 0:1,3>2 1:>0" (each member's
// sources and destinations).
inline constexpr char kTopologyPrefix[] = "WAITPROF::TOPOLOGY::COMM_";
// About the rank whose files were full first (WAITPROF_LIMIT_MIB), all decimal: its number, the limit, when
// it was reached (ns, as the archive's times), and how long the run continued, ns. After that time not all
// ranks have events.
inline constexpr char kLimitRank[] = "WAITPROF::LIMIT_RANK";
inline constexpr char kLimitMib[] = "WAITPROF::LIMIT_MIB";
inline constexpr char kLimitTime[] = "WAITPROF::LIMIT_TIME";
inline constexpr char kLimitLeftOut[] = "WAITPROF::LIMIT_LEFT_OUT";
inline constexpr char kCommunicationComplete[] = "OTF2::MPI_COMMUNICATION_COMPLETE";

}  // namespace waitprof::schema
