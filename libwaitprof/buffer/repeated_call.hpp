// A call that records what an earlier one of its call path recorded, other times excepted, is one event: programs do the
// same again and again.
//
//   Enter, Send, Recv, Leave  ...  Enter, (Send is the same, Recv is the same), the Leave makes it Repeat
//    ^---------------------- .distance events before -----------^
//
// Events are compared when they are to be recorded, and recorded after all at the first one that differs. The earlier call
// is in the same buffer. That the Enter becomes a Repeat is one store: a kill leaves the one or the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

inline constexpr std::size_t kRepeatedCalls = 1024;     // places of ThreadState::repeated_calls
inline constexpr std::size_t kMostRepeatedEvents = 32;  // of one call

// Of an event in a call that may be repeated.
constexpr std::uint32_t bit_of(EventType type) noexcept {
  return std::uint32_t{1} << (static_cast<unsigned>(type) & 31U);
}
constexpr bool is_stamped_at_enter(EventType type) noexcept {
  constexpr std::uint32_t kAtEnter = bit_of(EventType::Enter) | bit_of(EventType::Send) |
                                     bit_of(EventType::Isend) | bit_of(EventType::IrecvRequest) |
                                     bit_of(EventType::CollectiveBegin);
  return (kAtEnter & bit_of(type)) != 0;
}
constexpr bool may_be_repeated(EventType type) noexcept {
  constexpr std::uint32_t kAtLeave = bit_of(EventType::Recv) | bit_of(EventType::Irecv) |
                                     bit_of(EventType::IsendComplete) | bit_of(EventType::CollectiveEnd);
  return type <= EventType::CollectiveEnd && type != EventType::Enter &&
         (is_stamped_at_enter(type) || (kAtLeave & bit_of(type)) != 0);
}

// Two numbers as they lie in an event, made in registers: stored one by one and read together they would stall
// the processor.
template <class One, class Other>
constexpr std::uint64_t pair_of(One one, Other other) noexcept {
  return static_cast<std::uint32_t>(one) | std::uint64_t{static_cast<std::uint32_t>(other)} << 32;
}
template <class Data>
std::uint64_t word_of(const Data& data, std::size_t number) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(&data) + number * sizeof word, sizeof word);
  return word;
}
inline bool is_same(const MessageData& recorded, const MessageData& data) noexcept {
  return recorded.bytes == data.bytes && word_of(recorded, 1) == pair_of(data.peer, data.tag) &&
         word_of(recorded, 2) == pair_of(data.comm, data.request);
}
inline bool is_same(const CollectiveData& recorded, const CollectiveData& data) noexcept {
  constexpr int kOp = 24;  // where CollectiveData::op begins
  return recorded.sent == data.sent && recorded.received == data.received &&
         word_of(recorded, 2) == pair_of(data.comm | std::uint32_t{data.op} << kOp, data.root);
}

class RepeatedCall {
 public:
  // Its Enter has been appended.
  void begin(const ThreadState& thread, std::uint32_t region, std::uint32_t call_path) noexcept {
    site_ = pair_of(region, call_path);
    next_ = enter_ = thread.repeated_calls != nullptr ? thread.cursor - 1 : nullptr;
  }

  // True: the event is as in the earlier call, and must not be appended. Otherwise what was the same before it
  // has been. `leave`: when the call ended.
  [[gnu::always_inline]] bool has(ThreadState& thread, EventType type, const MessageData& message,
                                  std::uint64_t leave) noexcept {
    return has(thread, type, message, leave, &Event::Payload::message,
               message.bytes ^ std::uint64_t{message.request} << 32, pair_of(message.peer, message.tag));
  }
  [[gnu::always_inline]] bool has(ThreadState& thread, EventType type, const CollectiveData& collective,
                                  std::uint64_t leave) noexcept {
    return has(thread, type, collective, leave, &Event::Payload::collective, collective.sent,
               collective.comm);
  }

  // True: the call is recorded completely.
  [[gnu::always_inline]] bool end(ThreadState& thread, std::uint64_t leave) noexcept {
    if (next_ != nullptr && place_ == nullptr) {
      look_up(thread, EventType::Leave, 0, 0);
    }
    if (next_ == nullptr) {
      return false;
    }
    if (next_->type != EventType::Leave || thread.cursor != enter_ + 1) [[unlikely]] {
      differ(thread, leave);
      return false;
    }
    RepeatData& repeat = enter_->u.repeat;
    repeat.duration = leave - enter_->time;
    repeat.distance = static_cast<std::uint32_t>(enter_ - earlier_);
    store_head(enter_, EventType::Repeat, enter_->time);
    return true;
  }

  // Something else is to be recorded in the call.
  [[gnu::always_inline]] void differ_if_same(ThreadState& thread, std::uint64_t leave) noexcept {
    if (next_ != nullptr && place_ != nullptr) [[unlikely]] {
      differ(thread, leave);
    }
    next_ = nullptr;
  }

  // The whole call has been appended: later ones are compared with it.
  void keep(const ThreadState& thread) const noexcept;

 private:
  template <class Data>
  [[gnu::always_inline]] bool has(ThreadState& thread, EventType type, const Data& data, std::uint64_t leave,
                                  Data Event::Payload::*kind, std::uint64_t a, std::uint64_t b) noexcept {
    if (next_ == nullptr) {
      return false;
    }
    if (place_ == nullptr) {
      look_up(thread, type, a, b);
    }
    if (next_ != nullptr && next_->type == type && is_same(next_->u.*kind, data)) {
      ++next_;
      return true;
    }
    differ_if_same(thread, leave);
    return false;
  }

  // The first event after the Enter tells with which call to compare.
  [[gnu::always_inline]] void look_up(ThreadState& thread, EventType type, std::uint64_t a,
                                      std::uint64_t b) noexcept {
    a ^= static_cast<std::uint64_t>(type) << 56;
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U, kOther = 0xff51afd7ed558ccdU;
    constexpr int kBits = 10;
    static_assert(kRepeatedCalls == std::size_t{1} << kBits);
    place_ = thread.repeated_calls + (((site_ * kOdd ^ a) * kOther ^ b * kOdd) >> (64 - kBits));
    earlier_ = thread.begin + *place_;
    const bool known =
        earlier_ < enter_ && earlier_->type == EventType::Enter && word_of(earlier_->u.region, 0) == site_;
    next_ = known && thread.cursor == enter_ + 1 ? earlier_ + 1 : nullptr;
  }

  void differ(ThreadState& thread, std::uint64_t leave) noexcept;

  Event* enter_ = nullptr;
  std::uint64_t site_ = 0;          // region and call path
  const Event* earlier_ = nullptr;  // the Enter of that call
  const Event* next_ = nullptr;     // of its events; nullptr: this call is another one
  std::uint32_t* place_ = nullptr;  // where it is found; nullptr: not yet looked up
};

}  // namespace waitprof
