// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/journal_communicator.hpp"

#include <cstring>

#include "libwaitprof/handles/member_runs.hpp"

namespace waitprof {
namespace {

using crash_safe::CommunicatorRecord;
using crash_safe::MembersRecord;

std::uint32_t count_runs(std::span<const int> numbers) noexcept {
  std::uint32_t runs = 0;
  for (; !numbers.empty(); ++runs) {
    take_run(numbers);
  }
  return runs;
}

std::byte* put_runs(std::byte* place, std::span<const int> numbers) noexcept {
  while (!numbers.empty()) {
    const MembersRecord run = take_run(numbers);
    std::memcpy(place, &run, sizeof run);
    place += sizeof run;
  }
  return place;
}

std::byte* put_numbers(std::byte* place, std::span<const int> numbers) noexcept {
  if (!numbers.empty()) {
    std::memcpy(place, numbers.data(), numbers.size_bytes());
  }
  return place + numbers.size_bytes();
}

}  // namespace

void journal_communicator(std::uint32_t id, const Communicator& c) noexcept {
  if (!has_journal()) {
    return;
  }
  CommunicatorRecord record;
  record.key = c.key;
  record.parent_key = c.parent_key;
  record.id = id;
  record.topology = static_cast<std::uint32_t>(c.topology);
  record.member_runs = count_runs(c.members);
  record.remote_runs = count_runs(c.remote_members);
  record.rank = c.rank;
  record.dims = static_cast<std::uint32_t>(c.dims.size());
  record.periods = static_cast<std::uint32_t>(c.periods.size());
  record.edges = static_cast<std::uint32_t>(c.edges.size());
  std::byte* const room =
      journal_room(sizeof record + (record.member_runs + record.remote_runs) * sizeof(MembersRecord) +
                   c.dims.size_bytes() + c.periods.size_bytes() + c.edges.size_bytes());
  if (room != nullptr) {
    std::memcpy(room, &record, sizeof record);
    std::byte* place = put_runs(room + sizeof record, c.members);
    place = put_runs(place, c.remote_members);
    place = put_numbers(place, c.dims);
    place = put_numbers(place, c.periods);
    put_numbers(place, c.edges);
    commit_record(room, RecordKind::Communicator);
  }
}

}  // namespace waitprof
