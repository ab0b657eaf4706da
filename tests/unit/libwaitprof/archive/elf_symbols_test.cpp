// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/elf_symbols.hpp"

#include <elf.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "libwaitprof/definitions/elf_notes.hpp"
#include "libwaitprof/definitions/modules.hpp"
#include "tests/support/temporary_directory.hpp"

extern "C" __attribute__((noinline)) int a_function_to_be_found(int number) {
  return number * 3 + 1;
}

namespace waitprof::archive {
namespace {

__attribute__((noinline)) int hidden_in_this_file(int number) {
  return a_function_to_be_found(number) + 2;
}

// This test program itself is the ELF file.
class ElfSymbolsTest : public ::testing::Test {
 protected:
  LoadedModules::Place place_of(int (*function)(int)) const {
    return loaded.find(reinterpret_cast<std::uintptr_t>(function));
  }
  const Module& module_of(int (*function)(int)) const { return loaded.modules()[place_of(function).module]; }

  const LoadedModules loaded = LoadedModules::of_this_process();
  const Module& self = module_of(a_function_to_be_found);
  const std::uint64_t start = place_of(a_function_to_be_found).offset;
};

TEST_F(ElfSymbolsTest, NamesTheFunctionAroundAnAddress) {
  const auto symbols = ElfSymbols::read(self.path, self.build_id);
  ASSERT_TRUE(symbols);
  for (const std::uint64_t address : {start, start + 3}) {
    const auto function = symbols->find(address);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->name, "a_function_to_be_found");
    EXPECT_EQ(function->start, start);
  }
  const auto hidden = symbols->find(place_of(hidden_in_this_file).offset);
  ASSERT_TRUE(hidden);
  EXPECT_THAT(std::string(hidden->name), ::testing::HasSubstr("hidden_in_this_file"));
}

TEST_F(ElfSymbolsTest, ListsFunctionsAndSaysWhatIsMentioned) {
  const auto symbols = ElfSymbols::read(self.path, self.build_id);
  ASSERT_TRUE(symbols);
  const auto functions = symbols->functions();
  const auto found = std::ranges::find(functions, "a_function_to_be_found", &ElfSymbols::Function::name);
  ASSERT_NE(found, functions.end());
  EXPECT_EQ(loaded.bias_of(place_of(a_function_to_be_found).module) + found->start,
            reinterpret_cast<std::uintptr_t>(&a_function_to_be_found));
  EXPECT_TRUE(symbols->mentions("a_function_to_be"));
  EXPECT_FALSE(symbols->mentions("a_function_nobody_wrote"));
}

TEST_F(ElfSymbolsTest, KnowsSystemLibraries) {
  const auto place = loaded.find(reinterpret_cast<std::uintptr_t>(&std::malloc));
  const Module& libc = loaded.modules()[place.module];
  const auto symbols = ElfSymbols::read(libc.path, libc.build_id);
  ASSERT_TRUE(symbols);
  const auto function = symbols->find(place.offset);
  ASSERT_TRUE(function);
  EXPECT_THAT(std::string(function->name), ::testing::HasSubstr("malloc"));
}

TEST_F(ElfSymbolsTest, RefusesAnotherBuildOfTheFile) {
  EXPECT_FALSE(ElfSymbols::read(self.path, "00" + self.build_id.substr(2)));
  EXPECT_FALSE(ElfSymbols::read("/nonexistent", ""));
  EXPECT_FALSE(ElfSymbols::read("/", ""));
}

// Without sections there are no names, but the unwind table still tells functions apart.
class StrippedElf : public ElfSymbolsTest {
 protected:
  StrippedElf() {
    std::string file = content_of(self.path);
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    header.e_shnum = 0;
    std::memcpy(file.data(), &header, sizeof header);
    write_file(tmp / "stripped", file);
    symbols = ElfSymbols::read(tmp / "stripped", self.build_id);
  }

  const TemporaryDirectory tmp;
  std::optional<ElfSymbols> symbols;
};

TEST_F(StrippedElf, StillTellsWhereFunctionsStart) {
  ASSERT_TRUE(symbols);
  const auto function = symbols->find(start + 3);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->name, "");
  EXPECT_EQ(function->start, start);
}

TEST_F(StrippedElf, StillTellsWhereMainIs) {
  const auto whole = ElfSymbols::read(self.path, self.build_id);
  ASSERT_TRUE(whole);
  const auto all = whole->functions();
  const auto main = std::ranges::find(all, "main", &ElfSymbols::Function::name);
  ASSERT_NE(main, all.end());
  ASSERT_TRUE(symbols);
  const auto function = symbols->find(main->start + 3);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->name, "main");
  EXPECT_EQ(function->start, main->start);
}

// A small program with everything that the reader reads: notes, dynamic symbols, unwind table.
constexpr char kSmallProgram[] = "/bin/true";

void read_and_look_up(const std::string& path) {
  if (const auto symbols = ElfSymbols::read(path, "")) {
    for (std::uint64_t address = 0; address < 0x10000; address += 0x100) {
      symbols->find(address);
    }
  }
}

TEST(DamagedElf, CutAnywhere) {
  const TemporaryDirectory tmp;
  const std::string file = content_of(kSmallProgram);
  for (std::size_t size = 0; size < file.size(); size += 1 + file.size() / 500) {
    write_file(tmp / "cut", file.substr(0, size));
    read_and_look_up(tmp / "cut");
  }
}

TEST(DamagedElf, WrongBytesInTheHeaders) {
  const TemporaryDirectory tmp;
  const std::string file = content_of(kSmallProgram);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::mt19937 random(1);
  const std::size_t sections = header.e_shnum * sizeof(Elf64_Shdr);
  for (int round = 0; round < 400; ++round) {
    std::string damaged = file;
    for (int flip = 0; flip < 4; ++flip) {
      // Program headers follow the file header, section headers are at the end.
      const std::size_t at = round % 2 == 0 ? random() % 1024 : header.e_shoff + random() % sections;
      damaged[at] = static_cast<char>(random());
    }
    write_file(tmp / "damaged", damaged);
    read_and_look_up(tmp / "damaged");
  }
}

TEST(BuildId, IsFoundBetweenOtherNotes) {
  const auto note = [](std::uint32_t type, const std::string& name, const std::string& description) {
    const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(description.size()),
                            type};
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes += name + std::string((4 - name.size() % 4) % 4, '\0');
    return bytes + description + std::string((4 - description.size() % 4) % 4, '\0');
  };
  const std::string gnu("GNU\0", 4);
  const std::string notes = note(1, "stapsdt", "x") + note(NT_GNU_ABI_TAG, gnu, "abcd") +
                            note(NT_GNU_BUILD_ID, gnu, "\x01\xab\xff");
  const auto bytes = std::as_bytes(std::span(notes));
  EXPECT_EQ(build_id_in_notes(bytes, 4), "01abff");
  for (std::size_t size = 0; size < notes.size() - 4; ++size) {
    EXPECT_EQ(build_id_in_notes(bytes.first(size), 4), "") << size;
  }
}

TEST(LoadedModules, PutUnknownCodeIntoOnePlace) {
  const LoadedModules loaded = LoadedModules::of_this_process();
  const int on_the_stack = 0;
  const auto place = loaded.find(reinterpret_cast<std::uintptr_t>(&on_the_stack));
  EXPECT_EQ(place.module, loaded.unknown());
  EXPECT_EQ(place.offset, 0U);
  EXPECT_EQ(loaded.modules()[place.module].path, "");
}

}  // namespace
}  // namespace waitprof::archive
