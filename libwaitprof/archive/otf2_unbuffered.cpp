// OTF2 3.0 gathers 4 MiB of whole chunks for each file before it writes any: a kill would lose them, and they
// are memory that nobody needs, a chunk being large enough for one write. It goes on without that buffer when
// there is no memory for it, so there is none. (The linker sends both functions here: --wrap.)
//
// SPDX-License-Identifier: BSD-3-Clause
#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
thread_local bool in_file_write = false;

}  // namespace

extern "C" {
struct OTF2_File;
void* __real_malloc(std::size_t bytes);                                                            // NOLINT
OTF2_ErrorCode __real_OTF2_File_Write(OTF2_File* file, const void* data, std::uint64_t bytes);     // NOLINT
__attribute__((visibility("hidden"))) void* __wrap_malloc(std::size_t bytes);                      // NOLINT
__attribute__((visibility("hidden"))) OTF2_ErrorCode __wrap_OTF2_File_Write(OTF2_File* file,       // NOLINT
                                                                            const void* data,      // NOLINT
                                                                            std::uint64_t bytes);  // NOLINT
}

void* __wrap_malloc(std::size_t bytes) {  // NOLINT
  return in_file_write && bytes == kBufferBytes ? nullptr : __real_malloc(bytes);
}

OTF2_ErrorCode __wrap_OTF2_File_Write(OTF2_File* file, const void* data, std::uint64_t bytes) {  // NOLINT
  in_file_write = true;
  const OTF2_ErrorCode status = __real_OTF2_File_Write(file, data, bytes);
  in_file_write = false;
  return status;
}
