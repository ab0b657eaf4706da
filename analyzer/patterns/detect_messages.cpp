// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/patterns/detect_messages.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "analyzer/patterns/eager_sends.hpp"
#include "analyzer/patterns/message_view.hpp"
#include "analyzer/patterns/wrong_order.hpp"

namespace waitdiag {
namespace {

enum class Side { Sender, Receiver };

// Indices of the messages that each location sent (or received), in the order their calls completed.
class MessagesByLocation {
 public:
  MessagesByLocation(const Trace& trace, const SyncPoints& sync, Side side)
      : first_(trace.timelines().size() + 1, 0), order_(sync.messages.size()) {
    const auto owner = [side](const Message& m) {
      return index(side == Side::Sender ? m.sender : m.receiver);
    };
    for (const Message& message : sync.messages) ++first_[owner(message) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < sync.messages.size(); ++i) order_[next[owner(sync.messages[i])]++] = i;

    const auto completed = [&](std::uint32_t i) {
      const Message& message = sync.messages[i];
      const MessageEnd& end = side == Side::Sender ? send_end(trace, message) : receive_end(trace, message);
      return std::tuple(end.completed, end.time, i);
    };
    for (std::size_t l = 0; l + 1 < first_.size(); ++l) {
      std::sort(order_.begin() + first_[l], order_.begin() + first_[l + 1],
                [&](std::uint32_t a, std::uint32_t b) { return completed(a) < completed(b); });
    }
  }
  std::span<const std::uint32_t> of(Location location) const {
    const std::uint32_t first = first_[index(location)];
    return std::span(order_).subspan(first, first_[index(location) + 1] - first);
  }

 private:
  std::vector<std::uint32_t> first_, order_;
};

constexpr bool completes_many(CallKind kind) {
  return kind == CallKind::Waitall || kind == CallKind::Waitsome;
}

// Collects the waits of one location's calls; of a call that completes many requests only the longest counts.
class LongestByCall {
 public:
  explicit LongestByCall(std::vector<WaitState>& waits) : waits_(waits), first_(waits.size()) {}

  void add(const WaitState& wait, CallKind kind) {
    const bool again = waits_.size() > first_ && waits_.back().victim == wait.victim;
    if (!again || !completes_many(kind)) {
      waits_.push_back(wait);
    } else if (wait.wait > waits_.back().wait) {
      waits_.back() = wait;
    }
  }

 private:
  std::vector<WaitState>& waits_;
  std::size_t first_;
};

class MessageDetection {
 public:
  MessageDetection(const Trace& trace, const SyncPoints& sync, const DetectOptions& options,
                   std::vector<WaitState>& waits, ListedTimes& listed)
      : trace_(trace), sync_(sync), waits_(waits), listed_(listed) {
    if (!options.scalasca) eager_.emplace(trace, sync, options.eager_threshold_bytes);
  }

  void late_senders(Location location, std::span<const std::uint32_t> messages) {
    const std::size_t first = waits_.size();
    LongestByCall longest(waits_);
    for (const std::uint32_t i : messages) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;  // nobody waits for himself
      const MessageView view = view_of(trace_, message);
      const Duration wait = late_sender.on_message(view);
      if (wait <= Duration::zero()) continue;
      longest.add({.victim = {location, receive_end(trace_, message).completed},
                   .cause = {message.sender, send_end(trace_, message).posted},
                   .wait = wait,
                   .sync = i,
                   .pattern = kLateSender},
                  view.receive.kind);
    }
    wrong_order(messages, std::span(waits_).subspan(first));
  }

  // A call that waited for a late sender is not blamed on a late receiver as well.
  void late_receivers(Location location, std::span<const std::uint32_t> messages,
                      std::size_t first_late_sender) {
    const std::size_t late_senders_end = waits_.size();
    std::size_t late = first_late_sender;
    LongestByCall longest(waits_);
    for (const std::uint32_t i : messages) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;
      MessageView view = view_of(trace_, message);
      if (eager_) view.completes_locally = eager_->completes_locally(view);
      const Duration wait = late_receiver.on_message(view);
      if (wait <= Duration::zero()) continue;
      const OpRef victim{location, send_end(trace_, message).completed};
      while (late < late_senders_end && waits_[late].victim < victim) ++late;
      if (late < late_senders_end && waits_[late].victim == victim) continue;
      longest.add({.victim = victim,
                   .cause = {message.receiver, receive_end(trace_, message).posted},
                   .wait = wait,
                   .sync = i,
                   .pattern = kLateReceiver},
                  view.send_completion.kind);
    }
  }

 private:
  // `found`: the late senders among `messages`, in the same order of calls.
  void wrong_order(std::span<const std::uint32_t> messages, std::span<const WaitState> found) {
    if (found.empty()) return;
    WrongOrder memory;
    auto late = found.begin();
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const Message& message = sync_.messages[messages[m]];
      const MessageEnd& received = receive_end(trace_, message);
      const OpRef op{message.receiver, received.completed};
      // What earlier calls waited for is remembered only now: one call's messages have no order among them.
      for (; late != found.end() && late->victim < op; ++late) {
        const Message& cause = sync_.messages[late->sync];
        const MessageEnd& sent = send_end(trace_, cause);
        memory.remember({sent.time, trace_.rank(cause.sender), late->victim, late->wait});
      }
      memory.received(send_end(trace_, message).time, [&](const WrongOrder::Late& wrong) {
        const bool same = wrong.source == received.peer;
        listed_.add(kWrongOrder, wrong.receive, wrong.wait);
        listed_.add(same ? kSameSource : kDifferentSource, wrong.receive, wrong.wait);
      });
    }
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  std::vector<WaitState>& waits_;
  ListedTimes& listed_;
  std::optional<EagerSends> eager_;
  const PatternId kLateSender = id_of(late_sender), kLateReceiver = id_of(late_receiver);
  const PatternId kWrongOrder = id_of(late_sender_wrong_order), kSameSource = id_of(wrong_order_same_source),
                  kDifferentSource = id_of(wrong_order_different_source);
};

}  // namespace

void detect_messages(const Trace& trace, const SyncPoints& sync, const DetectOptions& options,
                     std::vector<WaitState>& waits, ListedTimes& listed) {
  const MessagesByLocation received(trace, sync, Side::Receiver), sent(trace, sync, Side::Sender);
  MessageDetection detection(trace, sync, options, waits, listed);
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const std::size_t first = waits.size();
    detection.late_senders(Location(l), received.of(Location(l)));
    detection.late_receivers(Location(l), sent.of(Location(l)), first);
  }
}

}  // namespace waitdiag
