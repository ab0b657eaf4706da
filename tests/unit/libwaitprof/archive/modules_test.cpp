// What this process has loaded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/modules.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>

#include "libwaitprof/crash_safe/seen_modules.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

namespace fs = std::filesystem;

std::string path_of(const std::string& name) {
  dl_phdr_info info{};
  info.dlpi_name = name.c_str();
  return LoadedModules::loaded_path(info);
}

class ModulePaths : public ::testing::Test {
 protected:
  ModulePaths() {
    fs::create_directories(tmp / "real/deeper");
    write_file(tmp / "real/lib.so.1.2", "");
    fs::create_symlink("lib.so.1.2", tmp / "real/lib.so.1");
    fs::create_symlink("lib.so.1", tmp / "real/lib.so");
    fs::create_symlink("real", tmp / "link");
    fs::create_symlink("../lib.so", tmp / "real/deeper/lib.so");
    real = fs::canonical(tmp / "real/lib.so.1.2");
  }
  const TemporaryDirectory tmp;
  std::string real;
};

TEST_F(ModulePaths, AreThoseOfFilesWhateverTheLinks) {
  for (const char* name : {"real/lib.so.1.2", "real/lib.so.1", "real/lib.so", "link/lib.so.1", "link/lib.so",
                           "link/deeper/lib.so", "real/deeper/../lib.so", "link/./lib.so.1.2"}) {
    EXPECT_EQ(path_of(tmp / name), real) << name;
  }
}

TEST_F(ModulePaths, OfWhatIsNoFileOrHasNoDirectory) {
  EXPECT_EQ(path_of(tmp / "link/removed.so"), fs::path(real).replace_filename("removed.so"));
  EXPECT_EQ(path_of("linux-vdso.so.1"), "linux-vdso.so.1");
  EXPECT_EQ(path_of(""), fs::canonical("/proc/self/exe"));
}

#ifdef PLUGIN_A

// The address of a function in it, which was seen while it was loaded.
std::uintptr_t seen_in_unloaded(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto function = reinterpret_cast<std::uintptr_t>(dlsym(plugin, "call_back_from_plugin"));
  see_module_of(function);
  dlclose(plugin);
  return function;
}

TEST(Modules, ThatWereUnloadedAreKnownIfTheirCodeWasSeen) {
  const std::uintptr_t function = seen_in_unloaded(PLUGIN_A);
  const LoadedModules now = LoadedModules::of_this_process();
  EXPECT_EQ(now.find(function).module, now.unknown());
  const LoadedModules so_far = LoadedModules::of_this_process_so_far();
  const auto [module, offset] = so_far.find(function);
  EXPECT_EQ(so_far.modules()[module].path, fs::canonical(PLUGIN_A));
  EXPECT_FALSE(so_far.modules()[module].build_id.empty());

  // Another one at the same place: nobody knows whose code it was.
  const std::uintptr_t other = seen_in_unloaded(PLUGIN_B);
  const LoadedModules both = LoadedModules::of_this_process_so_far();
  const bool same_place = other / 4096 == function / 4096;
  EXPECT_EQ(both.find(other).module == both.unknown(), same_place);
  EXPECT_EQ(both.find(function).module == both.unknown(), same_place);
}

#endif

}  // namespace
}  // namespace waitprof::archive
