// What an MPI function does, by its name (MPI 4.0). The large-count twin MPI_X_c means the same as MPI_X.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>
#include <unordered_map>

#include "analyzer/trace/model/trace_builder.hpp"

namespace waitdiag {
namespace {

struct Meaning {
  CallKind kind;
  SendMode mode = SendMode::Standard;
};

// Names without "MPI_". Every other MPI function is OtherMpi, on purpose: what starts a nonblocking
// collective waits for nobody, and I/O of one process is MPI time without a wait pattern.
const auto kMeanings = [] {
  using enum CallKind;
  return std::unordered_map<std::string_view, Meaning>{
      {"Send", {Send}},
      {"Ssend", {Send, SendMode::Synchronous}},
      {"Bsend", {Send, SendMode::Buffered}},
      {"Rsend", {Send, SendMode::Ready}},
      {"Sendrecv", {Sendrecv}},
      {"Sendrecv_replace", {Sendrecv}},
      {"Isend", {Isend}},
      {"Issend", {Isend, SendMode::Synchronous}},
      {"Ibsend", {Isend, SendMode::Buffered}},
      {"Irsend", {Isend, SendMode::Ready}},
      {"Isendrecv", {Isend}},
      {"Isendrecv_replace", {Isend}},
      {"Recv", {Recv}},
      {"Mrecv", {Recv}},
      {"Irecv", {Irecv}},
      {"Imrecv", {Irecv}},
      {"Send_init", {PersistentInit}},
      {"Ssend_init", {PersistentInit, SendMode::Synchronous}},
      {"Bsend_init", {PersistentInit, SendMode::Buffered}},
      {"Rsend_init", {PersistentInit, SendMode::Ready}},
      {"Recv_init", {PersistentInit}},
      {"Start", {Start}},
      {"Startall", {Start}},
      {"Wait", {Wait}},
      {"Waitany", {Waitany}},
      {"Waitall", {Waitall}},
      {"Waitsome", {Waitsome}},
      {"Test", {Test}},
      {"Testany", {Testany}},
      {"Testall", {Testall}},
      {"Testsome", {Testsome}},
      {"Request_get_status", {GetStatus}},
      {"Parrived", {GetStatus}},
      {"Probe", {Probe}},
      {"Mprobe", {Probe}},
      {"Iprobe", {Iprobe}},
      {"Improbe", {Iprobe}},
      {"Barrier", {Barrier}},
      {"Bcast", {OneToAll}},
      {"Scatter", {OneToAll}},
      {"Scatterv", {OneToAll}},
      {"Reduce", {AllToOne}},
      {"Gather", {AllToOne}},
      {"Gatherv", {AllToOne}},
      {"Allgather", {AllToAll}},
      {"Allgatherv", {AllToAll}},
      {"Allreduce", {AllToAll}},
      {"Alltoall", {AllToAll}},
      {"Reduce_scatter", {AllToAll}},
      {"Reduce_scatter_block", {AllToAll}},
      {"Alltoallv", {AllToAllVariable}},
      {"Alltoallw", {AllToAllVariable}},
      {"Neighbor_allgather", {Neighbourhood}},
      {"Neighbor_allgatherv", {Neighbourhood}},
      {"Neighbor_alltoall", {Neighbourhood}},
      {"Neighbor_alltoallv", {Neighbourhood}},
      {"Neighbor_alltoallw", {Neighbourhood}},
      {"Scan", {Scan}},
      {"Exscan", {Scan}},
      {"Win_fence", {WinFence}},
      {"Win_create", {WinCollective}},
      {"Win_create_dynamic", {WinCollective}},
      {"Win_allocate", {WinCollective}},
      {"Win_allocate_shared", {WinCollective}},
      {"Win_free", {WinCollective}},
      {"Win_start", {WinStart}},
      {"Win_complete", {WinComplete}},
      {"Win_post", {WinPost}},
      {"Win_wait", {WinWait}},
      {"Win_test", {WinWait}},
      {"Init", {Init}},
      {"Init_thread", {Init}},
      {"Finalize", {Finalize}},
      {"Comm_create", {CommConstruct}},
      {"Comm_create_group", {CommConstruct}},
      {"Comm_dup", {CommConstruct}},
      {"Comm_dup_with_info", {CommConstruct}},
      {"Comm_split", {CommConstruct}},
      {"Comm_split_type", {CommConstruct}},
      {"Comm_free", {CommConstruct}},
      {"Cart_create", {CommConstruct}},
      {"Cart_sub", {CommConstruct}},
      {"Graph_create", {CommConstruct}},
      {"Dist_graph_create", {CommConstruct}},
      {"Dist_graph_create_adjacent", {CommConstruct}},
      {"Intercomm_create", {CommConstruct}},
      {"Intercomm_merge", {CommConstruct}},
      {"File_open", {FileCall}},
      {"File_close", {FileCall}},
      {"File_preallocate", {FileCall}},
      {"File_seek_shared", {FileCall}},
      {"File_set_atomicity", {FileCall}},
      {"File_set_info", {FileCall}},
      {"File_set_size", {FileCall}},
      {"File_set_view", {FileCall}},
      {"File_sync", {FileCall}},
      {"File_read_all", {FileCall}},
      {"File_read_all_begin", {FileCall}},
      {"File_read_all_end", {FileCall}},
      {"File_read_at_all", {FileCall}},
      {"File_read_at_all_begin", {FileCall}},
      {"File_read_at_all_end", {FileCall}},
      {"File_read_ordered", {FileCall}},
      {"File_read_ordered_begin", {FileCall}},
      {"File_read_ordered_end", {FileCall}},
      {"File_write_all", {FileCall}},
      {"File_write_all_begin", {FileCall}},
      {"File_write_all_end", {FileCall}},
      {"File_write_at_all", {FileCall}},
      {"File_write_at_all_begin", {FileCall}},
      {"File_write_at_all_end", {FileCall}},
      {"File_write_ordered", {FileCall}},
      {"File_write_ordered_begin", {FileCall}},
      {"File_write_ordered_end", {FileCall}},
  };
}();

}  // namespace

void classify_region(Region& region) {
  std::string_view name = region.name;
  if (name == kPauseRegion || name == kFlushRegion) {
    region.kind = CallKind::Artificial;
    return;
  }
  if (name.starts_with("PMPI_")) name.remove_prefix(1);
  if (!name.starts_with("MPI_")) {
    region.kind = CallKind::Computation;
    return;
  }
  name.remove_prefix(4);
  if (name.ends_with("_c")) name.remove_suffix(2);
  const auto found = kMeanings.find(name);
  const Meaning meaning = found == kMeanings.end() ? Meaning{CallKind::OtherMpi} : found->second;
  region.kind = meaning.kind;
  region.mode = meaning.mode;
}

}  // namespace waitdiag
