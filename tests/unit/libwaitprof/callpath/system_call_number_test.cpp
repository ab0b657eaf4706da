// Reading a system call's number off the code before it: the forms that glibc 2.36 and 2.41 have, and what must not be
// guessed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <vector>

#include "libwaitprof/sampling/interrupted_call.hpp"

namespace waitprof {
namespace {

using Bytes = std::vector<unsigned char>;
using Stack = std::vector<long>;

long number_in(const Bytes& code, const Stack& stack = {SYS_pause, SYS_pause, SYS_pause}) {
  return system_call_number_before(code.data() + code.size(), {code.data(), code.data() + code.size()},
                                   stack.data());
}

TEST(SystemCallNumber, IsTheConstantRightBefore) {
  EXPECT_EQ(number_in({0xb8, 0xe6, 0, 0, 0, 0x0f, 0x05}), SYS_clock_nanosleep);
}

TEST(SystemCallNumber, MayBeFollowedByMovesOfArguments) {
  const Bytes pselect = {0xb8, 0x0e, 1, 0, 0, 0x8b, 0x7c, 0x24, 0x1c, 0x0f, 0x05};  // mov 0x1c(%rsp),%edi
  EXPECT_EQ(number_in(pselect), SYS_pselect6);
  const Bytes recvfrom = {0xb8, 0x2d, 0,    0,    0,    0x48, 0x8b, 0x54, 0x24,
                          0x10, 0x48, 0x8b, 0x74, 0x24, 0x08, 0x0f, 0x05};  // two 64-bit moves from the stack
  EXPECT_EQ(number_in(recvfrom), SYS_recvfrom);
  const Bytes futex = {0xb8, 0xca, 0, 0, 0, 0x40, 0x80, 0xf6, 0x80, 0x0f, 0x05};  // xor $0x80,%sil
  EXPECT_EQ(number_in(futex), SYS_futex);
  const Bytes with_constants =
      {0xb8, 0xca, 0,    0,    0,    0x81, 0xe6, 0x80, 0,    0,   0,
       0x45, 0x31, 0xd2, 0xba, 0xff, 0xff, 0xff, 0x7f, 0x0f, 0x05};  // and $0x80,%esi; xor %r10d,%r10d; mov
                                                                     // $0x7fffffff,%edx
  EXPECT_EQ(number_in(with_constants), SYS_futex);
}

TEST(SystemCallNumber, MayComeFromTheStack) {
  const Bytes load = {0x48, 0x8b, 0x44, 0x24, 0x10, 0x0f, 0x05};  // mov 0x10(%rsp),%rax
  EXPECT_EQ(number_in(load, {1, 2, SYS_clock_nanosleep}), SYS_clock_nanosleep);
}

// A function that makes any system call, and its only caller; `stack` as it is in the function.
class AnySystemCall : public testing::Test {
 protected:
  AnySystemCall() { stack_[0] = reinterpret_cast<long>(code_.data() + kAfterCall); }
  long number() const {
    return system_call_number_before(code_.data() + kAfterSyscall,
                                     {code_.data(), code_.data() + code_.size()}, stack_.data());
  }
  static constexpr std::size_t kAfterCall = 19, kFunction = 20, kAfterSyscall = 55;
  Bytes code_ = {0x48, 0x8b, 0x74, 0x24, 0x20,               // mov 0x20(%rsp),%rsi
                 0x49, 0x89, 0xd0,                           // mov %rdx,%r8
                 0x48, 0x89, 0xfa,                           // mov %rdi,%rdx
                 0x4c, 0x89, 0xdf,                           // mov %r11,%rdi
                 0xe8, 0x01, 0,    0,    0,                  // call
                 0xc3,                                       // ret
                 0x49, 0x89, 0xfb,                           // the function: mov %rdi,%r11
                 0x48, 0x89, 0xf0,                           // mov %rsi,%rax
                 0x48, 0x89, 0xd7, 0x48, 0x89, 0xce,         // mov %rdx,%rdi; mov %rcx,%rsi
                 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca,         // mov %r8,%rdx; mov %r9,%r10
                 0x4c, 0x8b, 0x44, 0x24, 0x08,               // mov 0x8(%rsp),%r8
                 0x4c, 0x8b, 0x4c, 0x24, 0x10,               // mov 0x10(%rsp),%r9
                 0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05};  // mov %r11,0x8(%rsp); syscall
  Stack stack_ = {0, 1, 2, 3, 4, SYS_clock_nanosleep, 6};
};

TEST_F(AnySystemCall, IsNumberedByItsCaller) {
  EXPECT_EQ(number(), SYS_clock_nanosleep);
}

TEST_F(AnySystemCall, IsNotGuessed) {
  code_[kAfterCall - 4] = 0x20;  // another function is called there
  EXPECT_EQ(number(), -1);
  code_[kAfterCall - 4] = 0x01;
  code_[6] = 0x8b, code_[7] = 0xf1;  // mov %r9,%rsi after the load
  EXPECT_EQ(number(), -1);
  stack_[0] = 0;  // called from elsewhere
  EXPECT_EQ(number(), -1);
}

TEST(SystemCallNumber, MayBeAClearedRegister) {
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x31, 0xc0, 0x0f, 0x05}), SYS_read);
}

TEST(SystemCallNumber, IsNotGuessed) {
  EXPECT_EQ(number_in({0x44, 0x89, 0xc8, 0x0f, 0x05}), -1);                       // mov %r9d,%eax
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x44, 0x89, 0xc8, 0x0f, 0x05}), -1);  // overwritten after
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x8b, 0x44, 0x24, 0x08, 0x0f, 0x05}),
            -1);  // loaded over, 32 bits
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0xeb, 0x02, 0x90, 0x90, 0x0f, 0x05}), -1);  // a jump between
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x90}), -1);                                // no system call
  EXPECT_EQ(number_in({0x0f, 0x05}), -1);                                               // nothing before it
}

}  // namespace
}  // namespace waitprof
