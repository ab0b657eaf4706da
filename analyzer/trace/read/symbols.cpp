// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/read/symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

#include "analyzer/trace/read/readable_name.hpp"

namespace waitdiag {
namespace {

struct FreeScopes {
  void operator()(void* memory) const { std::free(memory); }
};
using Scopes = std::unique_ptr<Dwarf_Die[], FreeScopes>;

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::uint32_t number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? static_cast<std::uint32_t>(value)
                                                                         : 0;
}

std::string linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute))) return text;
  }
  return {};
}

// `die` is a function or an inlined one; the latter says everything about itself through its abstract origin.
CodeFrame describe(Dwarf_Die* die) {
  CodeFrame frame;
  const std::string symbol = linkage_name(die);
  frame.function = symbol.empty() ? text_or_empty(dwarf_diename(die)) : readable_name(symbol);
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line) == 0) {
    frame.function_line = static_cast<std::uint32_t>(line);
  }
  frame.file = text_or_empty(dwarf_decl_file(die));
  return frame;
}

std::string hex(const unsigned char* bytes, int size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

class Symbols::Module {
 public:
  // Throws nothing; trouble() says why a module cannot be used.
  Module(const std::string& path, const std::string& build_id) { open(path, build_id); }

  const std::string& trouble() const { return trouble_; }

  const std::vector<CodeFrame>& frames(std::uint64_t address) {
    const auto [known, is_new] = frames_.try_emplace(address);
    if (is_new && module_ != nullptr) known->second = find(address + bias_);
    return known->second;
  }

 private:
  struct EndDwfl {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };

  void open(const std::string& path, const std::string& build_id) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
      trouble_ = "gone";
      return;
    }
    static constexpr Dwfl_Callbacks kOffline{.find_elf = nullptr,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = nullptr};
    dwfl_.reset(dwfl_begin(&kOffline));
    Dwfl_Module* const reported = dwfl_report_offline(dwfl_.get(), path.c_str(), path.c_str(), -1);
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    GElf_Addr bias = 0;
    if (reported == nullptr || dwfl_module_getelf(reported, &bias) == nullptr) {
      trouble_ = "not readable";
      return;
    }
    const unsigned char* bytes = nullptr;
    GElf_Addr where = 0;
    const int size = dwfl_module_build_id(reported, &bytes, &where);
    if (!build_id.empty() && (size <= 0 || hex(bytes, size) != lower(build_id))) {
      trouble_ = "changed since the run";
      return;
    }
    module_ = reported;
    bias_ = bias;
  }

  std::vector<CodeFrame> find(Dwarf_Addr address) {
    std::vector<CodeFrame> frames = inline_chain(address);
    if (frames.empty()) {
      if (const char* symbol = dwfl_module_addrname(module_, address)) {
        frames.push_back({.function = readable_name(symbol), .line = line_at(address)});
      }
    }
    return frames;
  }

  std::uint32_t line_at(Dwarf_Addr address) {
    int line = 0;
    if (Dwfl_Line* const entry = dwfl_module_getsrc(module_, address)) {
      dwfl_lineinfo(entry, nullptr, &line, nullptr, nullptr, nullptr);
    }
    return static_cast<std::uint32_t>(std::max(line, 0));
  }

  // The function around an address and the ones inlined into it there, outermost first.
  std::vector<CodeFrame> inline_chain(Dwarf_Addr address) {
    std::vector<CodeFrame> frames;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &bias);
    if (unit == nullptr) return frames;
    Dwarf_Die* found = nullptr;
    if (dwarf_getscopes(unit, address - bias, &found) <= 0) return frames;
    const Scopes innermost(found);
    // dwarf_getscopes() leaves an inlined function through its definition; the caller's frames are its
    // parents.
    Dwarf_Die* parents = nullptr;
    const int count = dwarf_getscopes_die(&innermost[0], &parents);
    const Scopes scopes(parents);
    std::uint32_t line = line_at(address);  // in the scope at hand; its own call is a line of the next one
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      // Inlined wrappers that say so themselves (GCC's attribute "artificial") are part of their caller.
      const bool inlined = tag == DW_TAG_inlined_subroutine;
      if (!inlined || dwarf_hasattr_integrate(&scopes[i], DW_AT_artificial) == 0) {
        frames.push_back(describe(&scopes[i]));
        frames.back().line = line;
      }
      if (!inlined) break;
      line = number(&scopes[i], DW_AT_call_line);
    }
    std::erase_if(frames, [](const CodeFrame& frame) { return frame.function.empty(); });
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::string trouble_;
  std::unordered_map<std::uint64_t, std::vector<CodeFrame>> frames_;
};

// An analysis must not depend on the network: with this variable set, elfutils would ask debuginfo servers.
Symbols::Symbols() {
  ::unsetenv("DEBUGINFOD_URLS");
}
Symbols::~Symbols() = default;

Symbols::Module& Symbols::module(const std::string& path, const std::string& build_id) {
  std::unique_ptr<Module>& entry = modules_[{path, build_id}];
  if (entry == nullptr) {
    entry = std::make_unique<Module>(path, build_id);
    if (!entry->trouble().empty()) troubles_.push_back({path, entry->trouble()});
  }
  return *entry;
}

const std::vector<CodeFrame>& Symbols::frames(const std::string& path, const std::string& build_id,
                                              std::uint64_t address) {
  return module(path, build_id).frames(address);
}

}  // namespace waitdiag
