// Objects' hash tables say the same as the dynamic linker.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/defined_names.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

// For the program itself: its names are exported.
extern "C" int waitprof_test_function_of_the_program() {
  return 1;
}

namespace waitprof {
namespace {

struct Wanted {
  const char* path;
  std::vector<std::uint32_t> hashes;
  std::vector<bool> found;
  bool seen = false;
};

// Which of the names the object behind this path may have; nothing: it is not loaded.
std::vector<bool> of_object(const char* path, const std::vector<const char*>& names) {
  Wanted wanted{path, {}, {}};
  for (const char* name : names) wanted.hashes.push_back(hash_of_defined_name(name));
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& asked = *static_cast<Wanted*>(data);
        if (asked.seen || std::strcmp(info->dlpi_name, asked.path) != 0) return 0;
        asked.seen = true;
        const DefinedNames defined(*info);
        for (const std::uint32_t hash : asked.hashes) asked.found.push_back(defined.may_have(hash));
        return 0;
      },
      &wanted);
  return wanted.found;
}

const char* path_around(void* address) {
  Dl_info about{};
  return dladdr(address, &about) != 0 ? about.dli_fname : "";
}

TEST(DefinedNames, OfTheCLibrary) {
  void* const handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  const char* const path = path_around(dlsym(handle, "malloc"));
  EXPECT_EQ(of_object(path, {"malloc", "pthread_create", "open", "_exit", "MPI_Send", "mallod", ""}),
            (std::vector<bool>{true, true, true, true, false, false, false}));
  dlclose(handle);
}

TEST(DefinedNames, OfTheProgram) {
  EXPECT_EQ(of_object("", {"waitprof_test_function_of_the_program", "waitprof_test_function_of_nobody"}),
            (std::vector<bool>{true, false}));
}

// None is missed, and none is found that is not there.
TEST(DefinedNames, AsTheDynamicLinkerFindsThem) {
  void* const handle = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  const char* const path = path_around(dlsym(handle, "__cxa_throw"));
  std::vector<std::string> words;
  for (const char* first : {"_ZNSs", "_ZNSt", "_ZSt", "__cxa_", "_ZTI", "mem"})
    for (const char* second : {"throw", "rethrow", "4swapERSs", "9exceptionD1Ev", "9terminatev", "cpy"})
      words.push_back(std::string(first) + second);
  std::vector<const char*> names;
  for (const std::string& word : words) names.push_back(word.c_str());
  const std::vector<bool> found = of_object(path, names);
  ASSERT_EQ(found.size(), names.size());
  int defined = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    void* const function = dlsym(handle, names[i]);
    const bool here = function != nullptr && std::strcmp(path_around(function), path) == 0;
    EXPECT_EQ(found[i], here) << names[i];
    defined += here ? 1 : 0;
  }
  EXPECT_GE(defined, 5);
  dlclose(handle);
}

}  // namespace
}  // namespace waitprof
