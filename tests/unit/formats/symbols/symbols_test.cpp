// Functions, files and lines of this very test program, inlined ones included.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/symbols.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>
#include <fstream>

namespace waitdiag {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// The address of the call instruction in the caller (one before the return address), relative to where it was
// linked.
[[gnu::noinline]] std::uint64_t call_address() {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uint64_t*>(to) = info->dlpi_addr;
        return 1;  // the first one is the program itself
      },
      &bias);
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - 1 - bias;
}

constexpr std::uint32_t kEosLine = __LINE__ + 1;
[[gnu::always_inline]] inline std::uint64_t eos_match() {
  return call_address() + 0;
}

[[gnu::noinline]] std::uint64_t solve() {
  const std::uint64_t address = eos_match();
  asm volatile("");  // no tail call
  return address;
}

// A lambda is code of the user, though GCC marks its operator as artificial.
[[gnu::noinline]] std::uint64_t call_in_lambda() {
  std::uint64_t address = 0;
  const auto ask = [&address]() __attribute__((always_inline)) {
    address = call_address() + 0;
  };
  ask();
  return address;
}

// Its operator is a function of its own, which no other file knows.
[[gnu::noinline]] std::uint64_t call_far_lambda() {
  std::uint64_t address = 0;
  const auto ask = [&address]() __attribute__((noinline)) {
    address = call_address() + 0;
  };
  ask();
  return address;
}

[[gnu::noinline]] std::uint64_t call_local_member() {
  struct Cell {
    [[gnu::noinline]] std::uint64_t relax() const { return call_address() + 0; }
  };
  return Cell{}.relax() + 0;
}

// As this project writes it where GCC gives no symbol, or as GCC and Clang demangle the symbol.
auto is_lambda_of(const std::string& function) {
  return MatchesRegex(".*" + function +
                      "(::\\{lambda\\}|\\(\\)::(\\{lambda\\(\\)#1\\}|\\$_[0-9]+)::operator\\(\\).*)");
}

std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

TEST(Symbols, NamesInlinedFunctionsToo) {
  Symbols symbols;
  const std::vector<CodeFrame>& frames = symbols.frames(this_program(), "", solve());
  ASSERT_THAT(frames, SizeIs(2));
  EXPECT_THAT(frames[0].function, EndsWith("solve"));  // of Clang with its namespaces
  EXPECT_THAT(frames[1].function, EndsWith("eos_match"));
  EXPECT_THAT(frames[1].file, EndsWith("tests/unit/formats/symbols/symbols_test.cpp"));
  EXPECT_THAT(frames[1].function_line, AnyOf(kEosLine, 0u));  // 0: -g1 of Clang
  EXPECT_EQ(frames[1].line, kEosLine + 1);
  EXPECT_EQ(frames[0].line, kEosLine + 5);
  EXPECT_THAT(symbols.troubles(), IsEmpty());
}

#ifdef WAITPROF_HAS_FORTRAN

extern "C" void sweep(void (*visit)()) __asm__("__grid_MOD_sweep");

struct Visit {
  std::string module;
  std::uint64_t address = 0;
};
std::vector<Visit> visits;

[[gnu::noinline]] void note_visit() {
  void* const address = static_cast<char*>(__builtin_return_address(0)) - 1;
  Dl_info module{};
  dladdr(address, &module);
  visits.push_back({module.dli_fname, static_cast<std::uint64_t>(static_cast<char*>(address) -
                                                                 static_cast<char*>(module.dli_fbase))});
}

TEST(Symbols, FindsProceduresOfFortranModulesAndThoseInsideOfThem) {
  visits.clear();
  sweep(note_visit);
  ASSERT_THAT(visits, SizeIs(3));
  Symbols symbols;
  const auto frames_of = [&](const Visit& visit) { return symbols.frames(visit.module, "", visit.address); };
  const std::vector<CodeFrame> inlined = frames_of(visits[0]);
  ASSERT_THAT(inlined, SizeIs(2));
  EXPECT_EQ(inlined[0].function, "grid::sweep");
  EXPECT_EQ(inlined[0].function_line, 19u);
  EXPECT_EQ(inlined[0].line, 21u);
  EXPECT_EQ(inlined[1].function, "grid::smooth");
  EXPECT_EQ(inlined[1].line, 15u);
  for (const Visit& visit : visits) {
    const std::vector<CodeFrame> frames = frames_of(visit);
    ASSERT_THAT(frames, ::testing::Not(IsEmpty()));
    for (const CodeFrame& frame : frames)
      EXPECT_THAT(frame.file, EndsWith("tests/unit/formats/symbols/procedures.f90"));
  }
  EXPECT_EQ(frames_of(visits[1]).back().function, "twist");
  EXPECT_EQ(frames_of(visits[1]).back().line, 26u);
}

#endif

TEST(Symbols, NamesInlinedLambdas) {
  Symbols symbols;
  const std::vector<CodeFrame>& frames = symbols.frames(this_program(), "", call_in_lambda());
  ASSERT_THAT(frames, SizeIs(2));
  EXPECT_THAT(frames[0].function, EndsWith("call_in_lambda"));
  EXPECT_THAT(frames[1].function, is_lambda_of("call_in_lambda"));
}

TEST(Symbols, SaysWhichFunctionALambdaOrALocalClassBelongsTo) {
  Symbols symbols;
  const std::vector<CodeFrame>& lambda = symbols.frames(this_program(), "", call_far_lambda());
  ASSERT_THAT(lambda, SizeIs(1));
  EXPECT_THAT(lambda[0].function, is_lambda_of("call_far_lambda"));
  const std::vector<CodeFrame>& member = symbols.frames(this_program(), "", call_local_member());
  ASSERT_THAT(member, SizeIs(1));
  EXPECT_THAT(member[0].function, MatchesRegex(".*call_local_member(\\(\\))?::Cell::relax.*"));
}

TEST(Symbols, AFileWithAnotherBuildIdIsNotBelieved) {
  Symbols symbols;
  EXPECT_THAT(symbols.frames(this_program(), "00112233", solve()), IsEmpty());
  EXPECT_THAT(symbols.frames(this_program(), "00112233", solve() + 1), IsEmpty());
  ASSERT_THAT(symbols.troubles(), SizeIs(1));
  EXPECT_EQ(symbols.troubles()[0].module, this_program());
  EXPECT_EQ(symbols.troubles()[0].reason, "changed since the run");
}

TEST(Symbols, SaysWhichModulesAreGoneOrStrange) {
  const std::filesystem::path strange = std::filesystem::path(::testing::TempDir()) / "no_elf_file";
  std::ofstream(strange) << "this is not a program";
  Symbols symbols;
  EXPECT_THAT(symbols.frames("/nowhere/solver", "", 0x1234), IsEmpty());
  EXPECT_THAT(symbols.frames(strange.string(), "", 0x1234), IsEmpty());
  ASSERT_THAT(symbols.troubles(), SizeIs(2));
  EXPECT_EQ(symbols.troubles()[0].reason, "gone");
  EXPECT_EQ(symbols.troubles()[1].reason, "not readable");
  std::filesystem::remove(strange);
}

TEST(Symbols, AnAddressOutsideTheCodeHasNoName) {
  Symbols symbols;
  EXPECT_THAT(symbols.frames(this_program(), "", 0xffff'ffff'0000), IsEmpty());
}

TEST(Symbols, NeverAsksTheNetwork) {
  ::setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9", 1);
  const Symbols symbols;
  EXPECT_EQ(::getenv("DEBUGINFOD_URLS"), nullptr);
}

}  // namespace
}  // namespace waitdiag
