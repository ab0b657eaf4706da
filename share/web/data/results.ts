// The results that pages show, as they stand in their JSON: written by tools/dev/web-types from share/schema.
// SPDX-License-Identifier: BSD-3-Clause

/** The diagnosis of one recorded MPI run. Times are seconds, shares 0..1, ranks are world ranks. More keys may be added. */
export interface Report {
  schema: "waitdiag.report/1";
  run: {
    ranks: number;
    /** of all ranks together */
    threads: number;
    nodes: number;
    runtime_s: number;
    /** no rank's times are further from rank 0's; 0: one clock, or not known */
    clock_error_s: number;
    program: string;
    mpi: string;
    creator: string;
    events: number;
    mpi_calls: number;
    /** sent from point to point */
    messages: number;
    /** operations other than Init and Finalize, one per communicator */
    collectives: number;
    /** sent in messages, over all ranks */
    message_bytes: number;
    /** given to the collective operations counted above, over all ranks: not to those of one process alone */
    collective_bytes: number;
    /** the machine, if this run was predicted and not recorded */
    predicted_for: string;
    /** light: excerpts of the run, see whole_run; empty: everything was recorded */
    profile: "" | "light";
    /** empty: the archive does not say */
    sampling: "" | "cpu" | "wall" | "off";
    /** time steps of the program; 0: none found */
    steps: number;
    /** how they were found: marks of the program, or repeated communication */
    steps_source: "" | "marks" | "communication";
    rules: "waitprof" | "scalasca";
    interval: "causal" | "pair";
    model: "h-cwp-dm" | "cwp-dm";
    hotspot_threshold: number;
    /** more time of the run, left out of all else: the recording was paused */
    paused_s?: number;
    /** the program's numbers of these steps, in rows: first and last; absent: from 0 on */
    step_numbers?: [number, number][];
    /** standard sends up to here are taken to need no receiver; not with Scalasca's rules */
    eager_threshold_bytes?: number;
    /** learnt: from sends that ended before their receives; assumed: no send above 1 KiB did */
    eager_threshold_source?: "given" | "learnt" | "assumed";
  };
  /** core seconds over all locations */
  time: {
    total_s: number;
    computation_s: number;
    mpi_s: number;
    waiting_s: number;
    /** of mpi_s, in MPI_Init and MPI_Finalize without waiting there; null: not known */
    begin_and_end_s: number | null;
  };
  efficiency: {
    /** load_balance * communication; null where undefined */
    parallel: number | null;
    load_balance: number | null;
    /** serialisation * transfer */
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
    method: string;
  };
  /** serialisation by the run again on an ideal network */
  efficiency_on_critical_path: {
    /** load_balance * communication; null where undefined */
    parallel: number | null;
    load_balance: number | null;
    /** serialisation * transfer */
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
    method: string;
  };
  /** largest first */
  waits: {
    /** id as listed by `waitdiag patterns` */
    pattern: string;
    title: string;
    /** false: listed, but not part of time.waiting_s (completion, or part of another pattern) */
    waiting: boolean;
    total_s: number;
    count: number;
    /** a rank without any is absent; of more than 1024 ranks, "16-31" are the ranks among these that have no entry of their own, together */
    by_rank: Record<string, number>;
    /** largest first; of more than 1024, the last one, (further call paths), stands for the rest */
    by_call_path: {
      /** outermost/.../innermost */
      call_path: string;
      seconds: number;
      /** of the call: calls of one function are entries of their own */
      file: string;
      /** of the call; 0: not known */
      line: number;
    }[];
    /** id of the pattern it is a part of */
    part_of?: string;
    /** of calls that complete many requests (MPI_Waitall): who was late, and by how much, also where another one was later */
    candidates?: {
      /** that waited */
      rank: number;
      call_path: string;
      late_rank: number;
      count: number;
      /** from the call's begin until it came */
      seconds: number;
      /** the part in total_s: where it was the latest */
      charged_s: number;
    }[];
    /** of more than 4096 candidates of a pattern, all but those with most seconds, together */
    other_candidates?: {
      /** that are not listed */
      entries: number;
      /** their sum */
      count: number;
      /** their sum */
      seconds: number;
      /** their sum */
      charged_s: number;
    };
    /** of it, waits for nonblocking collectives */
    nonblocking_s?: number;
    /** total_s is wrong by so much at most, either way, because nodes have clocks of their own: twice run.clock_error_s for each wait between two nodes; absent: 0 */
    uncertain_s?: number;
    /** of one wait; absent: they are not known one by one */
    median_s?: number;
    /** of one wait */
    longest_s?: number;
    /** in barriers of threads */
    outside_mpi?: boolean;
    /** of sends, for receives that were posted late */
    for_receiver?: boolean;
    /** what happened, in one sentence */
    summary?: string;
  }[];
  /** largest first */
  hotspots: {
    call_path: string;
    function: string;
    file: string;
    /** 0: not known */
    line: number;
    share: number;
    seconds: number;
    /** 0: not known (sampled code) */
    visits: number;
    /** a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other processes; signals; something that is not known; pages from a disk; a processor; absent: it ran */
    waited_for?: "" | "io" | "sleep" | "threads" | "processes" | "signals" | "something" | "pages" | "processor" | "unknown";
    /** a rank without any is absent; of more than 1024 ranks, "16-31" are the ranks among these that have no entry of their own, together */
    by_rank: Record<string, number>;
  }[];
  /** by waiting_s, largest first */
  causes: {
    /** outermost/.../innermost */
    call_path: string;
    function: string;
    file: string;
    /** 0: not known */
    line: number;
    /** the last four: a thread was not on a processor, because it waited for something, another thread ran, pages had to come from a disk, or nobody knows */
    kind: "computation" | "communication" | "blocked" | "preempted" | "page_faults" | "perhaps_off_processor";
    /** a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other processes; signals; something that is not known; pages from a disk; a processor; absent: it ran */
    waited_for?: "" | "io" | "sleep" | "threads" | "processes" | "signals" | "something" | "pages" | "processor" | "unknown";
    waiting_s: number;
    direct_s: number;
    indirect_s: number;
    /** how much longer it ran than on the ranks that came first, on all late ranks together; once for waits that have it in common */
    excess_s: number;
    share_of_waiting: number;
    /** by hardware counters */
    work?: {
      /** of a late rank, on average */
      instructions: number;
      /** of another rank; 0: no other one runs it */
      other_instructions: number;
      /** instructions per cycle on late ranks */
      ipc: number;
      other_ipc: number;
      /** cycles per second on a processor */
      hz: number;
      other_hz: number;
    };
    /** of the team of threads that it lies in, if it made up for most of it */
    late_thread?: {
      rank: number;
      /** its number in the team; null: not the same one each time */
      thread: number | null;
      /** of the team */
      threads: number;
      /** call path that opens the team */
      team: string;
      /** function that opens the team */
      opened_by: string;
      /** with which the thread took longer than the others; where it is not the same one, the team than other ranks */
      function: string;
      /** by which the rank would be faster with even threads */
      gain_s: number;
    };
    /** the lines of its callers where only the calls in these are late, outermost first */
    called_at?: {
      function: string;
      file: string;
      line: number;
    }[];
    /** who caused it, largest first */
    ranks: {
      rank: number;
      waiting_s: number;
      /** of more than 1024 ranks: together, the ranks up to this one that have no entry of their own */
      last_rank?: number;
      /** a repair leaves it as it is: others come later */
      in_time?: boolean;
    }[];
    /** of those the ones to look at, as text and page name them, ascending: those that dominate, or else nine tenths of waiting_s and those much like them; absent where they are more than 1024 */
    leading_ranks?: number[];
    /** the same in rows: first and last of neighbouring ranks */
    leading_rank_runs?: [number, number][];
    /** seconds by pattern of the wait */
    patterns: Record<string, number>;
    /** of the leading causes: what visits and times over ranks and steps say */
    why?: {
      kind: "uneven_executions" | "slower_each" | "more_often_and_slower" | "slow_node" | "slow_rank" | "noise" | "no_pattern" | "alike" | "unknown_executions" | "off_processor";
      text: string;
      /** over the steps */
      late_ranks: "same" | "moving" | "take_turns" | "no_pattern" | "unknown";
      /** of time and visits over ranks and steps; null where undefined or unknown */
      correlation: number | null;
      /** excess in the last third of the steps : first third; null where there is none in the first */
      growth: number | null;
      grows: boolean;
      /** only where the late ranks are so in some steps */
      late_steps?: {
        first: number;
        last: number;
        /** in one of every so many; 1: in all; 0: in those of ranges */
        every: number;
        /** steps in a row, only where every is 0 */
        ranges?: {
          first: number;
          last: number;
        }[];
      };
    };
    /** the run again without this excess */
    gain?: {
      /** of the run without this excess, and with that of all other causes */
      runtime_s: number;
      speedup: number;
      method: "retiming" | "replay";
      /** no repair gains more: all of it goes, as nobody else runs it; or threads took turns on processors */
      at_most?: boolean;
      /** ranks take turns: as if they ran it at once */
      in_turn?: boolean;
      /** three standard errors of what it saves (samples, tasks); 0: exact */
      error_s: number;
    };
    /** its function is late wherever it is called */
    everywhere?: {
      /** as it is to be repaired */
      function: string;
      /** of the causes in it */
      call_paths: string[];
      /** functions that tell these apart */
      callers: string[];
      share_of_waiting: number;
      /** of the run without all of them */
      runtime_s: number;
    };
    /** what to do about it */
    action?: {
      kind: "balance" | "deal_out" | "off_critical_path" | "post_earlier" | "own_processor" | "do_not_block" | "record_by_clock" | "check_place" | "quiet_system" | "same_time" | "shorten_calls";
      /** one sentence */
      text: string;
      /** of the run time, by this alone; null: not known */
      saves_s: number | null;
      /** how far saves_s is known; empty: it is not */
      sure: string;
      /** that shows it before anything is repaired; with DIR for the archive */
      command: string;
    };
    /** how sure the cause is */
    certainty?: {
      /** that it causes as much; open: another cause may as well have more */
      level: "sure" | "probable" | "open";
      /** why */
      text: string;
      /** behind its excess; null: times are exact */
      samples: number | null;
      /** standard error of the share of the waiting */
      error: number;
      /** the next cause that is another function; empty: there is none */
      rival: string;
      /** of the waiting */
      rival_share: number;
    };
    /** by rank; of more than 1024, of neighbouring ranks the one that runs it longest */
    executions?: {
      rank: number;
      /** without waiting */
      time_s: number;
      /** null: not known, seen by samples only */
      visits: number | null;
    }[];
    /** rows are ranks, columns are time steps */
    by_step?: {
      steps_per_column: number;
      /** without waiting */
      time_s: number[][];
      /** null: not known */
      visits: number[][] | null;
      /** a row is of so many neighbouring ranks the one that runs it longest; absent: 1 */
      ranks_per_row?: number;
    };
  }[];
  /** only of recordings with WAITPROF_PROFILE=light: the run that the rest of the report shows excerpts of. Counts and times are exact; waiting, serialisation and transfer are estimated from the excerpts */
  whole_run?: {
    runtime_s: number;
    /** run time of the excerpts */
    recorded_s: number;
    excerpts: number;
    /** that the program marked; 0: none */
    steps: number;
    mpi_calls: number;
    messages: number;
    message_bytes: number;
    collective_bytes: number;
    time: {
      total_s: number;
      computation_s: number;
      mpi_s: number;
      waiting_s: number;
      /** of mpi_s, in MPI_Init and MPI_Finalize without waiting there; null: not known */
      begin_and_end_s: number | null;
    };
    efficiency: {
      /** load_balance * communication; null where undefined */
      parallel: number | null;
      load_balance: number | null;
      /** serialisation * transfer */
      communication: number | null;
      serialisation: number | null;
      transfer: number | null;
      method: string;
    };
    /** MPI time of call paths that no excerpt shows; taken to be without waiting */
    unseen_mpi_s: number;
    /** longest first */
    call_sites: {
      call_path: string;
      calls: number;
      seconds: number;
      /** of one call */
      shortest_s: number;
      /** of one call */
      longest_s: number;
      messages: number;
      /** sent, also in collective operations */
      bytes: number;
    }[];
  };
  /** all messages and collective operations replayed on an ideal network */
  efficiency_by_replay?: {
    /** load_balance * communication; null where undefined */
    parallel: number | null;
    load_balance: number | null;
    /** serialisation * transfer */
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
    method: string;
  };
  /** instead, where the replay on an ideal network takes longer than the run did */
  no_efficiency_by_replay?: string;
  /** how gains by replay came about; not there where the run was not replayed (--replay) */
  replayed_gains?: {
    /** causes */
    replayed: number;
    /** causes that lie inside of MPI calls, whose time a replay finds out by itself */
    retimed: number;
    /** run time of the unchanged replay / recorded run time - 1 */
    error: number;
    /** why no cause was replayed; or empty */
    refused: string;
  };
  /** the POP tree of each part of the run, where it has time steps or outermost regions of the user's that all ranks were in; times and critical_path_s of the parts of steps add up */
  efficiency_by_part?: {
    /** load_balance * communication; null where undefined */
    parallel: number | null;
    load_balance: number | null;
    /** serialisation * transfer */
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
    method: string;
    /** run, before the steps, all steps, after the steps, step 3, steps 4-7, in setup */
    part: string;
    /** the longest of all ranks */
    time_s: number;
    /** of the main threads of all ranks, as mpi_s and waiting_s */
    computation_s: number;
    mpi_s: number;
    waiting_s: number;
    /** the tree with the time that the part takes on an ideal network if every process begins it when it did */
    on_critical_path: {
      /** load_balance * communication; null where undefined */
      parallel: number | null;
      load_balance: number | null;
      /** serialisation * transfer */
      communication: number | null;
      serialisation: number | null;
      transfer: number | null;
      method: string;
    };
    /** of the critical path of the run, in this part */
    critical_path_s: number;
    /** of single steps or groups of them */
    first_step?: number;
    last_step?: number;
    /** its name, where the part is an outermost region of the user's */
    region?: string;
  }[];
  /** only if the run did not come to MPI_Finalize: how it ended, and where everybody was */
  ending?: {
    /** aborted: by MPI_Abort; exited: on a rank; killed: or crashed, it left no word */
    how: "aborted" | "exited" | "killed";
    sentence: string;
    /** who ended it: by its own word or, where killed, the only rank outside MPI; null: not known */
    rank: number | null;
    /** since the start of the run: when that was, or the last sign of life */
    time_s: number;
    /** of that rank; empty: not known */
    call_path: string;
    /** MPI calls that were never left, longest first */
    open_calls: {
      rank: number;
      thread: number;
      call_path: string;
      function: string;
      file: string;
      line: number;
      /** since the start of the run */
      entered_s: number;
      /** until the last sign of life of any rank */
      open_s: number;
    }[];
    /** ranks whose main thread was not in MPI */
    outside_mpi: {
      rank: number;
      /** what it computed: sampled or marked last; empty: not known */
      call_path: string;
      /** when it left MPI */
      since_s: number;
    }[];
    /** given to MPI_Abort */
    code?: number;
  };
  /** full model only */
  delay_costs?: {
    pattern: string;
    /** caused at the last synchronisation */
    short_s: number;
    /** passed on before it */
    long_s: number;
    /** caused where the waits were */
    direct_s: number;
    /** by earlier waits of the causing rank */
    indirect_s: number;
    /** the part that made the waiting rank late for others */
    propagating_s: number;
    /** the part that did not */
    terminal_s: number;
  }[];
  /** MPI calls by call path, over all ranks */
  call_sites?: Record<string, number>;
  /** the rank that came to MPI_Init last, where the others spent a hundredth of all time and more there until it came; that is no waiting time */
  late_start?: {
    rank: number;
    /** after the first rank */
    late_s: number;
    /** of all others, in MPI_Init */
    stayed_s: number;
  };
  /** the chain of computation and transfer that the run time consists of, from the start of the rank it begins on */
  critical_path: {
    /** with late_start_s the run time */
    total_s: number;
    /** from the run's first event to the first one of the rank on which the path begins */
    late_start_s: number;
    /** largest first; of more than 1024, the last one, (further call paths), stands for the rest */
    by_call_path: {
      call_path: string;
      /** on the path */
      seconds: number;
      /** more than an average rank spends in it, waiting taken out */
      imbalance_s: number;
      function: string;
    }[];
    /** seconds the path stays on a rank; those it never visits are absent */
    by_rank: Record<string, number>;
    /** equal parts of the run, and the rank with most of the path in each */
    over_time: {
      from_s: number;
      to_s: number;
      /** with most of the path in it */
      rank: number;
      share: number;
    }[];
    /** times it goes from one rank to another */
    changes: number;
  };
  /** on request */
  messages?: {
    by_size: {
      above_bytes: number;
      /** null: no end */
      up_to_bytes: number | null;
      same_chip: {
        messages: number;
        bytes: number;
      };
      /** to another chip of the node, or of ranks that are not bound to one */
      same_node: {
        messages: number;
        bytes: number;
      };
      other_node: {
        messages: number;
        bytes: number;
      };
      unknown_layer: {
        messages: number;
        bytes: number;
      };
    }[];
    /** pairs that exchanged anything */
    by_pair: {
      from: number;
      to: number;
      messages: number;
      bytes: number;
    }[];
    by_communicator: {
      name: string;
      size: number;
      messages: number;
      bytes: number;
      collectives: number;
      collective_bytes: number;
      /** core time in its collectives */
      collective_s: number;
      /** in them */
      waiting_s: number;
    }[];
  };
  /** on request: where the processor time of each part of the run went; parts and regions as in efficiency_by_part, steps in at most ten groups */
  characteristics?: {
    part: string;
    time_s: number;
    efficiency: number | null;
    processor_time_s: number;
    productive_s: number;
    lost_s: number;
    communication_s: number;
    insufficient_parallelism_s: number;
    idle_s: number;
    desynchronised_before_s: number;
    desynchronised_after_s: number;
    overlap_s: number;
    /** as in efficiency_by_part */
    region?: string;
  }[];
  /** on request: what each class of operation cost */
  operation_classes?: {
    class: string;
    count: number;
    time_s: number;
    waiting_s: number;
    desynchronised_before_s: number;
    desynchronised_after_s: number;
    overlap_s: number;
  }[];
  /** what ranks used of their nodes; absent: was not recorded */
  resources?: {
    /** length of the equal parts of the run in *_over_time */
    column_s: number;
    ranks: {
      rank: number;
      /** processor time per time */
      processors: number;
      most_resident_bytes: number;
      processors_over_time: (number | null)[];
      resident_bytes_over_time: (number | null)[];
      faults?: {
        /** pages that it touched first */
        minor: number;
        /** pages that it had to wait for, from a disk */
        major: number;
        /** of threads that call MPI, to another processor; 0 also where nobody tells */
        migrations: number;
      };
    }[];
    nodes: {
      node: string;
      /** null: not known */
      processors: number | null;
      /** threads that ran or wanted to, on average */
      runnable: number;
      most_runnable: number;
      /** taken from all its processors together by the host of a virtual machine */
      stolen_s?: number;
      /** of the time for which threads wanted to run on them */
      stolen_share?: number;
      /** processors, by processes that are no ranks here */
      busy_with_others?: number;
    }[];
  };
  /** MPI I/O of all threads together; of nonblocking calls the bytes that were asked for; absent: none */
  files?: {
    calls: number;
    seconds: number;
    read_bytes: number;
    written_bytes: number;
    /** absent: of all */
    call_path?: string;
    /** longest first */
    by_call_path: {
      calls: number;
      seconds: number;
      read_bytes: number;
      written_bytes: number;
      /** absent: of all */
      call_path?: string;
    }[];
  };
  /** ranks whose threads were not on a processor: blocked or preempted, for so long and so often; outside of MPI, if not said otherwise */
  off_processor?: {
    rank: number;
    /** waiting for something */
    blocked_s: number;
    /** times */
    blocked: number;
    /** while other threads ran */
    preempted_s: number;
    /** times */
    preempted: number;
    /** while other threads ran, in MPI calls and behind what these waited for; absent: none */
    preempted_in_mpi_s?: number;
    /** such calls */
    preempted_in_mpi?: number;
    /** nobody knows why, or whether */
    perhaps_s: number;
    /** waiting for pages from a disk (major page faults) */
    page_faults_s: number;
    /** times */
    page_faults: number;
    /** of blocked_s: in calls that read, write or wait for files, pipes and sockets */
    io_s: number;
    /** of blocked_s: asleep */
    sleep_s: number;
    /** of blocked_s: waiting for other threads, their locks included */
    threads_s: number;
    /** of blocked_s: waiting for other processes */
    processes_s: number;
    /** of blocked_s: waiting for signals */
    signals_s: number;
  }[];
  /** the preempted part of that by node, most first, and who had the processors meanwhile */
  taken_processors?: {
    node: string;
    /** that lost their processors */
    ranks: number[];
    /** while other threads ran */
    taken_s: number;
    /** times */
    taken: number;
    /** by other processes, estimated; absent: not known */
    by_others_s?: number;
    /** ranks that may have had the rest; a rank itself: its other threads */
    by_ranks: number[];
    text: string;
  }[];
  /** hardware counters: instructions,cycles; or none, and why; absent: the archive does not say */
  counters?: string;
  /** what these counted outside of MPI */
  counted?: {
    rank: number;
    instructions: number;
    cycles: number;
    /** on a processor */
    seconds: number;
  }[];
  /** teams of threads that ranks opened (OpenMP), as far as they were recorded; absent: none */
  teams?: {
    /** of a rank, at most */
    threads: number;
    /** computation of all threads by run time of all; mpi * openmp */
    parallel: number;
    /** time outside of MPI by run time */
    mpi: number;
    /** computation by time outside of MPI; serial * balance * contention * tasks * barriers * overhead */
    openmp: number;
    /** what is left where only one thread computes */
    serial: number;
    /** what is left where threads wait for the slowest one */
    balance: number;
    /** what is left where critical and ordered sections and locks make threads wait for their turn */
    contention: number;
    /** what is left where threads wait for tasks that others execute or make */
    tasks: number;
    /** what is left where barriers end later than their last thread comes */
    barriers: number;
    /** what is left where teams begin and end */
    overhead: number;
    /** of MPI calls that must have been inside of teams, which is in none of these */
    mpi_inside_s: number;
    /** most waiting first */
    by_call_path: {
      rank: number;
      /** of who opened the regions */
      call_path: string;
      function: string;
      threads: number;
      regions: number;
      /** further regions, of whose threads not all is known */
      left_out: number;
      /** of the thread that opened them, until their teams had ended */
      time_s: number;
      /** computed by a thread */
      mean_s: number;
      /** computed by the slowest thread of each region */
      slowest_s: number;
      /** of all threads for the slowest one */
      waiting_s: number;
      /** of all threads: what teams took longer as threads waited for their turn in critical and ordered sections and for locks */
      contention_s: number;
      /** how long threads waited for their turn, added up */
      turns_s: number;
      /** of all threads: what teams took longer as threads waited for tasks */
      tasks_s: number;
      /** how long threads waited for tasks, added up */
      task_waits_s: number;
      /** of all threads, for barriers to end after the last thread has come */
      barriers_s: number;
      /** of all threads, for teams to begin and end */
      overhead_s: number;
      /** its number in the team, from 0 */
      busiest_thread: number;
      /** computed by that one */
      busiest_s: number;
    }[];
  };
  /** what threads computed that never called MPI, by rank; absent: there were none, or they were not sampled. They are in no other figure: ranks count by the threads that call MPI */
  worker_threads?: {
    rank: number;
    /** at the same time, at most */
    threads: number;
    /** sampling periods of processor time */
    samples: number;
    /** processor time by these samples; absent: it is not known how long a period is */
    cpu_s?: number;
    /** largest first */
    functions: {
      function: string;
      /** of the samples */
      share: number;
      file?: string;
      line?: number;
    }[];
  }[];
  /** what the recording itself cost; absent: the archive does not say */
  recording?: {
    /** of one recorded MPI call, as measured in the run */
    call_s: number;
    /** of one poll that found nothing; that of a call in archives that do not say */
    poll_s: number;
    /** by the clock, until the recorder was ready, in MPI_Init; 0: not known */
    start_s: number;
    /** by the clock, to write the archive, in MPI_Finalize; 0: not known */
    end_s: number;
    /** processor time of start and end; in archives that do not say it, the time by the clock */
    ends_ran_s: number;
    ranks: {
      rank: number;
      calls: number;
      /** MPI_Test, MPI_Iprobe and the like that found nothing: not among the calls */
      failed_polls: number;
      /** for call paths that the recorder did not recognise, and so had to walk */
      path_s: number;
      /** by the clock */
      flush_s: number;
      /** for samples, flushes, and for reading what the process uses */
      upkeep_s: number;
      /** processor time: path_s, upkeep_s, the calls, the failed polls, and start and end; in archives that do not say that of start and end, these by the clock, and flush_s */
      total_s: number;
    }[];
  };
  explained_s: number;
  unexplained_s: number;
  /** waiting less explained and unexplained: rounding */
  conservation_residual_s: number;
  /** where the unexplained part went */
  remainders: {
    id: string;
    seconds: number;
    text: string;
  }[];
  /** pairs of ranks whose clocks contradict each other: on `to` something ended before what it needs began on `from` */
  clock_violations?: {
    from: number;
    to: number;
    in: "messages" | "collectives" | "windows";
    count: number;
    largest_s: number;
  }[];
  data_quality: {
    id: string;
    count: number;
    severity: "info" | "warning" | "serious";
    text: string;
  }[];
}

/** What `waitdiag predict --json` writes. Times are seconds; those of the run are means over its ranks unless they say otherwise. */
export interface Prediction {
  schema: "waitdiag.prediction/1";
  /** one sentence */
  verdict: string;
  /** the recorded runs it was made of; computation and communication of an average rank of the last one */
  from: {
    program: string;
    ranks: number[];
    runtime_s: number[];
    computation_s: number;
    communication_s: number;
  };
  scenario: {
    ranks: number;
    machine: string;
    mapping: string;
    compute_scale: number;
    /** what-ifs, as the user gave them */
    edits: string[];
    machine_description?: string;
  };
  runtime_s: number;
  /** of an average rank, as the following ones */
  computation_s: number;
  /** all time in MPI calls */
  communication_s: number;
  /** the part of it until the other side had come */
  waiting_s: number;
  /** computation / run time */
  efficiency: number;
  /** calls and stretches of computation that were replayed */
  operations: number;
  /** those of collective operations included */
  messages: number;
  /** what the predicted run time consists of, longest first */
  critical_path: {
    call_path: string;
    seconds: number;
  }[];
  by_rank: {
    rank: number;
    /** since the run began */
    finish_s: number;
    computation_s: number;
    communication_s: number;
    waiting_s: number;
  }[];
  /** what could not be replayed as it was */
  approximations: {
    id: string;
    text: string;
    count: number;
    /** recorded time it touches, all ranks together */
    time_s: number;
    /** of all recorded time */
    share: number;
  }[];
  /** iterations of the longest loop */
  steady: {
    iterations: number;
    /** where these are fewer, the rest is multiplied out */
    replayed: number;
    /** iterations between two looks at the end of every rank */
    period: number;
    /** of the run time, for each further iteration */
    increment_s: number;
    /** largest relative difference of the last three periods in any rank */
    spread: number;
    /** of the computation recorded in the iterations that were not replayed, relative; an upper bound */
    difference: number;
    outcome: "not_tried" | "multiplied_out" | "differing" | "unsteady";
  };
  sweep?: {
    parameter: string;
    /** in the prediction itself, of the shortest messages; null: no limit */
    current: number | null;
    points: {
      /** times: ns; sizes: bytes; bandwidths: bytes per second; others as they are */
      value: number;
      label: string;
      runtime_s: number;
      /** of an average rank, as the following ones */
      computation_s: number;
      /** all time in MPI calls */
      communication_s: number;
      /** the part of it until the other side had come */
      waiting_s: number;
      /** computation / run time */
      efficiency: number;
    }[];
  };
  /** with --html: what was predicted, its what-ifs one by one, and others that could be tried */
  what_ifs?: {
    options: string;
    runtime_s: number;
    /** of an average rank, as the following ones */
    computation_s: number;
    /** all time in MPI calls */
    communication_s: number;
    /** the part of it until the other side had come */
    waiting_s: number;
    /** computation / run time */
    efficiency: number;
  }[];
  /** with --repair */
  repairs?: {
    causes: {
      call_path: string;
      /** by this repair alone, timing the recorded run again */
      saves_s: number;
    }[];
    /** predicted without the repairs */
    unchanged_runtime_s: number;
  };
  /** with --unit-times: what another machine takes for one visit of each call path, by which computation was scaled */
  unit_times?: {
    file: string;
    /** of the run there */
    program: string;
    /** its nodes */
    machine: string;
    ranks: number;
    /** of the common call paths, weighted with their time */
    mean_factor: number;
    /** of computation that was scaled by the mean factor */
    unmatched_share: number;
    /** of the recorded run, most time first */
    call_paths: {
      call_path: string;
      /** visits (of sampled code: stretches between MPI calls), all ranks */
      count: number;
      /** of one, in the recorded run */
      seconds: number;
      /** of one, there; null: missing */
      other_seconds: number | null;
      /** by which its computation was scaled */
      factor: number;
      /** of all computation */
      share: number;
      match: "common" | "missing" | "uncertain";
    }[];
  };
  /** the machine, if it was found in the recorded runs */
  recorded_machine?: {
    /** the table of algorithms */
    collectives: string;
    /** outermost first */
    levels: {
      name: string;
      latency_s: number;
      /** standard error of its natural logarithm; null: not known from these runs, assumed */
      latency_error: number | null;
      bytes_per_s: number;
      bandwidth_error: number | null;
      /** from point to point, in all runs */
      messages: number;
      least_bytes: number;
      most_bytes: number;
    }[];
    /** the recorded runs, replayed on it, without MPI_Init */
    checks: {
      run: string;
      ranks: number;
      recorded_s: number;
      replayed_s: number;
    }[];
    notes: string[];
    /** whose times were compared with those of a replay */
    fitted_calls: number;
  };
  /** of a run with other ranks or another problem: what it rests on and how sure it is */
  rescaling?: {
    /** by size */
    sources: {
      name: string;
      ranks: number;
      /** n=256, or empty */
      problem: string;
      runtime_s: number;
      /** more than 1: ranks took turns on processors, and times are not those of one rank per processor; the range is that much wider */
      ranks_per_processor?: number;
    }[];
    /** runs left out, because one of the same size was faster after MPI_Init */
    repeats: {
      left_out: number;
      /** what the slowest took more, relative */
      longer: number;
    };
    problem: string;
    /** of the ranks */
    grids: string[];
    /** that no run tells from the one in use; the range holds what is predicted with them */
    other_grids?: {
      used: string;
      /** of as many dimensions */
      grid: string;
      runtime_s: number;
      /** a run with so many has either the one or the other grid */
      ranks_to_record: number;
    }[];
    /** messages and collective operations of a rank whose bytes follow no exact rule */
    inexact_sizes: number;
    /** the largest run, predicted from the others */
    held_out?: {
      run: {
        name: string;
        ranks: number;
        /** n=256, or empty */
        problem: string;
        runtime_s: number;
        /** more than 1: ranks took turns on processors, and times are not those of one rank per processor; the range is that much wider */
        ranks_per_processor?: number;
      };
      /** all without MPI_Init */
      predicted_s: number;
      recorded_s: number;
      /** the recorded run on the same machine */
      replayed_s: number;
      /** nothing but the size was to change */
      where_recorded: boolean;
      /** predicted / recorded - 1 where_recorded, else predicted / replayed - 1 */
      error: number;
      /** predicted from so many: of two, any law is right */
      from_runs: number;
      /** false: ranks differ along a dimension of their grid along which the prediction has more of them than any run, and this run has not */
      grows_likewise: boolean;
    };
    /** the largest run replayed / recorded - 1; 0 for another machine or computation */
    replay_error?: number;
    /** the recorded runs replayed on the machine, where it may be that of the recordings: these errors are in the range; by size */
    replays?: {
      run: {
        name: string;
        ranks: number;
        /** n=256, or empty */
        problem: string;
        runtime_s: number;
        /** more than 1: ranks took turns on processors, and times are not those of one rank per processor; the range is that much wider */
        ranks_per_processor?: number;
      };
      /** replayed / recorded - 1, without MPI_Init */
      error: number;
      /** share of the recorded run that an average rank spends in MPI calls */
      in_calls: number;
    }[];
    /** messages and parts of collective operations with sizes that no recorded run has: what they cost is assumed */
    outside_recorded_sizes?: {
      recorded_bytes: [number, number];
      target_bytes: [number, number];
      /** of the target's messages */
      share: number;
    };
    /** standard deviation of the run time's logarithm, by what the runs leave open about the machine: how much longer it may be */
    machine_deviation?: number;
    /** the same: how much shorter */
    machine_deviation_shorter?: number;
    /** how much longer, as a logarithm, the run may be because computation hides what messages cost in all recorded runs */
    hidden_longer?: number;
    /** the same, because nodes may share a port that no recorded run fills */
    unseen_port_longer?: number;
    /** smaller runs, each predicted from those that are smaller still; by size */
    held_out_before?: {
      run: {
        name: string;
        ranks: number;
        /** n=256, or empty */
        problem: string;
        runtime_s: number;
        /** more than 1: ranks took turns on processors, and times are not those of one rank per processor; the range is that much wider */
        ranks_per_processor?: number;
      };
      /** all without MPI_Init */
      predicted_s: number;
      recorded_s: number;
      /** the recorded run on the same machine */
      replayed_s: number;
      /** nothing but the size was to change */
      where_recorded: boolean;
      /** predicted / recorded - 1 where_recorded, else predicted / replayed - 1 */
      error: number;
      /** predicted from so many: of two, any law is right */
      from_runs: number;
      /** false: ranks differ along a dimension of their grid along which the prediction has more of them than any run, and this run has not */
      grows_likewise: boolean;
    }[];
    /** runs between others, each predicted from all of these: whether the laws are known once the largest run is; by size */
    held_out_between?: {
      run: {
        name: string;
        ranks: number;
        /** n=256, or empty */
        problem: string;
        runtime_s: number;
        /** more than 1: ranks took turns on processors, and times are not those of one rank per processor; the range is that much wider */
        ranks_per_processor?: number;
      };
      /** all without MPI_Init */
      predicted_s: number;
      recorded_s: number;
      /** the recorded run on the same machine */
      replayed_s: number;
      /** nothing but the size was to change */
      where_recorded: boolean;
      /** predicted / recorded - 1 where_recorded, else predicted / replayed - 1 */
      error: number;
      /** predicted from so many: of two, any law is right */
      from_runs: number;
      /** false: ranks differ along a dimension of their grid along which the prediction has more of them than any run, and this run has not */
      grows_likewise: boolean;
    }[];
    range_s?: [number, number];
    /** the range is wider than from half to double: the recorded runs do not tell */
    carries_too_far?: boolean;
    /** why nothing was held out */
    no_range?: string;
    /** most time first */
    models: {
      call_path: string;
      text: string;
      /** of all computation of the largest run */
      share: number;
      /** symmetric mean error of each run predicted by the others */
      left_out: number;
    }[];
    /** in the replayed iterations, all ranks together */
    waits: {
      pattern: string;
      title: string;
      total_s: number;
    }[];
    causes: {
      call_path: string;
      kind: string;
      waiting_s: number;
      /** of all waiting */
      share: number;
      ranks: number[];
    }[];
    /** of the predicted run */
    ranks: number;
    /** its file was given */
    machine_named: boolean;
    /** what messages cost by size, relative to each other, is what the recorded MPI library is known for */
    sizes_known: boolean;
  };
}

/** What `waitdiag compare --json` writes. Times are seconds, summed over all ranks but for the run time; shares 0..1. */
export interface Comparison {
  schema: "waitdiag.comparison/1";
  outcome: "same" | "faster" | "slower" | "unsure";
  /** the verdict */
  sentence: string;
  /** a smaller part of the run time is no difference */
  threshold: number;
  before: {
    /** as the user named them, one per run */
    sources: string[];
    program: string;
    mpi: string;
    ranks: number;
    threads: number;
    nodes: number;
    /** outside of MPI, by hardware counters; mean over the runs; 0: not counted */
    instructions: number;
    cycles: number;
    /** of all ranks on a processor, in which they were counted */
    counted_s: number;
  };
  after: {
    /** as the user named them, one per run */
    sources: string[];
    program: string;
    mpi: string;
    ranks: number;
    threads: number;
    nodes: number;
    /** outside of MPI, by hardware counters; mean over the runs; 0: not counted */
    instructions: number;
    cycles: number;
    /** of all ranks on a processor, in which they were counted */
    counted_s: number;
  };
  figures: {
    id: string;
    title: string;
    unit: "s" | "1" | "count" | "B";
    /** median over the runs; null where undefined */
    before: number | null;
    after: number | null;
    /** with several runs on both sides */
    spread?: {
      /** by Hodges and Lehmann */
      shift: number;
      /** of its 95 % interval */
      low: number;
      high: number;
      /** two-sided, by Mann and Whitney */
      p: number;
    };
  }[];
  /** largest change first; what did not change is left out */
  waits: {
    /** pattern, or call path */
    id: string;
    /** pattern or function, for people */
    title: string;
    file: string;
    /** a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other processes; signals; something that is not known; pages from a disk; a processor; absent: it ran */
    waited_for?: "" | "io" | "sleep" | "threads" | "processes" | "signals" | "something" | "pages" | "processor" | "unknown";
    /** in the later run if it is there, else in the earlier */
    line: number;
    /** mean over the runs; 0: not there */
    before_s: number;
    after_s: number;
    /** visits or waits; 0: not known */
    before_count: number;
    after_count: number;
    /** of causes, in the side with more; "16-31" as in reports */
    by_rank: Record<string, number>;
    /** of a function that is not there: it may take up to so many seconds */
    before_below?: number;
    after_below?: number;
  }[];
  causes: {
    /** pattern, or call path */
    id: string;
    /** pattern or function, for people */
    title: string;
    file: string;
    /** a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other processes; signals; something that is not known; pages from a disk; a processor; absent: it ran */
    waited_for?: "" | "io" | "sleep" | "threads" | "processes" | "signals" | "something" | "pages" | "processor" | "unknown";
    /** in the later run if it is there, else in the earlier */
    line: number;
    /** mean over the runs; 0: not there */
    before_s: number;
    after_s: number;
    /** visits or waits; 0: not known */
    before_count: number;
    after_count: number;
    /** of causes, in the side with more; "16-31" as in reports */
    by_rank: Record<string, number>;
    /** of a function that is not there: it may take up to so many seconds */
    before_below?: number;
    after_below?: number;
  }[];
  functions: {
    /** pattern, or call path */
    id: string;
    /** pattern or function, for people */
    title: string;
    file: string;
    /** a thread was not on a processor, but waited: for files, pipes and sockets; time; other threads; other processes; signals; something that is not known; pages from a disk; a processor; absent: it ran */
    waited_for?: "" | "io" | "sleep" | "threads" | "processes" | "signals" | "something" | "pages" | "processor" | "unknown";
    /** in the later run if it is there, else in the earlier */
    line: number;
    /** mean over the runs; 0: not there */
    before_s: number;
    after_s: number;
    /** visits or waits; 0: not known */
    before_count: number;
    after_count: number;
    /** of causes, in the side with more; "16-31" as in reports */
    by_rank: Record<string, number>;
    /** of a function that is not there: it may take up to so many seconds */
    before_below?: number;
    after_below?: number;
  }[];
  /** for how long ranks lost their processors to other threads, by node */
  taken_processors?: {
    node: string;
    /** that lost their processors on either side */
    ranks: number[];
    /** mean over the runs */
    before_s: number;
    after_s: number;
    /** by other processes; absent: not known */
    before_by_others_s?: number;
    after_by_others_s?: number;
    /** ranks of the program that had the rest */
    by_ranks: number[];
  }[];
  /** why the two may not be comparable */
  cautions: string[];
}

/** What `waitdiag balance --json` writes. Loads have the unit load_unit; shares are parts of 1; null where not known. */
export interface Balance {
  schema: "waitdiag.balance/1";
  /** one or two sentences on the first case; empty where there is none */
  verdict: string;
  source: string;
  load_unit: string;
  assumptions: string[];
  cases: {
    /** distribution, file or archive */
    name: string;
    ranks: number;
    total: number;
    mean: number;
    largest: number;
    /** largest - mean */
    delta: number;
    /** delta / total */
    alpha: number;
    /** alpha * ranks: delta / mean */
    alpha_p: number;
    /** side of a rank's part of the grid, in cells; null: not known */
    eta: number | null;
    /** 1 + 4 l / eta */
    halo_factor: number;
    /** communication / computation */
    c_p: number;
    ideal_speedup: number;
    ideal_efficiency: number;
    real_speedup: number;
    real_efficiency: number;
    /** with the largest load, up to rounding */
    fullest_ranks: number[];
    /** without any load */
    empty_ranks: number;
    /** of a recorded run */
    runtime_s: number | null;
    /** of a recorded run: mean computation / run time */
    measured_efficiency: number | null;
    /** time steps the loads are means over; 0: loads of the whole run */
    steps: number;
    /** with the fullest rank of every single step */
    alpha_by_step: number | null;
    /** by rank */
    loads: number[];
    /** with --html: the rank of each square of the picture; -1: nobody */
    owners?: number[];
  }[];
  /** part of the run time that is saved, relative; negative: lost */
  improvements: {
    from: string;
    to: string;
    ranks: number;
    modelled: number;
    measured: number | null;
  }[];
  /** --table pop only */
  pop_table: {
    ranks: number;
    /** as printed: largest load / mean */
    alpha_p_a: number;
    alpha_p_b: number;
    printed_2400: number;
    modelled_2400: number;
    printed_3600: number;
    modelled_3600: number;
    printed_measured: number;
    recomputed: number;
  }[];
  /** with --html: the map of loads, made coarser if it is large */
  picture?: {
    /** squares */
    width: number;
    height: number;
    /** along the side of a square */
    cells: number;
    /** mean of its cells, row by row */
    load: number[];
  };
}

/** What `waitdiag grid --json` writes. Times are seconds of all iterations. */
export interface Grids {
  schema: "waitdiag.grids/1";
  /** the best grid; empty where there is none */
  verdict: string;
  program: string;
  machine: string;
  method: string;
  /** elements along each dimension */
  array: number[];
  halo: number[];
  element_bytes: number;
  /** computation of an element in one iteration */
  element_ns: number;
  iterations: number;
  /** bytes of each reduction of an iteration */
  reductions: number[];
  most_ranks: number;
  least_efficiency: number;
  /** on one rank */
  serial_s: number;
  notes: string[];
  /** for each number of distributed dimensions */
  best: {
    grid: number[];
    predicted_s: number;
    /** time on one rank / (ranks * time) */
    efficiency: number;
    /** smallest / largest block, worst dimension */
    uniformity: number;
    /** that there are */
    grids: number;
    /** that were not ruled out at first sight */
    candidates: number;
    /** that were replayed */
    evaluations: number;
  }[];
  /** with --html: grids that were replayed, by the search and to have a picture of the others */
  tried?: {
    grid: number[];
    predicted_s: number;
    efficiency: number;
  }[];
}

/** What `waitdiag scale --json` writes: models of how times grow with the number of ranks p. Times are seconds of an average rank; null where undefined. */
export interface Scaling {
  schema: "waitdiag.scaling/1";
  /** what takes most now, and what will */
  verdict: string;
  program: string;
  /** as the user named them, one per run */
  sources: string[];
  /** the sizes, ascending */
  ranks: number[];
  up_to: number;
  /** from when MPI_Init is left */
  runtime: {
    call_path: string;
    /** an MPI call */
    communication: boolean;
    /** by size */
    mean_s: number[];
    /** of the rank that has most, by size */
    most_s: number[];
    /** constant + coefficient * p^power * log2(p)^logarithms */
    model: {
      text: string;
      constant: number;
      coefficient: number;
      power: number;
      logarithms: number;
      /** null: the time is the same everywhere */
      r_squared: number | null;
      /** symmetric mean absolute error, 0 to 2, of the runs it was made of */
      smape: number;
      /** the same, each size predicted from the others */
      left_out: number | null;
    };
    /** with up_to ranks; of the whole run the sum of all call paths */
    predicted_s: number;
  };
  /** by size: until the last rank has left MPI_Init */
  startup_s: number[];
  /** most time with up_to ranks first */
  call_paths: {
    call_path: string;
    /** an MPI call */
    communication: boolean;
    /** by size */
    mean_s: number[];
    /** of the rank that has most, by size */
    most_s: number[];
    /** constant + coefficient * p^power * log2(p)^logarithms */
    model: {
      text: string;
      constant: number;
      coefficient: number;
      power: number;
      logarithms: number;
      /** null: the time is the same everywhere */
      r_squared: number | null;
      /** symmetric mean absolute error, 0 to 2, of the runs it was made of */
      smape: number;
      /** the same, each size predicted from the others */
      left_out: number | null;
    };
    /** with up_to ranks; of the whole run the sum of all call paths */
    predicted_s: number;
  }[];
  /** of the largest run's time: call paths below a thousandth in every size */
  left_out_share: number;
  /** from so many ranks on a call path takes more of the modelled time than any other */
  bottlenecks: {
    from_ranks: number;
    call_path: string;
    /** of all modelled time there */
    share: number;
    /** not beyond the largest run */
    measured: boolean;
    /** measured, or each size is predicted from the others within 25 % by the models of this call path and of the one before */
    holds: boolean;
  }[];
  cautions: string[];
  /** the model of what takes most with up_to ranks holds */
  reaches: boolean;
  /** POP's tree, by size */
  efficiencies: {
    ranks: number;
    /** parallel * scalability */
    global: number | null;
    /** load_balance * communication */
    parallel: number | null;
    load_balance: number | null;
    /** serialisation * transfer */
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
    /** computation of all ranks in the smallest runs by that in these; where the work grows with the ranks, of an average rank */
    scalability: number | null;
    /** of executed instructions, by hardware counters */
    instruction_scalability: number | null;
    /** instructions per cycle by those of the smallest runs */
    ipc_scalability: number | null;
    /** cycles per second by those */
    frequency_scalability: number | null;
    /** the call path that others waited most for; empty: none */
    loses_most: string;
    /** of the core time, by waiting for that */
    lost: number;
    /** where teams of threads were recorded */
    hybrid?: {
      /** of a rank, at most */
      threads: number;
      /** computation of all threads by run time of all; mpi * openmp */
      parallel: number;
      /** time outside of MPI by run time */
      mpi: number;
      /** computation by time outside of MPI; serial * balance * contention * tasks * barriers * overhead */
      openmp: number;
      /** what is left where only one thread computes */
      serial: number;
      /** what is left where threads wait for the slowest one */
      balance: number;
      /** what is left where critical and ordered sections and locks make threads wait for their turn */
      contention: number;
      /** what is left where threads wait for tasks that others execute or make */
      tasks: number;
      /** what is left where barriers end later than their last thread comes */
      barriers: number;
      /** what is left where teams begin and end */
      overhead: number;
    };
  }[];
  /** with the ranks, as far as computation tells: weak scaling */
  work_grows: boolean;
}
