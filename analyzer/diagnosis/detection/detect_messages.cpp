// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/diagnosis/detection/eager_sends.hpp"
#include "analyzer/diagnosis/detection/ends_upon_receiver.hpp"
#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/diagnosis/detection/needs_sender.hpp"
#include "analyzer/diagnosis/detection/wrong_order.hpp"
#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/held_sends.hpp"

namespace waitdiag {
namespace {

constexpr bool completes_many(CallKind kind) {
  return kind == CallKind::Waitall || kind == CallKind::Waitsome;
}

// Collects the waits of one location's calls; for a call that completes many requests only the longest
// counts, and all are candidates.
class LongestByCall {
 public:
  LongestByCall(const Trace& trace, DetectedWaits& found)
      : trace_(trace), waits_(found.waits), candidates_(found.candidates), first_(found.waits.size()) {}

  void add(const WaitState& wait, CallKind kind) {
    if (completes_many(kind))
      candidates_.add(wait.pattern, wait.victim, wait.wait, trace_.rank(wait.cause.location));
    const bool again = waits_.size() > first_ && waits_.back().victim == wait.victim;
    if (!again || !completes_many(kind)) {
      waits_.push_back(wait);
    } else if (wait.wait > waits_.back().wait) {
      waits_.back() = wait;
    }
  }

 private:
  const Trace& trace_;
  std::vector<WaitState>& waits_;
  ListedTimes& candidates_;
  std::size_t first_;
};

class MessageDetection {
 public:
  // With Scalasca's rules a receiver is late whenever it comes after the send.
  MessageDetection(const Trace& trace, const SyncPoints& sync, bool scalasca, const EagerSends& eager,
                   const NeedsSender& needs_sender, const HeldSends& held, const EndsUponReceiver& kept,
                   std::vector<std::uint8_t>& needs_receiver, DetectedWaits& found)
      : trace_(trace),
        sync_(sync),
        scalasca_(scalasca),
        eager_(eager),
        needs_sender_(needs_sender),
        held_(held),
        kept_(kept),
        needs_receiver_(needs_receiver),
        found_(found),
        waits_(found.waits),
        listed_(found.listed) {}

  void run(Location location) {
    late_senders(location);
    late_receivers(location);
    if (kept_.any()) receivers_outside_mpi(location);
    if (!scalasca_) late_progress(location);
  }

 private:
  void late_senders(Location location) {
    LongestByCall longest(trace_, found_);
    const std::uint32_t end = sync_.first_received[index(location) + 1];
    for (std::uint32_t i = sync_.first_received[index(location)]; i < end; ++i) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;  // no process waits for itself
      const OpRef victim{location, receive_end(trace_, message).completed};
      const OpRef cause{message.sender, send_end(trace_, message).posted};
      if (trace_.enter(cause) <= trace_.enter(victim)) continue;  // mostly; saves the look at the rest
      const MessageView view = view_of(trace_, message);
      const Duration wait = late_sender.on_message(view);
      if (wait <= Duration::zero()) continue;
      longest.add({.victim = victim, .cause = cause, .wait = wait, .sync = i, .pattern = kLateSender},
                  view.receive.kind);
    }
    wrong_order(sync_.received_by(location));
  }

  // In a call, the wait for progress follows the wait for a late sender.
  void late_progress(Location location) {
    const std::size_t late_senders_end = waits_.size();
    std::vector<WaitState> longest;  // of each call
    const std::uint32_t end = sync_.first_received[index(location) + 1];
    for (std::uint32_t i = sync_.first_received[index(location)]; i < end; ++i) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;
      const OpRef victim{location, receive_end(trace_, message).completed};
      const OpRef cause = sender_back(trace_, message);
      if (!cause.valid() || trace_.enter(cause) <= trace_.enter(victim)) continue;  // mostly; saves the rest
      MessageView view = view_of(trace_, message);
      view.send_completion = call_times(trace_, cause);
      const Duration since = message_progress.on_message(view);
      if (since <= Duration::zero()) continue;
      const Duration wait = outside_mpi(trace_, trace_.enter(cause) - since, cause);
      if (wait <= Duration::zero() || !left_upon(trace_, victim, cause, wait)) continue;
      if (eager_.completes_locally(send_side_of(trace_, message)) && !needs_sender_.after_send(message))
        continue;
      const WaitState state{
          .victim = victim, .cause = cause, .wait = wait, .sync = i, .pattern = kMessageProgress};
      if (longest.empty() || longest.back().victim != victim)
        longest.push_back(state);
      else if (trace_.enter(cause) > trace_.enter(longest.back().cause))
        longest.back() = state;
    }
    if (longest.empty()) return;
    std::unordered_map<std::uint32_t, Duration> waited;  // by call
    for (std::size_t i = 0; i < late_senders_end; ++i) waited[waits_[i].victim.op] += waits_[i].wait;
    for (WaitState& wait : longest) {
      const auto before = waited.find(wait.victim.op);
      if (before != waited.end())
        wait.wait =
            std::min(wait.wait, trace_.enter(wait.cause) - trace_.enter(wait.victim) - before->second);
      if (wait.wait > Duration::zero()) waits_.push_back(wait);
    }
  }

  // In the order in which the sends completed: mostly the sending order.
  std::vector<std::uint32_t> by_completion(std::span<const std::uint32_t> sent) const {
    std::vector<std::uint32_t> order(sent.begin(), sent.end());
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return send_end(trace_, sync_.messages[a]).completed < send_end(trace_, sync_.messages[b]).completed;
    };
    if (!std::is_sorted(order.begin(), order.end(), earlier)) {
      std::stable_sort(order.begin(), order.end(), earlier);
    }
    return order;
  }

  // A call that waited for a late sender is not blamed on a late receiver as well; MPI_Sendrecv, and one with a held
  // message, is for what came behind.
  void late_receivers(Location location) {
    const std::size_t late_senders_end = waits_.size();
    std::size_t late = 0;
    LongestByCall longest(trace_, found_);
    SendCompletions completions(trace_, sync_, location);
    for (const std::uint32_t i : by_completion(sync_.sent_by(location))) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;
      const bool eager = eager_.completes_locally(send_side_of(trace_, message));
      const bool held = eager && held_.is_held(trace_, message);
      const bool completes_locally = eager && !held;
      needs_receiver_[i] = completes_locally ? 0 : 1;
      if (completes_locally && !scalasca_) continue;
      const MessageView view = view_of(trace_, message);
      const bool behind = held || (!scalasca_ && view.send_completion.kind == CallKind::Sendrecv);
      const Duration wait =
          behind ? completions.waited_for_receiver(message) : late_receiver.on_message(view);
      if (wait <= Duration::zero()) continue;
      const OpRef victim{location, send_end(trace_, message).completed};
      while (late < late_senders_end && waits_[late].victim < victim) ++late;
      if (!behind && late < late_senders_end && waits_[late].victim == victim) continue;
      longest.add({.victim = victim,
                   .cause = {message.receiver, receive_end(trace_, message).posted},
                   .wait = wait,
                   .sync = i,
                   .pattern = kLateReceiver},
                  view.send_completion.kind);
      if (!scalasca_ && eager_.was_stuck(view)) listed_.add(kPossible, victim, wait);
    }
  }

  // A send ends when its receiver is in MPI again, and its receive may come much later. Of the sends that one call
  // completes, the receiver that came back last counts; of a receiver that was late, what it did behind its receive.
  void receivers_outside_mpi(Location location) {
    std::map<std::uint32_t, Time> posted;  // by call: when the receive came that it waited for
    for (const WaitState& wait : waits_)
      if (wait.pattern == kLateReceiver) posted[wait.victim.op] = trace_.enter(wait.cause);
    SendCompletions completions(trace_, sync_, location);
    std::map<std::uint32_t, WaitState> last;  // by call
    for (const std::uint32_t i : sync_.sent_by(location)) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver || !kept_.is_kept(message)) continue;
      const auto receive = posted.find(send_end(trace_, message).completed);
      const auto [victim, cause, wait] =
          held_until(trace_, message, completions, receive == posted.end() ? Time::min() : receive->second);
      if (wait <= Duration::zero() || !left_upon(trace_, victim, cause, wait)) continue;
      WaitState& known = last[victim.op];
      if (!known.cause.valid() || trace_.enter(known.cause) < trace_.enter(cause))
        known = {.victim = victim, .cause = cause, .wait = wait, .sync = i, .pattern = id_of(send_progress)};
    }
    for (const auto& [op, wait] : last) waits_.push_back(wait);
  }

  // So far only the late senders among `messages` were found, in the same order of calls.
  void wrong_order(std::span<const Message> messages) {
    if (waits_.empty()) return;
    WrongOrder memory;
    auto late = waits_.cbegin();
    for (const Message& message : messages) {
      const MessageEnd& received = receive_end(trace_, message);
      const OpRef op{message.receiver, received.completed};
      // The waits of earlier calls are remembered only now: the messages of one call have no order among
      // themselves.
      for (; late != waits_.cend() && late->victim < op; ++late) {
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
  bool scalasca_;
  const EagerSends& eager_;
  const NeedsSender& needs_sender_;
  const HeldSends& held_;
  const EndsUponReceiver& kept_;
  std::vector<std::uint8_t>& needs_receiver_;
  DetectedWaits& found_;
  std::vector<WaitState>& waits_;
  ListedTimes& listed_;
  const PatternId kMessageProgress = id_of(message_progress);
  const PatternId kLateSender = id_of(late_sender), kLateReceiver = id_of(late_receiver),
                  kPossible = id_of(late_receiver_possible);
  const PatternId kWrongOrder = id_of(late_sender_wrong_order), kSameSource = id_of(wrong_order_same_source),
                  kDifferentSource = id_of(wrong_order_different_source);
};

}  // namespace

std::vector<DetectedWaits> detect_messages(const Trace& trace, const SyncPoints& sync,
                                           const DetectOptions& options, WaitStates& result) {
  const EagerSends eager(trace, sync, options.eager_threshold_bytes);
  result.eager_limit_bytes = eager.limit_bytes();
  result.eager_limit_from = eager.limit_from();
  result.needs_receiver.assign(sync.messages.size(), 0);
  std::vector<DetectedWaits> found(trace.timelines().size(), DetectedWaits(trace));
  const NeedsSender needs_sender = options.scalasca ? NeedsSender() : NeedsSender(trace, sync);
  const HeldSends held = options.scalasca ? HeldSends() : HeldSends(trace, sync);
  const EndsUponReceiver kept = options.scalasca ? EndsUponReceiver() : EndsUponReceiver(trace, sync);
  const bool polls = !options.scalasca && looks_for_messages(trace);
  for_each_index(found.size(), [&](std::size_t l) {
    MessageDetection(trace, sync, options.scalasca, eager, needs_sender, held, kept, result.needs_receiver,
                     found[l])
        .run(Location(l));
    if (!polls) return;
    detect_polling(trace, sync, Location(l), found[l]);
    detect_polled_sends(trace, sync, Location(l), result.needs_receiver, found[l]);
  });
  return found;
}

}  // namespace waitdiag
