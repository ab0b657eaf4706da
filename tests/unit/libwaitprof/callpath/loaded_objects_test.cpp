// The table of loaded objects gives the same answers as glibc.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/loaded_objects.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/surroundings/readable_memory.hpp"

namespace waitprof {
namespace {

class LoadedObjects : public testing::Test {
 protected:
  LoadedObjects() { use_own_object_table(true); }
  ~LoadedObjects() override { use_own_object_table(std::getenv("WAITPROF_TEST_OBJECT_TABLE") != nullptr); }
};

std::vector<std::uintptr_t> some_addresses() {
  std::vector<std::uintptr_t> addresses{0, 1, UINTPTR_MAX, reinterpret_cast<std::uintptr_t>(&addresses)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD) {
            for (const std::uintptr_t at : {begin, begin + part.p_memsz / 2, begin + part.p_memsz - 1}) {
              static_cast<std::vector<std::uintptr_t>*>(data)->push_back(at);
            }
          }
        }
        return 0;
      },
      &addresses);
  return addresses;
}

std::uintptr_t function_of(void* plugin) {
  return reinterpret_cast<std::uintptr_t>(dlsym(plugin, "call_back_from_plugin"));
}

TEST_F(LoadedObjects, TheTableSaysWhatTheLoaderSays) {
  std::size_t found_count = 0;
  for (const std::uintptr_t address : some_addresses()) {
    LoadedObject object;
    Dl_info info{};
    void* map = nullptr;
    const bool loaded = dladdr1(reinterpret_cast<void*>(address), &info, &map, RTLD_DL_LINKMAP) != 0;
    ASSERT_EQ(find_loaded_object(address, object), loaded) << std::hex << address;
    if (loaded) {
      ++found_count;
      EXPECT_EQ(object.library, map);
      EXPECT_EQ(object.begin, reinterpret_cast<std::uintptr_t>(info.dli_fbase));
      EXPECT_LT(address, object.end);
      EXPECT_EQ(object.load_bias, object.library->l_addr);
      EXPECT_EQ(object.dynamic_section, object.library->l_ld);
      EXPECT_STREQ(object.path, object.library->l_name);
    }
  }
  EXPECT_GT(found_count, 10U);
}

TEST_F(LoadedObjects, WhatComesIsFoundOnceItIsNoted) {
  LoadedObject object;
  void* const plugin = dlopen(PLUGIN_A, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr);
  EXPECT_FALSE(find_loaded_object(function_of(plugin), object));
  note_loaded_objects();
  ASSERT_TRUE(find_loaded_object(function_of(plugin), object));
  EXPECT_NE(object.unwind_table, nullptr);
  dlclose(plugin);
}

// A change that was not noted: another object at the same place, or nothing.
TEST_F(LoadedObjects, WhatWentIsNotFound) {
  void* const plugin = dlopen(PLUGIN_A, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr);
  note_loaded_objects();
  LoadedObject object;
  const std::uintptr_t function = function_of(plugin);
  ASSERT_TRUE(find_loaded_object(function, object));
  dlclose(plugin);
  ASSERT_FALSE(can_be_read(function));
  EXPECT_FALSE(find_loaded_object(function, object));
  note_loaded_objects();
  EXPECT_FALSE(find_loaded_object(function, object));
}

// The same library at the same place again, not noted: the dynamic linker has freed its entry of the first
// one.
TEST_F(LoadedObjects, WhatCameBackNeedsNothingThatWasFreed) {
  void* first = dlopen(PLUGIN_A, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(first, nullptr);
  note_loaded_objects();
  LoadedObject before;
  ASSERT_TRUE(find_loaded_object(function_of(first), before));
  dlclose(first);
  std::vector<std::vector<char>> other_memory;
  for (std::size_t bytes = 16; bytes < 4096; bytes += 16) {
    other_memory.emplace_back(bytes, 'x');  // where the first one's entry was
  }
  void* const second = dlopen(PLUGIN_A, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(second, nullptr);
  Dl_info info{};
  void* map = nullptr;
  ASSERT_NE(dladdr1(reinterpret_cast<void*>(function_of(second)), &info, &map, RTLD_DL_LINKMAP), 0);
  if (reinterpret_cast<std::uintptr_t>(info.dli_fbase) != before.begin || map == before.library) {
    GTEST_SKIP() << "the dynamic linker did not put it there again with an entry of its own";
  }
  LoadedObject object;
  ASSERT_TRUE(find_loaded_object(function_of(second), object));
  EXPECT_EQ(object.dynamic_section, static_cast<link_map*>(map)->l_ld);
  EXPECT_STREQ(object.path, info.dli_fname);
  dlclose(second);
}

// Readers always find objects that stay loaded, however often the table is refilled.
TEST_F(LoadedObjects, ReadersNeedNoLock) {
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> asked{0}, missed{0};
  std::thread reader([&] {
    while (!done) {
      LoadedObject object;
      const bool found = find_loaded_object(reinterpret_cast<const void*>(&std::abort), object);
      missed += found ? 0 : 1;
      ++asked;
    }
  });
  while (asked == 0) {
    std::this_thread::yield();  // on a busy machine everything would be done before the reader begins
  }
  for (int i = 0; i < 300; ++i) {
    void* const plugin = dlopen(i % 2 == 0 ? PLUGIN_A : PLUGIN_B, RTLD_NOW | RTLD_LOCAL);
    note_loaded_objects();
    dlclose(plugin);
    note_loaded_objects();
  }
  done = true;
  reader.join();
  EXPECT_EQ(missed, 0U);
}

TEST(HandleOfLoaded, AsDlopenSaysOfLoadedLibraries) {
  for (const char* name : {"libc.so.6", "libstdc++.so.6", "libgomp.so.1", "libnobody.so.7", "libc.so"}) {
    void* const expected = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = handle_of_loaded(name);
    EXPECT_EQ(found, expected) << name;
    for (void* handle : {expected, found})
      if (handle != nullptr) dlclose(handle);
  }
}

}  // namespace
}  // namespace waitprof
