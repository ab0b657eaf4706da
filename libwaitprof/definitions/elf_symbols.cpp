// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/elf_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>

#include "libwaitprof/definitions/elf_notes.hpp"

namespace waitprof::archive {

// One open ELF file: checked reads of its parts.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat facts {};
    if (descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) {
      size_ = static_cast<std::uint64_t>(facts.st_size);
    }
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  bool read_headers();
  std::string build_id() const;
  void read_symbols(ElfSymbols& into) const;
  void read_unwind_starts(ElfSymbols& into) const;
  void read_main(ElfSymbols& into) const;

 private:
  template <typename T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t bytes) const;
  bool read_symbol_table(const Elf64_Shdr& table, ElfSymbols& into) const;
  std::optional<std::uint64_t> main_given_at_entry() const;

  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t entry_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

namespace {

bool for_this_machine(const Elf64_Ehdr& header) {
  constexpr unsigned char kByteOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == kByteOrder;
}

// Among aliases, prefer the exported name, which other modules call as well, then the plain one.
std::uint8_t name_rank(unsigned char info) {
  switch (ELF64_ST_BIND(info)) {
    case STB_GLOBAL:
      return 0;
    case STB_WEAK:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

template <typename T>
std::vector<T> ElfFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > size_ || bytes > size_ - offset) {
    return {};
  }
  std::vector<T> data(bytes / sizeof(T));
  const std::uint64_t wanted = data.size() * sizeof(T);
  std::uint64_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(descriptor_, reinterpret_cast<char*>(data.data()) + done, wanted - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return {};
    }
    done += static_cast<std::uint64_t>(got);
  }
  return data;
}

bool ElfFile::read_headers() {
  const auto header = read<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  if (header.empty() || !for_this_machine(header[0])) {
    return false;
  }
  entry_ = header[0].e_entry;
  if (header[0].e_phentsize == sizeof(Elf64_Phdr)) {
    segments_ = read<Elf64_Phdr>(header[0].e_phoff, header[0].e_phnum * sizeof(Elf64_Phdr));
  }
  if (header[0].e_shentsize == sizeof(Elf64_Shdr)) {
    sections_ = read<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  }
  return true;
}

std::string ElfFile::build_id() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_NOTE) {
      std::string id =
          build_id_in_notes(read<std::byte>(segment.p_offset, segment.p_filesz), segment.p_align);
      if (!id.empty()) {
        return id;
      }
    }
  }
  return "";
}

bool ElfFile::read_symbol_table(const Elf64_Shdr& table, ElfSymbols& into) const {
  if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= sections_.size()) {
    return false;
  }
  const Elf64_Shdr& strings = sections_[table.sh_link];
  const auto symbols = read<Elf64_Sym>(table.sh_offset, table.sh_size);
  into.names_ = read<char>(strings.sh_offset, strings.sh_size);
  into.names_.push_back('\0');
  for (const Elf64_Sym& symbol : symbols) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool code = type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol.st_size > 0);
    if (code && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
        symbol.st_name < into.names_.size() && symbol.st_value + symbol.st_size >= symbol.st_value) {
      into.symbols_.push_back(
          {symbol.st_value, symbol.st_value + symbol.st_size, symbol.st_name, name_rank(symbol.st_info)});
    }
  }
  return !into.symbols_.empty();
}

void ElfFile::read_symbols(ElfSymbols& into) const {
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == type && read_symbol_table(section, into)) {
        into.sort();
        return;
      }
    }
  }
}

// .eh_frame_hdr: a table of (function start, unwind entry) pairs, made for binary search. Only the encoding
// all linkers write is read: 32-bit numbers relative to the table.
void ElfFile::read_unwind_starts(ElfSymbols& into) const {
  constexpr unsigned char kUdata4 = 0x03, kDataRelativeSdata4 = 0x3b;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_GNU_EH_FRAME) {
      continue;
    }
    const auto table = read<std::int32_t>(segment.p_offset, segment.p_filesz);
    if (table.size() < 3) {
      continue;
    }
    unsigned char encodings[4];  // version, frame pointer, count, table
    std::memcpy(encodings, table.data(), sizeof encodings);
    if (encodings[0] != 1 || encodings[2] != kUdata4 || encodings[3] != kDataRelativeSdata4) {
      continue;
    }
    const auto entries = std::span(table).subspan(3);
    const std::size_t count = std::min<std::size_t>(static_cast<std::uint32_t>(table[2]), entries.size() / 2);
    for (std::size_t entry = 0; entry < count; ++entry) {
      into.unwind_starts_.push_back(segment.p_vaddr +
                                    static_cast<std::uint64_t>(std::int64_t{entries[2 * entry]}));
    }
    std::sort(into.unwind_starts_.begin(), into.unwind_starts_.end());
  }
}

// A stripped program still says where its main() is: the code at its entry hands that address to the C library,
// in the register of the first argument.
void ElfFile::read_main(ElfSymbols& into) const {
  const std::optional<std::uint64_t> start = main_given_at_entry();
  const bool known = start && std::ranges::binary_search(into.unwind_starts_, *start);
  if (!known || into.has_symbol_at(*start)) {
    return;
  }
  constexpr std::string_view kMain("main", sizeof "main");
  const auto name = static_cast<std::uint32_t>(into.names_.size());
  into.names_.insert(into.names_.end(), kMain.begin(), kMain.end());
  into.symbols_.push_back({*start, *start, name, 0});
  into.sort();
}

std::optional<std::uint64_t> ElfFile::main_given_at_entry() const {
#if defined(__x86_64__)
  constexpr std::uint64_t kBytesOfStart = 48, kLength = 7;
  constexpr std::string_view kLoad("\x48\x8d\x3d", 3),
      kMove("\x48\xc7\xc7", 3);  // lea N(%rip), %rdi; mov $N, %rdi
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || entry_ < segment.p_vaddr ||
        entry_ - segment.p_vaddr >= segment.p_filesz) {
      continue;
    }
    const auto bytes = read<char>(segment.p_offset + (entry_ - segment.p_vaddr), kBytesOfStart);
    const std::string_view code(bytes.data(), bytes.size());
    const std::size_t at = std::min(code.find(kLoad), code.find(kMove));
    if (at == std::string_view::npos || code.size() - at < kLength) {
      return std::nullopt;
    }
    std::int32_t number = 0;
    std::memcpy(&number, code.data() + at + kLoad.size(), sizeof number);
    const std::uint64_t from = code.substr(at).starts_with(kLoad) ? entry_ + at + kLength : 0;
    return from + static_cast<std::uint64_t>(std::int64_t{number});
  }
#endif
  return std::nullopt;
}

std::optional<ElfSymbols> ElfSymbols::read(const std::string& path, const std::string& build_id) {
  ElfFile file(path);
  if (!file.read_headers() || (!build_id.empty() && file.build_id() != build_id)) {
    return std::nullopt;
  }
  ElfSymbols symbols;
  file.read_symbols(symbols);
  file.read_unwind_starts(symbols);
  file.read_main(symbols);
  return symbols;
}

void ElfSymbols::sort() {
  std::sort(symbols_.begin(), symbols_.end(), [this](const Symbol& a, const Symbol& b) {
    if (a.start != b.start) {
      return a.start < b.start;
    }
    if (a.rank != b.rank) {
      return a.rank < b.rank;
    }
    return std::strcmp(&names_[a.name], &names_[b.name]) < 0;  // any order, but the same in every run
  });
  std::vector<Symbol> unique;
  for (const Symbol& symbol : symbols_) {
    if (unique.empty() || unique.back().start != symbol.start) {
      unique.push_back(symbol);
    } else {
      unique.back().end = std::max(unique.back().end, symbol.end);  // an alias may lack the size
    }
  }
  symbols_ = std::move(unique);
}

const ElfSymbols::Symbol* ElfSymbols::last_symbol_at_or_before(std::uint64_t address) const {
  const auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                      [](std::uint64_t a, const Symbol& s) { return a < s.start; });
  return after == symbols_.begin() ? nullptr : &*std::prev(after);
}

bool ElfSymbols::has_symbol_at(std::uint64_t address) const {
  const Symbol* const symbol = last_symbol_at_or_before(address);
  return symbol != nullptr && (symbol->start == address || address < symbol->end);
}

std::vector<ElfSymbols::Function> ElfSymbols::functions() const {
  std::vector<Function> all;
  for (const Symbol& symbol : symbols_) {
    all.push_back({&names_[symbol.name], symbol.start});
  }
  return all;
}

bool ElfSymbols::mentions(std::string_view text) const {
  return std::string_view(names_.data(), names_.size()).find(text) != std::string_view::npos;
}

std::optional<ElfSymbols::Function> ElfSymbols::find(std::uint64_t address) const {
  const Symbol* symbol = last_symbol_at_or_before(address);
  if (symbol != nullptr && address < symbol->end) {
    return Function{&names_[symbol->name], symbol->start};
  }
  const auto after = std::upper_bound(unwind_starts_.begin(), unwind_starts_.end(), address);
  if (after == unwind_starts_.begin()) {
    return std::nullopt;
  }
  const std::uint64_t start = *std::prev(after);
  symbol = last_symbol_at_or_before(start);  // assembly code often has a name without a size
  return Function{symbol != nullptr && symbol->start == start ? &names_[symbol->name] : "", start};
}

}  // namespace waitprof::archive
