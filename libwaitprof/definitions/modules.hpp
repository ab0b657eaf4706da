// The executable and shared objects of this process: address -> module and offset in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

class LoadedModules {
 public:
  struct Segment {
    std::uintptr_t begin = 0, end = 0, bias = 0;
    std::uint32_t module = 0;
  };
  LoadedModules(std::vector<Module> modules, std::vector<Segment> segments);

  // Where the file of a module is; "": this rank does not look at its code.
  using PathOf = std::string (*)(const dl_phdr_info& module);
  static std::string loaded_path(const dl_phdr_info& module);

  // The modules that are loaded now. Code of a module that was unloaded before is found in no module.
  static LoadedModules of_this_process(PathOf path_of = loaded_path);
  // And those that were unloaded after their code was seen on a call path, unless another one was there, too: then
  // nobody knows whose code it was.
  static LoadedModules of_this_process_so_far();

  struct Place {
    std::uint32_t module = 0;
    std::uint64_t offset = 0;
  };
  // All code in no known module is at offset 0 of the nameless module: its addresses mean nothing in another
  // run.
  Place find(std::uintptr_t address) const;

  CodePlace code_place(std::uintptr_t address) const;

  // Address minus address as linked, in a module with code.
  std::uintptr_t bias_of(std::uint32_t module) const;

  // The last one is the nameless module, for code that is in no other.
  const std::vector<Module>& modules() const { return modules_; }
  std::uint32_t unknown() const { return static_cast<std::uint32_t>(modules_.size() - 1); }

 private:
  std::vector<Module> modules_;
  std::vector<Segment> segments_;  // by begin
};

// Adds call paths, parents before their children, to definitions that have none yet.
class CallPathAdder {
 public:
  CallPathAdder(const LoadedModules& loaded, Definitions& definitions)
      : loaded_(loaded), definitions_(definitions) {}
  void add(const CallPathNode& node);

 private:
  const LoadedModules& loaded_;
  Definitions& definitions_;
  std::unordered_map<std::uintptr_t, std::uint32_t> places_;  // by address of the instruction
};

}  // namespace waitprof::archive
