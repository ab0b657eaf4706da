// The messages of one collective operation: which member sends what to which, in which order.
//
// A schedule consists of rounds; in a round a member posts its receives and sends, then waits for all of
// them. Members are numbered as in the communicator.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace waitdiag {

struct Schedule {
  struct Message {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bytes = 0;
  };
  enum class Do : std::uint32_t { Send, Receive, Combine, EndRound };
  // What to do, and a number: that of the message, or of the bytes to combine (in units of kCombineUnit).
  static constexpr std::uint32_t kNumberBits = 30;
  static constexpr std::uint64_t kCombineUnit = 8;
  using Item = std::uint32_t;
  static Item item(Do what, std::uint64_t number) {
    return static_cast<std::uint32_t>(what) << kNumberBits | static_cast<std::uint32_t>(number);
  }
  static Do what(Item item) { return static_cast<Do>(item >> kNumberBits); }
  static std::uint32_t number(Item item) { return item & ((1u << kNumberBits) - 1); }

  std::vector<Message> messages;
  std::vector<Item> items;
  std::vector<std::uint32_t> first_item;  // by member, and one more
};

// What an algorithm tells its rounds to.
class Rounds {
 public:
  Rounds() = default;
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;
  virtual ~Rounds() = default;
  // In the current round: `from` sends `to` that many bytes. To itself: nothing.
  virtual void message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) = 0;
  // After the current round `member` combines that many bytes with its own (MPI_Reduce and the like).
  virtual void combine(std::uint32_t member, std::uint64_t bytes) = 0;
  virtual void end_round() = 0;
  // The next rounds are those of a part of the members, while other parts go through rounds of their own.
  virtual void part_by_part() {}
};

class ScheduleBuilder : public Rounds {
 public:
  explicit ScheduleBuilder(std::uint32_t members) : items_(members) {}
  void message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) override;
  void combine(std::uint32_t member, std::uint64_t bytes) override;
  void end_round() override;
  Schedule build();

 private:
  void touch(std::uint32_t member);

  std::vector<Schedule::Message> messages_;
  std::vector<std::vector<Schedule::Item>> items_;  // by member
  std::vector<std::uint32_t> touched_;              // in this round
  std::vector<std::pair<std::uint32_t, std::uint64_t>> combined_;
};

}  // namespace waitdiag
