// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "analyzer/formats/symbols/debug_scopes.hpp"
#include "analyzer/formats/symbols/member_name.hpp"
#include "analyzer/formats/symbols/readable_name.hpp"

namespace waitdiag {
namespace {

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::uint32_t number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? static_cast<std::uint32_t>(value)
                                                                         : 0;
}

// Where a function is defined, or an inlined one called. (Clang numbers files from 0 on, which
// dwarf_decl_file() takes for none in elfutils 0.188.)
std::string file_in(Dwarf_Attribute* attribute) {
  Dwarf_Word number = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(attribute, &number) != 0 ||
      dwarf_cu_die(attribute->cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr ||
      dwarf_getsrcfiles(&unit, &files, nullptr) != 0)
    return {};
  return text_or_empty(dwarf_filesrc(files, number, nullptr, nullptr));
}

// Where a function continues: the call in it, or the address.
struct Position {
  std::string file;
  std::uint32_t line = 0;
};

std::string name_of(DebugScopes::Function& function, MemberNames& members) {
  if (const std::string symbol = linkage_name(&function.die); !symbol.empty()) return readable_name(symbol);
  const std::string name = text_or_empty(dwarf_diename(&function.die));
  if (function.module != nullptr) return std::string(function.module) + "::" + name;
  const std::string& member = members.name_of(function.die);
  return member.empty() ? name : member;
}

// `die` is a function or an inlined one; the latter says everything about itself through its abstract origin.
// Without its definition (Clang's -g1), the position where it continues is used.
CodeFrame describe(DebugScopes::Function& function, const Position& position, MemberNames& members) {
  Dwarf_Die* const die = &function.die;
  CodeFrame frame;
  frame.function = name_of(function, members);
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line) == 0) {
    frame.function_line = static_cast<std::uint32_t>(line);
  }
  const bool declared = dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) != nullptr;
  frame.file = declared ? file_in(&attribute) : position.file;
  frame.line = position.line;
  return frame;
}

bool is_lambda(DebugScopes::Function& function) {
  return text_or_empty(dwarf_diename(&function.die)) == "operator()";
}

Position call_of(Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  const bool has_file = dwarf_attr(inlined, DW_AT_call_file, &attribute) != nullptr;
  return {has_file ? file_in(&attribute) : "", number(inlined, DW_AT_call_line)};
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
    if (!scopes_) scopes_.emplace(module_);
    DebugScopes::Place place = scopes_->find(address);
    std::vector<CodeFrame> frames = inline_chain(place);
    if (frames.empty()) {
      if (const char* symbol = dwfl_module_addrname(module_, address)) {
        frames.push_back({.function = readable_name(symbol), .file = place.file, .line = place.line});
      }
    }
    return frames;
  }

  // Outermost first.
  std::vector<CodeFrame> inline_chain(DebugScopes::Place& place) {
    std::vector<CodeFrame> frames;
    Position position{place.file, place.line};
    for (DebugScopes::Function& function : place.functions) {
      // Inlined wrappers that say so themselves (GCC's attribute "artificial") are part of their caller. GCC
      // marks lambdas in the same way, but these are the user's.
      const bool inlined = dwarf_tag(&function.die) == DW_TAG_inlined_subroutine;
      const bool artificial = dwarf_hasattr_integrate(&function.die, DW_AT_artificial) != 0;
      if (!inlined || !artificial || is_lambda(function))
        frames.push_back(describe(function, position, members_));
      if (inlined && artificial && is_lambda(function) && frames.back().function == "operator()")
        frames.back().function = "{lambda}";  // of what is not known where types are left out (-g1)
      if (inlined) position = call_of(&function.die);
    }
    std::erase_if(frames, [](const CodeFrame& frame) { return frame.function.empty(); });
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  Dwfl_Module* module_ = nullptr;
  std::optional<DebugScopes> scopes_;
  MemberNames members_;
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
