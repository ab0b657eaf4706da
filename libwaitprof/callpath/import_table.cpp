// See import_table.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/import_table.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "libwaitprof/surroundings/defined_names.hpp"
#include "libwaitprof/surroundings/dynamic_section.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t kOfPlt = R_X86_64_JUMP_SLOT, kOfGot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint64_t kOfPlt = R_AARCH64_JUMP_SLOT, kOfGot = R_AARCH64_GLOB_DAT;
#else
#error "callpath/import_table.cpp: say which relocations bind functions on this processor"
#endif

struct LinkageTable {
  std::span<const ElfW(Rela)> of_plt, others;
  const ElfW(Sym) * symbols;
  const char* names;

  const char* name_of(std::size_t symbol) const noexcept { return names + symbols[symbol].st_name; }
  const char* name_of(const ElfW(Rela) & relocation) const noexcept {
    return name_of(ELF64_R_SYM(relocation.r_info));
  }
};

// The dynamic linker has already turned the addresses in a mapped library's dynamic section into absolute
// ones.
LinkageTable linkage_table(const ElfW(Dyn) * entry) noexcept {
  std::uintptr_t plt = 0, plt_bytes = 0, others = 0, other_bytes = 0, relative = 0, symbols = 0, names = 0;
  for (; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL:
        plt = entry->d_un.d_ptr;
        break;
      case DT_PLTRELSZ:
        plt_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        others = entry->d_un.d_ptr;
        break;
      case DT_RELASZ:
        other_bytes = entry->d_un.d_val;
        break;
      case DT_RELACOUNT:
        relative = entry->d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols = entry->d_un.d_ptr;
        break;
      case DT_STRTAB:
        names = entry->d_un.d_ptr;
        break;
      default:
        break;
    }
  }
  const std::span all(reinterpret_cast<const ElfW(Rela)*>(others), other_bytes / sizeof(ElfW(Rela)));
  return {.of_plt = {reinterpret_cast<const ElfW(Rela)*>(plt), plt_bytes / sizeof(ElfW(Rela))},
          .others = all.subspan(relative <= all.size() ? relative : 0),
          .symbols = reinterpret_cast<const ElfW(Sym)*>(symbols),
          .names = reinterpret_cast<const char*>(names)};
}

// The slot is writable unless the library asked for full RELRO; then its page is opened for the store. It is
// not closed again: another slot of the same page may be in use by the dynamic linker.
bool store(std::uintptr_t slot, void* value) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  if (mprotect(reinterpret_cast<void*>(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*reinterpret_cast<void**>(slot)).store(value, std::memory_order_release);
  return true;
}

// Thousands of imports are looked up, most of them long C++ names, and nearly none of them is replaced: the first two
// characters tell.
class ReplacementIndex {
 public:
  explicit ReplacementIndex(std::initializer_list<ImportReplacements> replacements) noexcept {
    for (const ImportReplacements& some : replacements)
      for (const ImportReplacement& each : some)
        if (each.original != nullptr && used_ < kPlaces / 2) add(each);
  }
  template <class Visit>
  void for_each(Visit visit) const noexcept {
    for (std::size_t i = 0; i < used_; ++i) visit(*all_[i], hashes_[i]);
  }
  const ImportReplacement* find(const char* name) const noexcept {
    if (!begins_[beginning_of(name)]) return nullptr;
    for (std::uint32_t place = hash_of_defined_name(name) % kPlaces; places_[place] != nullptr;
         place = (place + 1) % kPlaces)
      if (std::strcmp(places_[place]->function, name) == 0) return places_[place];
    return nullptr;
  }

 private:
  static constexpr std::uint32_t kPlaces = 1024;

  void add(const ImportReplacement& replacement) noexcept {
    begins_[beginning_of(replacement.function)] = true;
    const std::uint32_t hash = hash_of_defined_name(replacement.function);
    std::uint32_t place = hash % kPlaces;
    while (places_[place] != nullptr) place = (place + 1) % kPlaces;
    places_[place] = &replacement;
    all_[used_] = &replacement;
    hashes_[used_] = hash;
    ++used_;
  }
  static std::uint32_t beginning_of(const char* name) noexcept {
    const std::uint32_t first = static_cast<unsigned char>(name[0]);
    const std::uint32_t second = first != 0 ? static_cast<unsigned char>(name[1]) : 0;
    return (first * 31 + second) % kPlaces;
  }

  std::array<const ImportReplacement*, kPlaces> places_{};
  std::array<const ImportReplacement*, kPlaces / 2> all_{};
  std::array<std::uint32_t, kPlaces / 2> hashes_{};
  std::array<bool, kPlaces> begins_{};
  std::uint32_t used_ = 0;
};

// The symbols of an object that replaced functions have, found by one pass over the names that it imports, in their order in
// memory: relocations lead to them crosswise, each to a cache line of its own.
class ReplacedSymbols {
 public:
  ReplacedSymbols(const DefinedNames& defined, const LinkageTable& table,
                  const ReplacementIndex& index) noexcept {
    known_ = defined.first_hashed() > 1;
    for (std::uint32_t symbol = 1; symbol < defined.first_hashed(); ++symbol)
      if (const ImportReplacement* const found = index.find(table.name_of(symbol)); found != nullptr)
        add(symbol, *found);
    // Of a function whose address a program takes, it has a symbol among its own.
    index.for_each([&](const ImportReplacement& replacement, std::uint32_t hash) {
      const std::uint32_t symbol = defined.symbol_of(hash);
      if (symbol != 0 && std::strcmp(table.name_of(symbol), replacement.function) == 0)
        add(symbol, replacement);
    });
  }

  bool known() const noexcept { return known_; }
  bool empty() const noexcept { return used_ == 0; }
  const ImportReplacement* find(std::uint32_t symbol) const noexcept {
    if (!maybe_[symbol % kPlaces]) return nullptr;
    const auto* const end = symbols_.data() + used_;
    const auto* const found = std::find(symbols_.data(), end, symbol);
    return found != end ? replacements_[static_cast<std::size_t>(found - symbols_.data())] : nullptr;
  }

 private:
  static constexpr std::size_t kMost = 512, kPlaces = 1024;

  void add(std::uint32_t symbol, const ImportReplacement& replacement) noexcept {
    known_ = known_ && used_ < kMost;
    if (used_ >= kMost) return;
    symbols_[used_] = symbol;
    replacements_[used_++] = &replacement;
    maybe_[symbol % kPlaces] = true;
  }

  bool known_ = false;
  std::size_t used_ = 0;
  std::array<std::uint32_t, kMost> symbols_{};
  std::array<const ImportReplacement*, kMost> replacements_{};
  std::array<bool, kPlaces> maybe_{};
};

// A program or library while its imports are replaced. Where it asked for RELRO, its tables are opened for that.
class ImportingObject {
 public:
  explicit ImportingObject(const dl_phdr_info& info) noexcept
      : base_(info.dlpi_addr), defined_(info), dynamic_(dynamic_section_of(info)) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
      const std::uintptr_t begin = base_ + part.p_vaddr, end = begin + part.p_memsz;
      if (part.p_type == PT_LOAD && begin < begin_) begin_ = begin;
      if (part.p_type == PT_LOAD && end > end_) end_ = end;
      if (part.p_type == PT_GNU_RELRO) {
        read_only_ = begin & ~(page - 1);
        read_only_end_ = end & ~(page - 1);
      }
    }
  }
  ~ImportingObject() {
    if (opened_) protect(PROT_READ);
  }
  ImportingObject(const ImportingObject&) = delete;
  ImportingObject& operator=(const ImportingObject&) = delete;

  bool holds(std::uintptr_t address) const noexcept { return begin_ <= address && address < end_; }

  std::size_t replace(const ReplacementIndex& index) noexcept {
    if (dynamic_ == nullptr) return 0;
    const LinkageTable table = linkage_table(dynamic_);
    const ReplacedSymbols symbols(defined_, table, index);
    if (symbols.known() && symbols.empty()) return 0;
    std::size_t replaced = 0;
    for (const std::span<const ElfW(Rela)> relocations : {table.of_plt, table.others})
      for (const ElfW(Rela) & relocation : relocations)
        replaced += replace(index, symbols, table, relocation) ? 1 : 0;
    return replaced;
  }

 private:
  bool replace(const ReplacementIndex& index, const ReplacedSymbols& symbols, const LinkageTable& table,
               const ElfW(Rela) & relocation) noexcept {
    const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
    if (type != kOfPlt && type != kOfGot) return false;
    const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info));
    const ImportReplacement* const found =
        symbols.known() ? symbols.find(symbol) : index.find(table.name_of(symbol));
    if (found == nullptr) return false;
    const std::uintptr_t slot = base_ + relocation.r_offset;
    void* const bound = std::atomic_ref(*reinterpret_cast<void**>(slot)).load(std::memory_order_acquire);
    const bool not_yet_bound = type == kOfPlt && holds(reinterpret_cast<std::uintptr_t>(bound)) &&
                               table.symbols[symbol].st_shndx == SHN_UNDEF;
    if ((bound != found->original && !not_yet_bound) || !open(slot)) return false;
    std::atomic_ref(*reinterpret_cast<void**>(slot)).store(found->replacement, std::memory_order_release);
    return true;
  }

  bool protect(int how) const noexcept {
    return mprotect(reinterpret_cast<void*>(read_only_), read_only_end_ - read_only_, how) == 0;
  }
  bool open(std::uintptr_t slot) noexcept {
    if (opened_ || slot < read_only_ || slot >= read_only_end_) return true;
    return opened_ = protect(PROT_READ | PROT_WRITE);
  }

  std::uintptr_t base_, begin_ = UINTPTR_MAX, end_ = 0;
  const DefinedNames defined_;
  const ElfW(Dyn) * dynamic_;
  std::uintptr_t read_only_ = 0, read_only_end_ = 0;
  bool opened_ = false;
};

}  // namespace

bool replace_import(void* handle, const char* function, void* replacement) noexcept {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
  const LinkageTable table = linkage_table(map->l_ld);
  for (const std::span<const ElfW(Rela)> relocations : {table.of_plt, table.others})
    for (const ElfW(Rela) & relocation : relocations) {
      const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
      if ((type == kOfPlt || type == kOfGot) && std::strcmp(table.name_of(relocation), function) == 0)
        return store(map->l_addr + relocation.r_offset, replacement);
    }
  return false;
}

std::size_t replace_imports(std::initializer_list<ImportReplacements> replacements,
                            bool (*leave_out)(const char* library), void* first) noexcept {
  link_map* map = nullptr;
  if (first != nullptr && dlinfo(first, RTLD_DI_LINKMAP, &map) != 0) return 0;
  struct Search {
    const ReplacementIndex index;
    bool (*leave_out)(const char*);
    const char* first;  // as the dynamic linker stores its name; nullptr: it has come
    std::size_t replaced = 0;
  } search{ReplacementIndex(replacements), leave_out, map != nullptr ? map->l_name : nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        Search& wanted = *static_cast<Search*>(data);
        if (wanted.first == info->dlpi_name) wanted.first = nullptr;
        if (wanted.first != nullptr) return 0;
        ImportingObject object(*info);
        const bool own = object.holds(reinterpret_cast<std::uintptr_t>(&replace_imports));
        if (!own && !wanted.leave_out(info->dlpi_name)) wanted.replaced += object.replace(wanted.index);
        return 0;
      },
      &search);
  return search.replaced;
}

// Unless something else stands before it in the order in which the loader searches. A
// program that takes its address may have a stub of that name, which leads there.
void* unreplaced_function(void* library, const char* name) noexcept {
  void* const found = dlsym(library, name);
  void* const first = dlsym(RTLD_DEFAULT, name);
  if (found == first || first == nullptr) {
    return found;
  }
  Dl_info where{};
  const ElfW(Sym)* symbol = nullptr;
  const bool known = dladdr1(first, &where, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                             RTLD_DL_SYMENT) != 0 &&
                     symbol != nullptr;
  return known && symbol->st_shndx == SHN_UNDEF ? found : nullptr;
}

// Waits inside these libraries are those of MPI, or of the dynamic linker.
bool is_left_alone(const char* library) noexcept {
  const std::string_view name = file_name(library);
  for (const std::string_view beginning :
       {"libc.", "ld-", "libpthread.", "linux-vdso", "libotf2", "libunwind"}) {
    if (name.starts_with(beginning)) {
      return true;
    }
  }
  return is_name_of_mpi(name);
}

}  // namespace waitprof
