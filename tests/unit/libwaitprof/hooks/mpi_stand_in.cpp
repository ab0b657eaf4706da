// The PMPI_* functions that the recorder itself calls. A group handle is its communicator's handle; the group
// of a remote side has the top bit set.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/hooks/mpi_stand_in.hpp"

#include <algorithm>

namespace stand_in {

State& state() {
  static State the_state;
  return the_state;
}

namespace {

constexpr int kRemote = 1 << 29;

const std::vector<int>& members_of(MPI_Group group) {
  const bool remote = (group & kRemote) != 0;
  const FakeComm& comm = state().comms.at(group & ~kRemote);
  return remote ? comm.remote : comm.members;
}

int copy(const std::vector<int>& from, int* to) {
  std::copy(from.begin(), from.end(), to);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace stand_in

using stand_in::state;

extern "C" {

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = state().comms.at(comm).rank;
  return MPI_SUCCESS;
}
int PMPI_Comm_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(state().comms.at(comm).members.size());
  return MPI_SUCCESS;
}
int PMPI_Query_thread(int* provided) {
  *provided = state().thread_level;
  return MPI_SUCCESS;
}
// What begins is complete at once.
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status*) {
  *request = MPI_REQUEST_NULL;
  *flag = 1;
  return MPI_SUCCESS;
}
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request*) {
  *newcomm = 0x123456;
  state().comms[*newcomm] = state().comms.at(comm);
  return MPI_SUCCESS;
}
int PMPI_Comm_split(MPI_Comm comm, int, int, MPI_Comm* newcomm) {
  *newcomm = 0x123457;
  state().comms[*newcomm] = state().comms.at(comm);
  return MPI_SUCCESS;
}
int PMPI_Ibcast(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*) {
  return MPI_SUCCESS;
}
int PMPI_Comm_free(MPI_Comm* comm) {
  state().comms.erase(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) {
  return MPI_SUCCESS;
}
int PMPI_Barrier(MPI_Comm) {
  ++state().barriers;
  return MPI_SUCCESS;
}
int PMPI_Ibarrier(MPI_Comm, MPI_Request*) {
  ++state().barriers;
  return MPI_SUCCESS;
}
// The least of 64 bit numbers, the first of which says whether a rank is ready; or the sum of the ranks that are.
int PMPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request*) {
  if (type == MPI_UINT64_T) {
    auto* const result = static_cast<std::uint64_t*>(all);
    std::copy_n(static_cast<const std::uint64_t*>(mine), count, result);
    if (op == MPI_MIN && !state().other_ranks_ready) *result = 0;
    return MPI_SUCCESS;
  }
  const int others = static_cast<int>(state().comms.at(comm).members.size()) - 1;
  stand_in::copy({static_cast<const int*>(mine), static_cast<const int*>(mine) + count},
                 static_cast<int*>(all));
  *static_cast<int*>(all) += state().other_ranks_ready ? others : 0;
  return MPI_SUCCESS;
}
int PMPI_Session_init(MPI_Info, MPI_Errhandler, MPI_Session* session) {
  *session = 1;
  ++state().open_sessions;
  return MPI_SUCCESS;
}
int PMPI_Session_finalize(MPI_Session*) {
  --state().open_sessions;
  return MPI_SUCCESS;
}
int PMPI_Group_from_session_pset(MPI_Session, const char*, MPI_Group* group) {
  *group = MPI_COMM_WORLD;
  return MPI_SUCCESS;
}
int PMPI_Group_rank(MPI_Group group, int* rank) {
  *rank = state().comms.at(group).rank;
  return MPI_SUCCESS;
}
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  *group = comm;
  return MPI_SUCCESS;
}
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  *group = comm | stand_in::kRemote;
  return MPI_SUCCESS;
}
int PMPI_Comm_get_parent(MPI_Comm* parent) {
  *parent = state().parent;
  return MPI_SUCCESS;
}
int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(state().comms.at(comm).remote.size());
  return MPI_SUCCESS;
}
int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  *flag = state().comms.at(comm).remote.empty() ? 0 : 1;
  return MPI_SUCCESS;
}
int PMPI_Group_size(MPI_Group group, int* size) {
  *size = static_cast<int>(stand_in::members_of(group).size());
  return MPI_SUCCESS;
}
int PMPI_Group_free(MPI_Group* group) {
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
int PMPI_Group_translate_ranks(MPI_Group from, int count, const int* ranks, MPI_Group, int* to) {
  std::transform(ranks, ranks + count, to, [&members = stand_in::members_of(from)](int rank) {
    return members.at(static_cast<std::size_t>(rank));
  });
  return MPI_SUCCESS;
}
int PMPI_Topo_test(MPI_Comm comm, int* kind) {
  *kind = state().comms.at(comm).dims.empty() ? MPI_UNDEFINED : MPI_CART;
  return MPI_SUCCESS;
}
int PMPI_Cartdim_get(MPI_Comm comm, int* count) {
  *count = static_cast<int>(state().comms.at(comm).dims.size());
  return MPI_SUCCESS;
}
int PMPI_Cart_get(MPI_Comm comm, int, int* dims, int* periods, int* coords) {
  const stand_in::FakeComm& cart = state().comms.at(comm);
  stand_in::copy(cart.dims, dims);
  stand_in::copy(cart.periods, periods);
  return stand_in::copy(cart.coords, coords);
}
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  *size = state().type_sizes.at(type);
  return MPI_SUCCESS;
}
int PMPI_Error_class(int, int* error_class) {
  *error_class = state().error_class;
  return MPI_SUCCESS;
}
int PMPI_Initialized(int* flag) {
  *flag = 1;
  return MPI_SUCCESS;
}
int PMPI_Pcontrol(const int, ...) {
  return MPI_SUCCESS;
}

}  // extern "C"
