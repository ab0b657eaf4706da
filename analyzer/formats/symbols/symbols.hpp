// Code addresses -> functions, files and lines, from the binaries on this machine (elfutils libdw, offline,
// never over the network). A frame in inlined code is several functions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace waitdiag {

struct CodeFrame {
  std::string function{};           // readable
  std::string file{};               // where the function is defined; empty if unknown
  std::uint32_t function_line = 0;  // 0 if unknown
  std::uint32_t line = 0;           // being executed, 0 if unknown
};

class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // The functions at an address as linked, outermost first; empty when the module cannot be used or has no
  // name there. `build_id` in hex; empty: the file on disk is used without a check.
  const std::vector<CodeFrame>& frames(const std::string& module, const std::string& build_id,
                                       std::uint64_t address);

  struct Trouble {
    std::string module, reason;
  };
  const std::vector<Trouble>& troubles() const { return troubles_; }

 private:
  class Module;
  Module& module(const std::string& path, const std::string& build_id);

  std::map<std::pair<std::string, std::string>, std::unique_ptr<Module>> modules_;
  std::vector<Trouble> troubles_;
};

}  // namespace waitdiag
