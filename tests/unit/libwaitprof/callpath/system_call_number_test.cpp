// Reading a system call's number off the code before it: the forms that glibc 2.36 has, and what must not be
// guessed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <vector>

#include "libwaitprof/sampling/interrupted_call.hpp"

namespace waitprof {
namespace {

using Code = std::vector<unsigned char>;

long number_in(const Code& code) {
  return system_call_number_before(code.data() + code.size(), code.data());
}

TEST(SystemCallNumber, IsTheConstantRightBefore) {
  EXPECT_EQ(number_in({0xb8, 0xe6, 0, 0, 0, 0x0f, 0x05}), SYS_clock_nanosleep);
}

TEST(SystemCallNumber, MayBeFollowedByMovesOfArguments) {
  const Code pselect = {0xb8, 0x0e, 1, 0, 0, 0x8b, 0x7c, 0x24, 0x1c, 0x0f, 0x05};  // mov 0x1c(%rsp),%edi
  EXPECT_EQ(number_in(pselect), SYS_pselect6);
  const Code recvfrom = {0xb8, 0x2d, 0,    0,    0,    0x48, 0x8b, 0x54, 0x24,
                         0x10, 0x48, 0x8b, 0x74, 0x24, 0x08, 0x0f, 0x05};  // two 64-bit moves from the stack
  EXPECT_EQ(number_in(recvfrom), SYS_recvfrom);
  const Code futex = {0xb8, 0xca, 0, 0, 0, 0x40, 0x80, 0xf6, 0x80, 0x0f, 0x05};  // xor $0x80,%sil
  EXPECT_EQ(number_in(futex), SYS_futex);
  const Code with_constants =
      {0xb8, 0xca, 0,    0,    0,    0x81, 0xe6, 0x80, 0,    0,   0,
       0x45, 0x31, 0xd2, 0xba, 0xff, 0xff, 0xff, 0x7f, 0x0f, 0x05};  // and $0x80,%esi; xor %r10d,%r10d; mov
                                                                     // $0x7fffffff,%edx
  EXPECT_EQ(number_in(with_constants), SYS_futex);
}

TEST(SystemCallNumber, MayBeAClearedRegister) {
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x31, 0xc0, 0x0f, 0x05}), SYS_read);
}

TEST(SystemCallNumber, IsNotGuessed) {
  EXPECT_EQ(number_in({0x44, 0x89, 0xc8, 0x0f, 0x05}), -1);                             // mov %r9d,%eax
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x44, 0x89, 0xc8, 0x0f, 0x05}), -1);        // overwritten after
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x8b, 0x44, 0x24, 0x08, 0x0f, 0x05}), -1);  // loaded over
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0xeb, 0x02, 0x90, 0x90, 0x0f, 0x05}), -1);  // a jump between
  EXPECT_EQ(number_in({0xb8, 0x23, 0, 0, 0, 0x90}), -1);                                // no system call
  EXPECT_EQ(number_in({0x0f, 0x05}), -1);                                               // nothing before it
}

}  // namespace
}  // namespace waitprof
