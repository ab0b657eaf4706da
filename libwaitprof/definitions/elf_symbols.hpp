// The function names in an ELF file: .symtab, else .dynsym, and for stripped code the function starts in the
// unwind table, and main(). Small on purpose: it runs inside the application (at MPI_Finalize), where libdw would be too
// much. Files and lines are found after the run by the analyser.
//
// Every offset and length in the file is checked: a damaged or strange file gives fewer names, nothing worse.
// The file is read, not mapped: a mapped file that shrinks would kill the application.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waitprof::archive {

class ElfSymbols {
 public:
  struct Function {
    std::string_view name;    // mangled; empty: the function's start is known, its name is not
    std::uint64_t start = 0;  // address as linked
  };

  // nullopt: not readable, not ELF for this machine, or not the file with this build id ("": any).
  static std::optional<ElfSymbols> read(const std::string& path, const std::string& build_id);

  // All functions that have a symbol, one for each start address.
  std::vector<Function> functions() const;
  // Whether the text occurs in a name of the symbol table, including symbols that are defined elsewhere. (It
  // need not begin a name: linkers store a name that is the tail of another one only as that tail.)
  bool mentions(std::string_view text) const;

  // The function that contains an address (as linked).
  std::optional<Function> find(std::uint64_t address) const;

 private:
  friend class ElfFile;
  struct Symbol {
    std::uint64_t start = 0, end = 0;
    std::uint32_t name = 0;  // offset in names_
    std::uint8_t rank = 0;   // among aliases: lower is the better name
  };
  void sort();
  const Symbol* last_symbol_at_or_before(std::uint64_t address) const;
  bool has_symbol_at(std::uint64_t address) const;

  std::vector<Symbol> symbols_;               // by start, one per start
  std::vector<std::uint64_t> unwind_starts_;  // function starts of the unwind table, sorted
  std::vector<char> names_;                   // ends with a zero
};

}  // namespace waitprof::archive
