// Synchronisation points: messages and collective operations; the critical path across them; time steps.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>
#include <vector>

#include "analyzer/writers/page/encode.hpp"

namespace waitdiag {

std::uint64_t encode_messages(const PageView& view, Columns& columns) {
  Column counts, receives, senders, sends, bytes, tags;
  std::vector<std::int64_t> last_send(view.selection.lanes.size(), 0);
  std::uint64_t left_out = 0, received = 0;
  for (std::size_t lane = 0; lane < view.selection.lanes.size(); ++lane) {
    const Location location = view.selection.lanes[lane].location;
    std::uint64_t count = 0;
    std::int64_t last_receive = 0;
    for (const Message& message : view.diagnosis.sync.received_by(location)) {
      const MessageEnd& send = send_end(view.trace, message);
      const MessageEnd& receive = receive_end(view.trace, message);
      const std::uint32_t from = view.selection.place({message.sender, send.posted});
      const std::uint32_t to = view.selection.place({location, receive.completed});
      if (from == kNoOp || to == kNoOp) continue;
      const std::uint32_t sender = view.selection.lane_of[index(message.sender)];
      ++count;
      receives.add_signed(to - last_receive);
      last_receive = to;
      senders.add_signed(static_cast<std::int64_t>(sender) - static_cast<std::int64_t>(lane));
      sends.add_signed(from - last_send[sender]);
      last_send[sender] = from;
      bytes.add(receive.bytes);
      tags.add_signed(receive.tag);
    }
    counts.add(count);
    received += count;
  }
  left_out = view.diagnosis.sync.messages.size() - received;
  columns.add("messages", counts);
  columns.add("message_receive", receives);
  columns.add("message_sender", senders);
  columns.add("message_send", sends);
  columns.add("message_bytes", bytes);
  columns.add("message_tag", tags);
  return left_out;
}

void encode_collectives(const PageView& view, Columns& columns) {
  Column comms, members, lanes, ops;
  std::vector<std::int64_t> last_op(view.selection.lanes.size(), 0);
  for (const CollectiveInstance& instance : view.diagnosis.sync.collectives) {
    std::uint64_t count = 0;
    std::int64_t last_lane = -1;
    for (const CollectiveMember& member : view.diagnosis.sync.members_of(instance)) {
      const std::uint32_t op =
          view.selection.place({member.location, operation_of(view.trace, instance, member)});
      if (op == kNoOp) continue;
      const std::int64_t lane = view.selection.lane_of[index(member.location)];
      ++count;
      lanes.add_signed(lane - last_lane);
      last_lane = lane;
      ops.add_signed(op - last_op[static_cast<std::size_t>(lane)]);
      last_op[static_cast<std::size_t>(lane)] = op;
    }
    if (count == 0) continue;
    members.add(count);
    comms.add(instance.comm == kNoComm ? 0 : index(instance.comm) + 1);
  }
  columns.add("collective_members", members);
  columns.add("collective_comm", comms);
  columns.add("member_lane", lanes);
  columns.add("member_op", ops);
}

void encode_critical_path(const PageView& view, Columns& columns) {
  Column lanes, begins, lengths;
  std::int64_t last_end = 0;
  for (const CriticalPath::Stretch& stretch : view.diagnosis.what_if.path.stretches) {
    const std::uint32_t lane = view.selection.lane_of[index(stretch.location)];
    if (stretch.end < view.selection.begin || stretch.begin > view.selection.end) continue;
    if (lane == PageSelection::kNoLane) continue;
    const std::int64_t begin = view.times.at(stretch.begin), end = view.times.at(stretch.end);
    lanes.add(lane);
    begins.add_signed(begin - last_end);
    lengths.add_signed(end - begin);
    last_end = end;
  }
  columns.add("path_lane", lanes);
  columns.add("path_begin", begins);
  columns.add("path_length", lengths);
}

// The steps of the first lane that has any; the last number is the end of the last step. Of the steps that
// began before the window, only the last is included.
void encode_steps(const PageView& view, Columns& columns) {
  Column numbers, begins;
  std::vector<std::pair<std::uint32_t, Time>> steps;
  for (const PageSelection::Lane& lane : view.selection.lanes) {
    std::uint32_t last = Steps::kOutside;
    view.diagnosis.steps.for_each_part(view.trace, lane.location,
                                       [&](const GapPart& part, std::uint32_t step) {
                                         if (step == last) return;
                                         last = step;
                                         const Time begin = part.begin;
                                         if (begin > view.selection.end) return;
                                         if (begin <= view.selection.begin) steps.clear();
                                         steps.emplace_back(step, begin);
                                       });
    if (!steps.empty()) break;
  }
  std::int64_t previous = 0;
  for (const auto& [step, time] : steps) {
    const std::int64_t begin = view.times.at(time);
    numbers.add(step == Steps::kOutside ? 0 : view.diagnosis.steps.number(step) + 1);
    begins.add_signed(begin - previous);
    previous = begin;
  }
  columns.add("step_number", numbers);
  columns.add("step_begin", begins);
}

}  // namespace waitdiag
