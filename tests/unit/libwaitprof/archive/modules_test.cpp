// What this process has loaded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/modules.hpp"

#include <gmock/gmock.h>

#include <filesystem>

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

}  // namespace
}  // namespace waitprof::archive
