// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/other_tools.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/defined_names.hpp"
#include "libwaitprof/surroundings/dynamic_section.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

constinit OtherTools other_tools;

namespace {

constexpr int kMostNames = 6;  // function names in the message

// The loader has no name for the program itself.
const char* name_of(const link_map* library) noexcept {
  return library->l_name[0] != '\0' ? file_name(library->l_name) : "the program itself";
}

// The functions that other tools define, as a text.
class Others {
 public:
  void add(const link_map* library, const char* function) noexcept {
    first_ = first_ != nullptr ? first_ : library;
    several_ = several_ || library != first_;
    if (count_ < kMostNames) {
      names_[count_] = function;
    }
    ++count_;
  }

  template <std::size_t size>
  void tell(char (&text)[size]) const noexcept {
    text[0] = '\0';
    if (count_ == 0) {
      return;
    }
    int used = std::snprintf(text, size, "%.100s%s (%d MPI function%s: ", name_of(first_),
                             several_ ? " and others" : "", count_, count_ == 1 ? "" : "s");
    for (int i = 0; i < std::min(count_, kMostNames); ++i) {
      used += std::snprintf(text + used, size - static_cast<std::size_t>(used), "%s%s", i > 0 ? ", " : "",
                            names_[i]);
    }
    std::snprintf(text + used, size - static_cast<std::size_t>(used), count_ > kMostNames ? " ...)" : ")");
  }

 private:
  const link_map* first_ = nullptr;
  const char* names_[kMostNames] = {};
  int count_ = 0;
  bool several_ = false;
};

// A program that takes the address of a function without defining it has a linkage entry for it in its own
// code.
bool defines(void* function) noexcept {
  Dl_info about{};
  ElfW(Sym)* symbol = nullptr;
  return dladdr1(function, &about, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 ||
         symbol == nullptr || symbol->st_shndx != SHN_UNDEF;
}

// The calls that an object may define beside us and the library that has MPI_Init. Mostly there are none: the dynamic
// linker would be asked four questions for each of hundreds of functions.
class DefinedElsewhere {
 public:
  DefinedElsewhere() noexcept {
    ours_ = dynamic_section_around(reinterpret_cast<void*>(&waitprof_real_function));
    of_mpi_ = dynamic_section_around(waitprof_real_function("MPI_Init"));
    for (std::size_t i = 0; i < std::size(kCalls); ++i) hashes_[i] = hash_of_defined_name(kCalls[i].name);
    dl_iterate_phdr(look_at_object, this);
  }
  bool may_be(std::size_t call) const noexcept { return found_[call]; }

 private:
  static const ElfW(Dyn) * dynamic_section_around(void* address) noexcept {
    const link_map* const library = library_of(address);
    return library != nullptr ? library->l_ld : nullptr;
  }
  static int look_at_object(dl_phdr_info* info, std::size_t, void* data) noexcept {
    auto& self = *static_cast<DefinedElsewhere*>(data);
    const ElfW(Dyn)* const section = dynamic_section_of(*info);
    if (section == nullptr || section == self.ours_ || section == self.of_mpi_) return 0;
    const DefinedNames names(*info);
    for (std::size_t i = 0; i < std::size(kCalls); ++i)
      if (names.may_have(self.hashes_[i])) self.found_[i] = true;
    return 0;
  }

  const ElfW(Dyn) * ours_ = nullptr, *of_mpi_ = nullptr;
  std::array<std::uint32_t, std::size(kCalls)> hashes_{};
  std::bitset<std::size(kCalls)> found_;
};

}  // namespace

void look_for_other_tools() noexcept {
  const link_map* const us = library_of(reinterpret_cast<void*>(&waitprof_real_function));
  Others in_front, behind;
  const DefinedElsewhere elsewhere;
  for (std::size_t i = 0; i < std::size(kCalls); ++i) {
    if (!elsewhere.may_be(i)) continue;
    const CallDescription& call = kCalls[i];
    void* const real = waitprof_real_function(call.name);
    void* const first = dlsym(RTLD_DEFAULT, call.name);
    const link_map* library = library_of(first);
    if (library != nullptr && library != us && library != library_of(real) && defines(first)) {
      in_front.add(library, call.name);
    }
    library = library_of(waitprof_next_function(call.name));
    if (library != nullptr && library != library_of(real)) {
      behind.add(library, call.name);
    }
  }
  in_front.tell(other_tools.in_front);
  behind.tell(other_tools.behind);
}

int seen_by_another_tool(std::uintptr_t caller, int result) noexcept {
  int rank = -1;
  // A wrapper that ends with a call of PMPI_Init may have jumped there: then `caller` is the caller of the
  // wrapper.
  const link_map* library = library_of(dlsym(RTLD_DEFAULT, "MPI_Init"));
  if (library == library_of(reinterpret_cast<void*>(&waitprof_real_function))) {
    library = library_of(reinterpret_cast<void*>(caller));
  }
  if (result != MPI_SUCCESS || this_thread.mpi_depth > 0 || library == nullptr ||
      recorder_state.load(std::memory_order_relaxed) != RecorderState::Idle ||
      pmpi::Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) {
    return result;
  }
  read_settings(false);
  if (settings.enabled) {
    say("nothing is recorded: %s initialised MPI by PMPI_Init, as MPI tools do. Put libwaitprof.so before it "
        "in LD_PRELOAD, or do without what is linked into the program.",
        name_of(library));
  }
  return result;
}

}  // namespace waitprof
