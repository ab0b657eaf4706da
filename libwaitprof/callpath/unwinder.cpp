// See unwinder.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/unwinder.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"

namespace waitprof {
namespace {

using Backtrace = int (*)(void** frames, int room);
constinit std::atomic<Backtrace> backtrace_function{nullptr};

// Replaces dl_iterate_phdr, whose lock another thread may hold while it waits for libunwind's own: a sample
// in the middle of dlopen() could then complete a deadlock. libunwind asks it one question, "which object
// holds this instruction?", with the instruction as the first word of `data`; that can be answered without a
// lock.
int find_object_without_lock(int (*answer)(dl_phdr_info*, std::size_t, void*), void* data) noexcept {
  LoadedObject found;
  if (!find_loaded_object(*static_cast<void**>(data), found)) return 0;
  const auto segment = [](std::uint32_t type, std::uintptr_t address, std::uintptr_t end) {
    const std::uintptr_t bytes = end - address;
    return ElfW(Phdr){.p_type = type,
                      .p_flags = PF_R,
                      .p_offset = 0,
                      .p_vaddr = address,
                      .p_paddr = address,
                      .p_filesz = bytes,
                      .p_memsz = bytes,
                      .p_align = 1};
  };
  // Addresses are absolute here, so the load address is 0. Where there is no unwind table, the third segment
  // has a type that means nothing.
  const std::array<ElfW(Phdr), 3> segments = {
      segment(PT_LOAD, found.begin, found.end),
      segment(found.unwind_table != nullptr ? PT_GNU_EH_FRAME : PT_NULL,
              reinterpret_cast<std::uintptr_t>(found.unwind_table), found.end),
      segment(PT_DYNAMIC, reinterpret_cast<std::uintptr_t>(found.dynamic_section), found.end)};
  dl_phdr_info info{};
  info.dlpi_name = found.path;
  info.dlpi_phdr = segments.data();
  info.dlpi_phnum = static_cast<ElfW(Half)>(segments.size());
  return answer(&info, sizeof info, data);
}

// Replace pipe2, read and syscall: libunwind checks an address by writing from it into a pipe. A program that
// closes "all other descriptors" and opens files would find a byte of ours in them. No pipe is opened, and
// the check is done by a system call that reads eight bytes and then refuses. Besides, read() is a
// cancellation point: a thread that the program has cancelled would end in the middle of our code.
constexpr int kNoDescriptor = -1;

int open_no_pipe(int* descriptors, int) noexcept {
  descriptors[0] = descriptors[1] = kNoDescriptor;
  return 0;
}

// Answers "nothing to read": to libunwind the pipe is fine.
ssize_t read_of_no_pipe(int descriptor, void* bytes, std::size_t count) noexcept {
  if (descriptor != kNoDescriptor) return static_cast<ssize_t>(syscall(SYS_read, descriptor, bytes, count));
  errno = EAGAIN;
  return -1;
}

long check_address_without_pipe(long number, int descriptor, const void* address,
                                std::size_t bytes) noexcept {
  if (number != SYS_write || descriptor != kNoDescriptor) return syscall(number, descriptor, address, bytes);
  constexpr int kNoSuchOperation = -1;
  constexpr std::size_t kSignalSetBytes = 8;
  syscall(SYS_rt_sigprocmask, kNoSuchOperation, address, nullptr, kSignalSetBytes);
  if (errno == EFAULT) return -1;
  errno = 0;
  return 1;
}

struct Replacement {
  const char* function;
  void* replacement;
};
const Replacement replacements[] = {
    {"dl_iterate_phdr", reinterpret_cast<void*>(find_object_without_lock)},
    {"syscall", reinterpret_cast<void*>(check_address_without_pipe)},
    {"pipe2", reinterpret_cast<void*>(open_no_pipe)},
    {"read", reinterpret_cast<void*>(read_of_no_pipe)},
};

using Map = void* (*)(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset);
constinit std::atomic<Map> map_of_c_library{nullptr};

// libunwind writes to all of its memory at once: 80 pages for each thread, which cost a fault each.
void* map_all_pages(void* address, std::size_t bytes, int protection, int flags, int file,
                    off_t offset) noexcept {
  const Map map = map_of_c_library.load(std::memory_order_relaxed);
  return map(address, bytes, protection, flags | MAP_POPULATE, file, offset);
}

// What libunwind still does when a thread has all but ended, a tool that stands before the C library may not be ready for:
// the sanitizers' replacements need what they have given back by then.
void call_the_c_library_itself(void* library) noexcept {
  void* const c_library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (c_library == nullptr) return;
  for (const char* const function : {"pthread_mutex_lock", "pthread_mutex_unlock", "sigprocmask", "munmap"})
    if (void* const original = dlsym(c_library, function); original != nullptr)
      replace_import(library, function, original);
  if (void* const original = dlsym(c_library, "mmap"); original != nullptr) {
    map_of_c_library.store(reinterpret_cast<Map>(original), std::memory_order_relaxed);
    replace_import(library, "mmap", reinterpret_cast<void*>(map_all_pages));
  }
  dlclose(c_library);
}

}  // namespace

bool load_unwinder() noexcept {
  if (backtrace_function.load(std::memory_order_relaxed) != nullptr) return true;
  void* const library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  const auto backtrace = reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
  if (backtrace == nullptr) return false;
  // Another build of libunwind may not import one of them; then it does not need the replacement either.
  for (const Replacement& each : replacements) replace_import(library, each.function, each.replacement);
  call_the_c_library_itself(library);
  backtrace_function.store(backtrace, std::memory_order_release);
  return true;
}

__attribute__((noinline)) int unwind(void** frames, int room) noexcept {
  const Backtrace backtrace = backtrace_function.load(std::memory_order_acquire);
  if (backtrace == nullptr) return 0;
  const int saved_errno = errno;
  const int count = backtrace(frames, room);
  errno = saved_errno;
  return count;
}

}  // namespace waitprof
