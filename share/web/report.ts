// The report as analyzer/writers/json/json.cpp writes it (schema waitdiag.report/1): the parts the page uses.
// SPDX-License-Identifier: BSD-3-Clause

export interface Efficiency {
  parallel: number | null;
  load_balance: number | null;
  communication: number | null;
  serialisation: number | null;
  transfer: number | null;
}

export interface Cause {
  call_path: string;
  function: string;
  file: string;
  line: number;
  kind: string;
  waiting_s: number;
  direct_s: number;
  indirect_s: number;
  excess_s: number;
  share_of_waiting: number;
  ranks: { rank: number; waiting_s: number }[];
  patterns: Record<string, number>;
  why?: { kind: string; text: string };
  gain?: { runtime_s: number; speedup: number };
  by_step?: { steps_per_column: number; time_s: number[][]; visits: number[][] | null };
}

export interface Wait {
  pattern: string;
  title: string;
  waiting: boolean;
  part_of?: string;
  total_s: number;
  median_s?: number;
  longest_s?: number;
  count: number;
  by_rank: Record<string, number>;
  by_call_path: { call_path: string; seconds: number }[];
}

interface Time {
  total_s: number;
  computation_s: number;
  mpi_s: number;
  waiting_s: number;
}

interface Count {
  messages: number;
  bytes: number;
}

export interface Report {
  run: {
    ranks: number;
    threads: number;
    nodes: number;
    runtime_s: number;
    clock_error_s: number;
    program: string;
    mpi: string;
    predicted_for: string;
    creator: string;
    events: number;
    mpi_calls: number;
    messages: number;
    collectives: number;
    sampling: string;
    steps: number;
    steps_source: string;
    step_numbers?: [number, number][];
    paused_s?: number;
    rules: string;
    model: string;
  };
  time: Time;
  efficiency: Efficiency;
  efficiency_on_critical_path: Efficiency;
  ending?: { sentence: string };
  whole_run?: { runtime_s: number; recorded_s: number; excerpts: number; time: Time; efficiency: Efficiency };
  waits: Wait[];
  causes: Cause[];
  efficiency_by_part?: (Efficiency & { part: string; time_s: number; waiting_s: number; first_step?: number; on_critical_path: Efficiency; critical_path_s: number })[];
  critical_path: {
    total_s: number;
    changes: number;
    by_call_path: { call_path: string; seconds: number; imbalance_s: number }[];
  };
  messages?: {
    by_size: {
      above_bytes: number;
      up_to_bytes: number | null;
      same_chip: Count;
      same_node: Count;
      other_node: Count;
      unknown_layer: Count;
    }[];
    by_communicator: {
      name: string;
      size: number;
      messages: number;
      bytes: number;
      collectives: number;
      collective_bytes: number;
      collective_s: number;
      waiting_s: number;
    }[];
  };
  resources?: {
    column_s: number;
    ranks: {
      rank: number;
      processors: number;
      most_resident_bytes: number;
      processors_over_time: (number | null)[];
      resident_bytes_over_time: (number | null)[];
    }[];
  };
  recording?: { call_s: number; ranks: { rank: number; calls: number; total_s: number }[] };
  explained_s: number;
  unexplained_s: number;
  remainders: { id: string; seconds: number; text: string }[];
  data_quality: { id: string; count: number; severity: string; text: string }[];
}
