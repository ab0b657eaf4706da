// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/notation/text_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {
namespace {

template <typename Enum, std::size_t n>
using Words = std::array<std::pair<Enum, std::string_view>, n>;

constexpr auto kCallKinds = [] {
  using enum CallKind;
  return std::to_array<std::pair<CallKind, std::string_view>>({
      {Computation, "computation"},
      {Send, "send"},
      {Sendrecv, "sendrecv"},
      {Isend, "isend"},
      {Recv, "recv"},
      {Irecv, "irecv"},
      {PersistentInit, "persistent_init"},
      {Start, "start"},
      {Wait, "wait"},
      {Waitany, "waitany"},
      {Waitall, "waitall"},
      {Waitsome, "waitsome"},
      {Test, "test"},
      {Testany, "testany"},
      {Testall, "testall"},
      {Testsome, "testsome"},
      {GetStatus, "get_status"},
      {Probe, "probe"},
      {Iprobe, "iprobe"},
      {Barrier, "barrier"},
      {OneToAll, "one_to_all"},
      {AllToOne, "all_to_one"},
      {AllToAll, "all_to_all"},
      {AllToAllVariable, "all_to_all_variable"},
      {Neighbourhood, "neighbourhood"},
      {Scan, "scan"},
      {WinFence, "win_fence"},
      {WinCollective, "win_collective"},
      {WinStart, "win_start"},
      {WinComplete, "win_complete"},
      {WinPost, "win_post"},
      {WinWait, "win_wait"},
      {Init, "init"},
      {Finalize, "finalize"},
      {CommConstruct, "comm_construct"},
      {FileCall, "file_call"},
      {Artificial, "artificial"},
      {OtherMpi, "other_mpi"},
      {ThreadBarrier, "thread_barrier"},
      {ThreadSync, "thread_sync"},
  });
}();

// Spelled as in the functions' names, so that MPI_Bcast implies Bcast.
constexpr auto kCollectiveKinds = [] {
  using enum CollectiveKind;
  return std::to_array<std::pair<CollectiveKind, std::string_view>>({
      {Barrier, "Barrier"},
      {Bcast, "Bcast"},
      {Gather, "Gather"},
      {Gatherv, "Gatherv"},
      {Scatter, "Scatter"},
      {Scatterv, "Scatterv"},
      {Allgather, "Allgather"},
      {Allgatherv, "Allgatherv"},
      {Alltoall, "Alltoall"},
      {Alltoallv, "Alltoallv"},
      {Alltoallw, "Alltoallw"},
      {Allreduce, "Allreduce"},
      {Reduce, "Reduce"},
      {ReduceScatter, "Reduce_scatter"},
      {ReduceScatterBlock, "Reduce_scatter_block"},
      {Scan, "Scan"},
      {Exscan, "Exscan"},
      {Neighbourhood, "Neighbourhood"},
      {Fence, "Fence"},
      {WinCreate, "Win_create"},
      {WinFree, "Win_free"},
      {CreateHandle, "create_handle"},
      {DestroyHandle, "destroy_handle"},
      {FileCall, "file_call"},
      {Init, "init"},
      {Finalize, "finalize"},
      {ThreadBarrier, "thread_barrier"},
      {Other, "other"},
  });
}();

constexpr auto kSendModes = std::to_array<std::pair<SendMode, std::string_view>>({
    {SendMode::Standard, "standard"},
    {SendMode::Synchronous, "synchronous"},
    {SendMode::Buffered, "buffered"},
    {SendMode::Ready, "ready"},
});

constexpr auto kRmaWords = [] {
  using enum RmaRecord::What;
  return std::to_array<std::pair<RmaRecord::What, std::string_view>>({
      {Put, "put"},
      {Get, "get"},
      {Atomic, "atomic"},
      {Start, "start"},
      {Complete, "complete"},
      {Post, "post"},
      {Wait, "wait"},
      {Lock, "lock"},
      {Unlock, "unlock"},
      {Flush, "flush"},
      {Done, "done"},
  });
}();

template <typename Table, typename Enum>
std::string_view word_of(const Table& table, Enum value) {
  return std::find_if(table.begin(), table.end(), [&](const auto& line) { return line.first == value; })
      ->second;
}

template <typename Enum, typename Table>
std::optional<Enum> value_of(const Table& table, std::string_view text) {
  const auto line =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.second == text; });
  return line == table.end() ? std::nullopt : std::optional<Enum>(line->first);
}

}  // namespace

std::string_view word(CallKind kind) {
  return word_of(kCallKinds, kind);
}
std::string_view word(CollectiveKind kind) {
  return word_of(kCollectiveKinds, kind);
}
std::string_view word(SendMode mode) {
  return word_of(kSendModes, mode);
}
std::string_view word(RmaRecord::What what) {
  return word_of(kRmaWords, what);
}
std::optional<RmaRecord::What> rma_word(std::string_view text) {
  return value_of<RmaRecord::What>(kRmaWords, text);
}
bool at_enter(RmaRecord::What what) {
  using enum RmaRecord::What;
  return what == Put || what == Get || what == Atomic || what == Start || what == Post;
}
std::optional<CallKind> call_kind(std::string_view text) {
  return value_of<CallKind>(kCallKinds, text);
}
std::optional<CollectiveKind> collective_kind(std::string_view text) {
  return value_of<CollectiveKind>(kCollectiveKinds, text);
}
std::optional<SendMode> send_mode(std::string_view text) {
  return value_of<SendMode>(kSendModes, text);
}

std::optional<CollectiveKind> implied_collective(const Region& region) {
  switch (region.kind) {
    case CallKind::Barrier:
    case CallKind::OneToAll:
    case CallKind::AllToOne:
    case CallKind::AllToAll:
    case CallKind::AllToAllVariable:
    case CallKind::Scan:
      break;
    case CallKind::Neighbourhood:
      return CollectiveKind::Neighbourhood;
    case CallKind::FileCall:
      return CollectiveKind::FileCall;
    case CallKind::WinFence:
      return CollectiveKind::Fence;
    case CallKind::WinCollective:
      return region.name.find("free") == region.name.npos ? CollectiveKind::WinCreate
                                                          : CollectiveKind::WinFree;
    default:
      return std::nullopt;
  }
  std::string_view name = region.name;
  name.remove_prefix(std::min(name.find('_') + 1, name.size()));
  if (name.ends_with("_c")) name.remove_suffix(2);
  return collective_kind(name);
}

// "MPI_Iallreduce": its blocking sibling is "MPI_Allreduce".
std::optional<CollectiveKind> implied_nonblocking(const Region& region) {
  constexpr std::string_view kPrefix = "MPI_I";
  if (!region.name.starts_with(kPrefix) || region.name.size() == kPrefix.size()) return std::nullopt;
  Region blocking{.name = "MPI_" + region.name.substr(kPrefix.size())};
  blocking.name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(blocking.name[4])));
  classify_region(blocking);
  return implied_collective(blocking);
}

CallKind class_by_name(CollectiveKind kind) {
  Region region{.name = "MPI_" + std::string(word(kind))};
  classify_region(region);
  return region.kind;
}

std::string in_quotes(std::string_view name) {
  const bool plain = !name.empty() && name != "-" && name.find_first_of(" \t\r\n/@:#\"\\") == name.npos;
  if (plain) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace waitdiag
