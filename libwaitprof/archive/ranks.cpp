// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/ranks.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/definitions/unify.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/mpi/all_ranks.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/mpi/private_world.hpp"
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"

namespace waitprof::archive {
namespace {

constexpr int kTag = 0;
constexpr std::uint64_t kLargestMessage = 1U << 30;  // counts are int: larger blobs are sent in pieces

template <typename Transfer>
void in_pieces(Blob& blob, const Transfer& transfer) {
  for (std::uint64_t done = 0; done < blob.size(); done += kLargestMessage) {
    const std::uint64_t piece = std::min(kLargestMessage, blob.size() - done);
    transfer(blob.data() + done, static_cast<int>(piece));
  }
}

void send_patiently(const void* data, int bytes, int to, MPI_Comm ranks) noexcept {
  if (shared_memory_ranks.begun()) {
    return shared_memory_ranks.send(data, static_cast<std::size_t>(bytes), to);
  }
  patiently(
      [&](MPI_Request* request) { return pmpi::Isend(data, bytes, MPI_BYTE, to, kTag, ranks, request); });
}

void receive_patiently(void* data, int bytes, int from, MPI_Comm ranks) noexcept {
  if (shared_memory_ranks.begun()) {
    return shared_memory_ranks.receive(data, static_cast<std::size_t>(bytes), from);
  }
  patiently(
      [&](MPI_Request* request) { return pmpi::Irecv(data, bytes, MPI_BYTE, from, kTag, ranks, request); });
}

void broadcast_of_rank_0(void* data, int bytes, MPI_Comm ranks) noexcept {
  if (shared_memory_ranks.begun()) {
    return shared_memory_ranks.broadcast(data, static_cast<std::size_t>(bytes));
  }
  broadcast_patiently(data, bytes, ranks);
}

constexpr std::size_t kWasteBytes = 64 * 1024;
std::byte waste[kWasteBytes];

bool resize_if_possible(Blob& blob, std::uint64_t size) noexcept {
  try {
    blob.resize(size);
    return true;
  } catch (const std::exception&) {  // no memory, or a size beyond all memory
    return false;
  }
}

void append_if_possible(std::string& text, const Blob& blob) noexcept {
  try {
    std::string more;
    if (from_blob(blob, more)) {
      text += more;
    }
  } catch (const std::bad_alloc&) {  // then without
  }
}

// If there is no memory, the result has no ids at all.
template <typename Make>
IdMaps maps_or_none(const Make& make) noexcept {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return {};
  }
}

// `known`: this rank has its definitions; else it gets no ids.
struct Child {
  int rank = 0;
  bool known = false;
  IdMaps maps;
};
constexpr std::size_t kMostChildren = 32;

// An empty blob says "no memory here": the partner is waiting and must get an answer.
template <typename Make>
Blob blob_or_empty(const Make& make) noexcept {
  try {
    return to_blob(make());
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void add(Unifier& unifier, Definitions&& definitions, Child& child) noexcept {
  child.maps = maps_or_none([&] {
    IdMaps maps = unifier.add(std::move(definitions));
    child.known = true;
    return maps;
  });
}

void add_child(Unifier& unifier, const Blob& blob, Child& child) noexcept {
  try {
    Definitions definitions;
    if (from_blob(blob, definitions)) {
      add(unifier, std::move(definitions), child);
    }
  } catch (const std::bad_alloc&) {  // then it gets no ids
  }
}

IdMaps ids_of(const Child& child, const IdMaps& to_global) {
  return child.known && to_global.definition_chunk > 0 ? compose(child.maps, to_global) : IdMaps{};
}

}  // namespace

bool Ranks::connect() noexcept {
  communicator_ = private_world;
  if (shared_memory_ranks.begun()) {
    rank_ = world.rank;
    size_ = world.size;
    return true;
  }
  return communicator_ != MPI_COMM_NULL && pmpi::Comm_rank(communicator_, &rank_) == MPI_SUCCESS &&
         pmpi::Comm_size(communicator_, &size_) == MPI_SUCCESS;
}

bool Ranks::all(bool good) noexcept {
  std::uint64_t everywhere = good ? 1 : 0;
  return join_over_ranks({&everywhere, 1}, Join::Least, communicator_) && everywhere == 1;
}

int Ranks::largest(int number) noexcept {
  auto all = static_cast<std::uint64_t>(number);
  join_over_ranks({&all, 1}, Join::Largest, communicator_);
  return static_cast<int>(all);
}

// A beginning, which is often all; the rest in small pieces, which a rank without memory can discard.
void Ranks::broadcast(Blob& blob) noexcept {
  struct {
    std::uint64_t size;
    std::array<std::byte, 1016> bytes;
  } beginning{blob.size(), {}};
  std::copy_n(blob.begin(), std::min(blob.size(), beginning.bytes.size()), beginning.bytes.begin());
  broadcast_of_rank_0(&beginning, sizeof beginning, communicator_);
  const std::uint64_t size = beginning.size, first = std::min<std::uint64_t>(size, beginning.bytes.size());
  const bool room = rank_ == 0 || resize_if_possible(blob, size);
  if (room) {
    std::copy_n(beginning.bytes.begin(), first, blob.begin());
  }
  for (std::uint64_t done = first; done < size; done += kWasteBytes) {
    const auto piece = static_cast<int>(std::min<std::uint64_t>(kWasteBytes, size - done));
    broadcast_of_rank_0(room ? blob.data() + done : waste, piece, communicator_);
  }
}

std::string Ranks::gather(std::string own) noexcept {
  int step = 1;
  for (; step < size_ && (rank_ & step) == 0; step *= 2) {
    if (rank_ + step < size_) {
      append_if_possible(own, receive(rank_ + step));
    }
  }
  if (rank_ != 0) {
    send(blob_or_empty([&own] { return std::move(own); }), rank_ - step);
  }
  return own;
}

void Ranks::send(const Blob& blob, int to) noexcept {
  const std::uint64_t size = blob.size();
  send_patiently(&size, sizeof size, to, communicator_);
  in_pieces(const_cast<Blob&>(blob),
            [this, to](const std::byte* data, int bytes) { send_patiently(data, bytes, to, communicator_); });
}

void Ranks::discard(std::uint64_t size, int from) noexcept {
  if (shared_memory_ranks.begun()) {
    return shared_memory_ranks.receive(nullptr, size, from);
  }
  for (std::uint64_t done = 0; done < size; done += kLargestMessage) {
    receive_patiently(waste, 0, from, communicator_);
  }
}

// The sender is waiting: data for which there is no memory is received all the same, and discarded.
Blob Ranks::receive(int from) noexcept {
  std::uint64_t size = 0;
  receive_patiently(&size, sizeof size, from, communicator_);
  Blob blob;
  if (!resize_if_possible(blob, size)) {
    discard(size, from);
    return blob;
  }
  in_pieces(blob, [this, from](std::byte* data, int bytes) {
    receive_patiently(data, bytes, from, communicator_);
  });
  return blob;
}

IdMaps unify_over_ranks(Ranks& ranks, Definitions&& own,
                        const std::function<IdMaps(Definitions&&)>& finish) noexcept {
  Unifier unifier;
  Child self;
  add(unifier, std::move(own), self);
  std::array<Child, kMostChildren> children;
  std::size_t count = 0;
  IdMaps to_global;
  int step = 1;
  for (; step < ranks.size() && (ranks.rank() & step) == 0; step *= 2) {
    const int child = ranks.rank() + step;
    if (child < ranks.size()) {
      children[count].rank = child;
      add_child(unifier, ranks.receive(child), children[count++]);
    }
  }
  if (ranks.rank() == 0) {
    to_global = maps_or_none([&] { return finish(unifier.take()); });
  } else {
    const int parent = ranks.rank() - step;
    ranks.send(blob_or_empty([&] { return unifier.take(); }), parent);
    const Blob answer = ranks.receive(parent);
    to_global = maps_or_none([&] {
      IdMaps maps;
      return from_blob(answer, maps) ? maps : IdMaps{};
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    ranks.send(blob_or_empty([&] { return ids_of(children[i], to_global); }), children[i].rank);
  }
  return maps_or_none([&] { return ids_of(self, to_global); });
}

}  // namespace waitprof::archive
