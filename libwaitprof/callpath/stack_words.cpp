// See stack_words.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/stack_words.hpp"

#include "libwaitprof/callpath/frame_rules.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/callpath/loaded_code.hpp"
#include "libwaitprof/surroundings/readable_memory.hpp"

namespace waitprof {
namespace {

class Walk {
 public:
  // Starts at a call that returns to `return_address`; the frames above it begin at `frame`.
  Walk(std::uintptr_t frame, std::uintptr_t return_address, const std::uintptr_t* frame_pointer,
       StackWords& words) noexcept
      : frame_(frame),
        return_address_(return_address),
        frame_pointer_place_(reinterpret_cast<std::uintptr_t>(frame_pointer)),
        words_(words) {
    words_.count = 0;
    words_.unloadable = false;
  }

  enum class Step : std::uint8_t { Up, Outermost, Failed };

  // To the frame of the function's caller.
  Step up() noexcept {
    FrameRule rule;
    if (!find_frame_rule(return_address_, rule)) return Step::Failed;
    words_.unloadable = words_.unloadable || !stays_loaded(return_address_);
    if (rule.outermost) return Step::Outermost;
    std::uintptr_t cfa = 0;
    if (!find_cfa(rule, cfa) || cfa <= frame_ || cfa % sizeof(std::uintptr_t) != 0) return Step::Failed;
    if (!read(cfa + static_cast<std::uintptr_t>(rule.return_address_offset), return_address_))
      return Step::Failed;
    if (!follow_frame_pointer(rule, cfa)) return Step::Failed;
    frame_ = cfa;
    return return_address_ == 0 ? Step::Outermost : Step::Up;
  }

  std::uintptr_t return_address() const noexcept { return return_address_; }

 private:
  bool find_cfa(const FrameRule& rule, std::uintptr_t& cfa) noexcept {
    const auto offset = static_cast<std::uintptr_t>(rule.cfa_offset);
    if (rule.cfa == FrameRule::Cfa::StackPointer) {
      cfa = frame_ + offset;
      return true;
    }
    if (!use_frame_pointer()) return false;
    cfa = frame_pointer_ + offset;
    return rule.cfa == FrameRule::Cfa::FramePointer || read(cfa, cfa);
  }

  // Its value matters only when a frame depends on it.
  bool use_frame_pointer() noexcept {
    if (!frame_pointer_used_) frame_pointer_used_ = read(frame_pointer_place_, frame_pointer_);
    return frame_pointer_used_;
  }

  bool follow_frame_pointer(const FrameRule& rule, std::uintptr_t cfa) noexcept {
    if (rule.frame_pointer == FrameRule::FramePointer::InRegister) return true;
    const auto offset = static_cast<std::uintptr_t>(rule.frame_pointer_offset);
    if (rule.frame_pointer == FrameRule::FramePointer::AtFramePointer) {
      if (!use_frame_pointer()) return false;
      cfa = frame_pointer_;
    }
    frame_pointer_place_ = cfa + offset;
    frame_pointer_used_ = false;
    return true;
  }

  bool read(std::uintptr_t place, std::uintptr_t& value) noexcept {
    constexpr std::uintptr_t kPage = 4096;
    if (words_.count == StackWords::kMost || place % sizeof(std::uintptr_t) != 0) return false;
    if (place / kPage != readable_page_ && !can_be_read(place)) return false;
    readable_page_ = place / kPage;
    const auto* const word = reinterpret_cast<const std::uintptr_t*>(place);
    value = *word;
    words_.words[words_.count++] = {word, value};
    return true;
  }

  std::uintptr_t frame_;
  std::uintptr_t return_address_;
  std::uintptr_t frame_pointer_place_;  // the frame pointer register of the function's caller is kept there
  std::uintptr_t frame_pointer_ = 0;
  bool frame_pointer_used_ = false;
  std::uintptr_t readable_page_ = UINTPTR_MAX;
  StackWords& words_;
};

}  // namespace

bool explain_walk(const Caller& caller, const std::uintptr_t* frame_pointer, std::span<void* const> stack,
                  bool complete, StackWords& words) noexcept {
  Walk walk(reinterpret_cast<std::uintptr_t>(caller.frame), caller.return_address(), frame_pointer, words);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (walk.return_address() != reinterpret_cast<std::uintptr_t>(stack[i])) return false;
    const bool last = i + 1 == stack.size();
    if (last && !complete) return words.count > 0;
    const Walk::Step step = walk.up();
    if (step == Walk::Step::Failed || (step == Walk::Step::Outermost) != last) return false;
  }
  return words.count > 0;
}

void walk_interrupted(const ucontext_t& context, InterruptedStack& stack) noexcept {
  const auto& registers = context.uc_mcontext.gregs;
  const auto instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
  // The rule for the instruction itself is that of a call which ends right after its first byte.
  Walk walk(static_cast<std::uintptr_t>(registers[REG_RSP]), instruction + 1,
            reinterpret_cast<const std::uintptr_t*>(&registers[REG_RBP]), stack.words);
  stack.frames[0] = reinterpret_cast<void*>(instruction);
  stack.count = 1;
  Walk::Step step = Walk::Step::Up;
  while (stack.count < stack.frames.size() && (step = walk.up()) == Walk::Step::Up)
    stack.frames[stack.count++] = reinterpret_cast<void*>(walk.return_address());
  stack.complete = step == Walk::Step::Outermost;
}

}  // namespace waitprof
