// The fields of a report (schema waitdiag.report/1), in the order of its JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "analyzer/results/fields.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/results/rank_groups.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

template <>
inline constexpr bool kIsRow<Report::Run::StepNumbers> = true;
void fields(auto& visit, Of<Report::Run::StepNumbers> auto& row) {
  visit("first", row.first);
  visit("last", row.last);
}

namespace words {
using Words = std::string_view[];
inline constexpr Words kProfiles = {"", "light"}, kSamplings = {"", "cpu", "wall", "off"},
                       kStepSources = {"", "marks", "communication"}, kRules = {"waitprof", "scalasca"},
                       kIntervals = {"causal", "pair"}, kModels = {"h-cwp-dm", "cwp-dm"},
                       kThresholdSources = {"given", "learnt", "assumed"},
                       kEndings = {"aborted", "exited", "killed"},
                       kCauses = {"computation", "communication", "blocked",
                                  "preempted",   "page_faults",   "perhaps_off_processor"},
                       kWaitedFor = {"",        "io",        "sleep", "threads",   "processes",
                                     "signals", "something", "pages", "processor", "unknown"},
                       kCertainties = {"sure", "probable", "open"}, kGains = {"retiming", "replay"},
                       kLateRanks = {"same", "moving", "take_turns", "no_pattern", "unknown"},
                       kReasons = {"uneven_executions", "slower_each", "more_often_and_slower",
                                   "slow_node",         "slow_rank",   "noise",
                                   "no_pattern",        "alike",       "unknown_executions",
                                   "off_processor"},
                       kClocks = {"messages", "collectives", "windows"},
                       kSeverities = {"info", "warning", "serious"};
}  // namespace words
inline constexpr char kWaitedForAbout[] =
    "a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other "
    "processes; "
    "signals; something that is not known; pages from a disk; a processor; absent: it ran";

void fields(auto& visit, Of<Report::Run> auto& run) {
  visit("ranks", run.ranks);
  visit("threads", run.threads, "of all ranks together");
  visit("nodes", run.nodes);
  visit("runtime_s", run.runtime_s);
  visit("clock_error_s", run.clock_error_s,
        "no rank's times are further from rank 0's; 0: one clock, or not known", kLater);
  visit("program", run.program);
  visit("mpi", run.mpi);
  visit("creator", run.creator);
  visit("events", run.events);
  visit("mpi_calls", run.mpi_calls);
  visit("messages", run.messages, "sent from point to point");
  visit("collectives", run.collectives, "operations other than Init and Finalize, one per communicator");
  visit("message_bytes", run.message_bytes, "sent in messages, over all ranks", kLater);
  visit("collective_bytes", run.collective_bytes,
        "given to the collective operations counted above, over all ranks: not to those of one process alone",
        kLater);
  visit("predicted_for", run.predicted_for, "the machine, if this run was predicted and not recorded",
        kLater);
  visit("profile", run.profile, "light: excerpts of the run, see whole_run; empty: everything was recorded",
        kLater | one_of(words::kProfiles));
  visit("sampling", run.sampling, "empty: the archive does not say", one_of(words::kSamplings));
  visit("steps", run.steps, "time steps of the program; 0: none found");
  visit("steps_source", run.steps_source,
        "how they were found: marks of the program, or repeated communication",
        kLater | one_of(words::kStepSources));
  visit("rules", run.rules, "", one_of(words::kRules));
  visit("interval", run.interval, "", kLater | one_of(words::kIntervals));
  visit("model", run.model, "", one_of(words::kModels));
  visit("hotspot_threshold", exact(run.hotspot_threshold), "", kShare);
  visit("paused_s", run.paused_s, "more time of the run, left out of all else: the recording was paused",
        only_if(run.paused_s > 0));
  visit("step_numbers", run.step_numbers,
        "the program's numbers of these steps, in rows: first and last; absent: from 0 on",
        only_if(!run.step_numbers.empty()));
  const FieldTraits limited = only_if(!run.eager_threshold_source.empty());
  visit("eager_threshold_bytes", run.eager_threshold_bytes,
        "standard sends up to here are taken to need no receiver; not with Scalasca's rules", limited);
  visit("eager_threshold_source", run.eager_threshold_source,
        "learnt: from sends that ended before their receives; assumed: no send above 1 KiB did",
        limited | one_of(words::kThresholdSources));
}

void fields(auto& visit, Of<Report::Ending::OpenCall> auto& call) {
  visit("rank", call.rank);
  visit("thread", call.thread);
  visit("call_path", call.call_path);
  visit("function", call.function);
  visit("file", call.file);
  visit("line", call.line);
  visit("entered_s", call.entered_s, "since the start of the run");
  visit("open_s", call.open_s, "until the last sign of life of any rank");
}

void fields(auto& visit, Of<Report::Ending::Outside> auto& outside) {
  visit("rank", outside.rank);
  visit("call_path", outside.call_path, "what it computed: sampled or marked last; empty: not known");
  visit("since_s", outside.since_s, "when it left MPI");
}

void fields(auto& visit, Of<Report::Ending> auto& ending) {
  visit("how", ending.how, "aborted: by MPI_Abort; exited: on a rank; killed: or crashed, it left no word",
        one_of(words::kEndings));
  visit("sentence", ending.sentence, "", kLater);
  visit("rank", null_for(ending.rank, -1),
        "who ended it: by its own word or, where killed, the only rank outside MPI; null: not known");
  visit("time_s", ending.time_s, "since the start of the run: when that was, or the last sign of life");
  visit("call_path", ending.call_path, "of that rank; empty: not known");
  visit("open_calls", ending.open_calls, "MPI calls that were never left, longest first");
  visit("outside_mpi", ending.outside_mpi, "ranks whose main thread was not in MPI");
  visit("code", ending.code, "given to MPI_Abort", only_if(ending.how == "aborted") | kSigned);
}

void fields(auto& visit, Of<Report::Time> auto& time) {
  visit("total_s", time.total_s);
  visit("computation_s", time.computation_s);
  visit("mpi_s", time.mpi_s);
  visit("waiting_s", time.waiting_s);
  visit("begin_and_end_s", time.begin_and_end_s,
        "of mpi_s, in MPI_Init and MPI_Finalize without waiting there; null: not known", kLater);
}

void fields(auto& visit, Of<Report::Efficiency> auto& tree) {
  visit("parallel", exact(tree.parallel), "load_balance * communication; null where undefined");
  visit("load_balance", exact(tree.load_balance));
  visit("communication", exact(tree.communication), "serialisation * transfer");
  visit("serialisation", exact(tree.serialisation));
  visit("transfer", exact(tree.transfer));
  visit("method", tree.method, "", kLater);
}

void fields(auto& visit, Of<Report::WholeRun::CallSite> auto& site) {
  visit("call_path", site.call_path);
  visit("calls", site.calls);
  visit("seconds", site.seconds);
  visit("shortest_s", site.shortest_s, "of one call");
  visit("longest_s", site.longest_s, "of one call");
  visit("messages", site.messages);
  visit("bytes", site.bytes, "sent, also in collective operations");
}

void fields(auto& visit, Of<Report::WholeRun> auto& whole) {
  visit("runtime_s", whole.runtime_s);
  visit("recorded_s", whole.recorded_s, "run time of the excerpts");
  visit("excerpts", whole.excerpts);
  visit("steps", whole.steps, "that the program marked; 0: none");
  visit("mpi_calls", whole.mpi_calls);
  visit("messages", whole.messages);
  visit("message_bytes", whole.message_bytes);
  visit("collective_bytes", whole.collective_bytes);
  visit("time", whole.time);
  visit("efficiency", whole.efficiency);
  visit("unseen_mpi_s", whole.unseen_mpi_s,
        "MPI time of call paths that no excerpt shows; taken to be without waiting");
  visit("call_sites", whole.call_sites, "longest first");
}

void fields(auto& visit, Of<Report::PartEfficiency> auto& row) {
  fields(visit, row.tree);
  visit("part", row.part, "run, before the steps, all steps, after the steps, step 3, steps 4-7, in setup");
  visit("time_s", row.time_s, "the longest of all ranks");
  visit("computation_s", row.computation_s, "of the main threads of all ranks, as mpi_s and waiting_s");
  visit("mpi_s", row.mpi_s);
  visit("waiting_s", row.waiting_s);
  visit("on_critical_path", row.on_path,
        "the tree with the time that the part takes on an ideal network if every process begins it when it "
        "did");
  visit("critical_path_s", row.path_s, "of the critical path of the run, in this part");
  visit("first_step", row.first_step, "of single steps or groups of them",
        only_if(row.first_step.has_value()));
  visit("last_step", row.last_step, "", only_if(row.last_step.has_value()));
  visit("region", row.region, "its name, where the part is an outermost region of the user's",
        only_if(!row.region.empty()));
}

// {"0": 1.5, "3": 0.2}; of many ranks also {"4-19": 0.1}
auto by_rank(auto& list) {
  return ranged(list, &Report::ByRank::rank, &Report::ByRank::last, &Report::ByRank::seconds);
}
inline constexpr char kByCallPathAbout[] =
    "largest first; of more than 1024, the last one, (further call paths), stands for the rest";
inline constexpr char kByRankAbout[] =
    "a rank without any is absent; of more than 1024 ranks, \"16-31\" are the ranks among these that have no "
    "entry of their own, together";

void fields(auto& visit, Of<Report::ByCallPath> auto& entry) {
  visit("call_path", entry.call_path, "outermost/.../innermost");
  visit("seconds", entry.seconds);
  visit("file", entry.file, "of the call: calls of one function are entries of their own", kLater);
  visit("line", entry.line, "of the call; 0: not known", kLater);
}

// In lists of culprits.
void fields(auto& visit, Of<Report::ByRank> auto& entry) {
  visit("rank", entry.rank);
  visit("waiting_s", entry.seconds);
  visit("last_rank", entry.last,
        "of more than 1024 ranks: together, the ranks up to this one that have no entry of their own",
        only_if(entry.last.has_value()));
  visit("in_time", entry.in_time, "a repair leaves it as it is: others come later", only_if(entry.in_time));
}

void fields(auto& visit, Of<Report::Candidate> auto& candidate) {
  visit("rank", candidate.rank, "that waited");
  visit("call_path", candidate.call_path);
  visit("late_rank", candidate.late_rank);
  visit("count", candidate.count);
  visit("seconds", candidate.seconds, "from the call's begin until it came");
  visit("charged_s", candidate.charged_s, "the part in total_s: where it was the latest");
}

void fields(auto& visit, Of<Report::OtherCandidates> auto& others) {
  visit("entries", others.entries, "that are not listed");
  visit("count", others.count, "their sum");
  visit("seconds", others.seconds, "their sum");
  visit("charged_s", others.charged_s, "their sum");
}

void fields(auto& visit, Of<Report::Wait> auto& wait) {
  visit("pattern", wait.pattern, "id as listed by `waitdiag patterns`", kIdentifier);
  visit("title", wait.title);
  visit("waiting", wait.waiting,
        "false: listed, but not part of time.waiting_s (completion, or part of another pattern)");
  visit("total_s", wait.total_s);
  visit("count", wait.count);
  visit("by_rank", by_rank(wait.by_rank), kByRankAbout, kLater);
  visit("by_call_path", wait.by_call_path, kByCallPathAbout, kLater);
  visit("part_of", wait.part_of, "id of the pattern it is a part of",
        only_if(!wait.part_of.empty()) | kIdentifier);
  visit(
      "candidates", wait.candidates,
      "of calls that complete many requests (MPI_Waitall): who was late, and by how much, also where another "
      "one was later",
      only_if(!wait.candidates.empty()));
  visit("other_candidates", wait.other_candidates,
        "of more than 4096 candidates of a pattern, all but those with most seconds, together",
        only_if(wait.other_candidates.has_value()));
  visit("nonblocking_s", wait.nonblocking_s, "of it, waits for nonblocking collectives",
        only_if(wait.nonblocking_s > 0));
  visit("uncertain_s", wait.uncertain_s,
        "total_s is wrong by so much at most, either way, because nodes have clocks of their own: twice "
        "run.clock_error_s for each wait between two nodes; absent: 0",
        only_if(wait.uncertain_s > 0));
  visit("median_s", wait.median_s, "of one wait; absent: they are not known one by one",
        only_if(wait.median_s.has_value()));
  visit("longest_s", wait.longest_s, "of one wait", only_if(wait.longest_s.has_value()));
  visit("outside_mpi", wait.outside_mpi, "in barriers of threads", only_if(wait.outside_mpi));
  visit("for_receiver", wait.for_receiver, "of sends, for receives that were posted late",
        only_if(wait.for_receiver));
  visit("summary", wait.summary, "what happened, in one sentence", only_if(!wait.summary.empty()));
}

void fields(auto& visit, Of<Report::Hotspot> auto& hotspot) {
  visit("call_path", hotspot.call_path);
  visit("function", hotspot.function);
  visit("file", hotspot.file);
  visit("line", hotspot.line, "0: not known");
  visit("share", hotspot.share, "", kShare);
  visit("seconds", hotspot.seconds);
  visit("visits", hotspot.visits, "0: not known (sampled code)");
  visit("waited_for", hotspot.waited_for, kWaitedForAbout,
        only_if(!hotspot.waited_for.empty()) | one_of(words::kWaitedFor));
  visit("by_rank", by_rank(hotspot.by_rank), kByRankAbout);
}

void fields(auto& visit, Of<Report::Cause::Why::StepRange> auto& range) {
  visit("first", range.first);
  visit("last", range.last);
}

void fields(auto& visit, Of<Report::Cause::Why::LateSteps> auto& late) {
  visit("first", late.first);
  visit("last", late.last);
  visit("every", late.every, "in one of every so many; 1: in all; 0: in those of ranges");
  visit("ranges", late.ranges, "steps in a row, only where every is 0", only_if(!late.ranges.empty()));
}

void fields(auto& visit, Of<Report::Cause::Why> auto& why) {
  visit("kind", why.kind, "", one_of(words::kReasons));
  visit("text", why.text);
  visit("late_ranks", why.late_ranks, "over the steps", one_of(words::kLateRanks));
  visit("correlation", why.correlation,
        "of time and visits over ranks and steps; null where undefined or unknown", kSigned);
  visit("growth", null_for(why.growth, std::numeric_limits<double>::infinity()),
        "excess in the last third of the steps : first third; null where there is none in the first",
        kSigned);
  visit("grows", why.grows);
  visit("late_steps", why.late_steps, "only where the late ranks are so in some steps",
        only_if(why.late_steps.has_value()));
}

void fields(auto& visit, Of<Report::Cause::Gain> auto& gain) {
  visit("runtime_s", gain.runtime_s, "of the run without this excess, and with that of all other causes",
        kSigned);
  visit("speedup", gain.speedup);
  visit("method", gain.method, "", one_of(words::kGains));
  visit("at_most", gain.at_most,
        "no repair gains more: all of it goes, as nobody else runs it; or threads took turns on processors",
        only_if(gain.at_most));
  visit("in_turn", gain.in_turn, "ranks take turns: as if they ran it at once", only_if(gain.in_turn));
  visit("error_s", gain.error_s, "three standard errors of what it saves (samples, tasks); 0: exact");
}

void fields(auto& visit, Of<Certainty> auto& certainty) {
  visit("level", certainty.level, "that it causes as much; open: another cause may as well have more",
        one_of(words::kCertainties));
  visit("text", certainty.text, "why");
  visit("samples", certainty.samples, "behind its excess; null: times are exact");
  visit("error", certainty.error, "standard error of the share of the waiting");
  visit("rival", certainty.rival, "the next cause that is another function; empty: there is none");
  visit("rival_share", certainty.rival_share, "of the waiting", kShare);
}

void fields(auto& visit, Of<Report::Cause::Execution> auto& execution) {
  visit("rank", execution.rank);
  visit("time_s", execution.seconds, "without waiting", kSigned);
  visit("visits", execution.visits, "null: not known, seen by samples only");
}

void fields(auto& visit, Of<Report::Cause::BySteps> auto& table) {
  visit("steps_per_column", table.steps_per_column);
  visit("time_s", table.time_s, "without waiting", kSigned);
  visit("visits", null_for(table.visits, {}), "null: not known");
  visit("ranks_per_row", table.ranks_per_row,
        "a row is of so many neighbouring ranks the one that runs it longest; absent: 1",
        only_if(table.ranks_per_row != 1));
}

void fields(auto& visit, Of<Report::Cause::Site> auto& site) {
  visit("function", site.function);
  visit("file", site.file);
  visit("line", site.line);
}

void fields(auto& visit, Of<WorkDifference> auto& work) {
  visit("instructions", work.instructions, "of a late rank, on average");
  visit("other_instructions", work.other_instructions, "of another rank; 0: no other one runs it");
  visit("ipc", work.ipc, "instructions per cycle on late ranks");
  visit("other_ipc", work.other_ipc);
  visit("hz", work.hz, "cycles per second on a processor");
  visit("other_hz", work.other_hz);
}

void fields(auto& visit, Of<Report::Cause> auto& cause) {
  visit("call_path", cause.call_path, "outermost/.../innermost");
  visit("function", cause.function);
  visit("file", cause.file);
  visit("line", cause.line, "0: not known");
  visit("kind", cause.kind,
        "the last four: a thread was not on a processor, because it waited for something, another thread "
        "ran, pages had to come from a disk, or nobody knows",
        one_of(words::kCauses));
  visit("waited_for", cause.waited_for, kWaitedForAbout,
        only_if(!cause.waited_for.empty()) | one_of(words::kWaitedFor));
  visit("waiting_s", cause.waiting_s);
  visit("direct_s", cause.direct_s);
  visit("indirect_s", cause.indirect_s);
  visit(
      "excess_s", cause.excess_s,
      "how much longer it ran than on the ranks that came first, on all late ranks together; once for waits "
      "that have it in common");
  visit("share_of_waiting", cause.share_of_waiting, "", kShare);
  visit("work", cause.work, "by hardware counters", only_if(cause.work.has_value()));
  visit("late_thread", cause.late_thread,
        "of the team of threads that it lies in, if it made up for most of it",
        only_if(cause.late_thread.has_value()));
  visit("called_at", cause.called_at,
        "the lines of its callers where only the calls in these are late, outermost first",
        only_if(!cause.called_at.empty()));
  visit("ranks", cause.ranks, "who caused it, largest first");
  const std::vector<std::int64_t> named = named_ranks(cause.ranks);
  visit("leading_ranks", Derived{named},
        "of those the ones to look at, as text and page name them, ascending: those that dominate, or else "
        "nine tenths of waiting_s and those much like them; absent where they are more than 1024",
        kLater | only_if(named.size() <= kMostListedRanks));
  visit("leading_rank_runs", Derived{runs_of(named)},
        "the same in rows: first and last of neighbouring ranks", only_if(named.size() > kMostListedRanks));
  visit("patterns", cause.patterns, "seconds by pattern of the wait");
  const FieldTraits leading = only_if(!cause.why.kind.empty());
  visit("why", cause.why, "of the leading causes: what visits and times over ranks and steps say", leading);
  visit("gain", cause.gain, "the run again without this excess",
        only_if(leading.present && cause.gain.has_value()));
  visit("everywhere", cause.everywhere, "its function is late wherever it is called",
        only_if(cause.everywhere.has_value()));
  visit("action", cause.action, "what to do about it", only_if(leading.present && cause.action.has_value()));
  visit("certainty", cause.certainty, "how sure the cause is", leading);
  visit("executions", cause.executions,
        "by rank; of more than 1024, of neighbouring ranks the one that runs it longest", leading);
  visit("by_step", cause.by_step, "rows are ranks, columns are time steps", leading);
}

}  // namespace waitdiag
