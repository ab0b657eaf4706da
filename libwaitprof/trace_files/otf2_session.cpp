// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/otf2_session.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "libwaitprof/trace_files/archive_file.hpp"
#include "libwaitprof/trace_files/event_file.hpp"
#include "libwaitprof/trace_files/otf2_files.hpp"

// OTF2 leaves this type to the program.
struct OTF2_LockObject {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

namespace waitprof::archive {

Session session;

namespace {

// Errors are kept for our own message instead of printed.
char error_text[512] = "";
pthread_mutex_t error_mutex = PTHREAD_MUTEX_INITIALIZER;

OTF2_ErrorCode keep_error(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                          const char* format, std::va_list arguments) {
  // Callers up the stack complain again about the same thing, less precisely: the system's reason wins.
  constexpr std::string_view kSystemPrefix = "POSIX: ";
  const bool from_system = format != nullptr && std::string_view(format).starts_with(kSystemPrefix);
  format += from_system ? kSystemPrefix.size() : 0;
  pthread_mutex_lock(&error_mutex);
  if (from_system || error_text[0] == '\0') {
    const int length = std::snprintf(error_text, sizeof error_text, "%s: ", OTF2_Error_GetDescription(code));
    if (format != nullptr && length > 0 && static_cast<std::size_t>(length) < sizeof error_text) {
      std::vsnprintf(error_text + length, sizeof error_text - static_cast<std::size_t>(length), format,
                     arguments);
    }
  }
  pthread_mutex_unlock(&error_mutex);
  return code;
}

// Our header, in front of OTF2's part of the memory for a chunk.
constexpr std::uint64_t kChunkHeader = 64;

// One chunk of memory per writer; asking for a second one makes OTF2 write the first.
struct Chunk {
  std::uint64_t size = 0;
  bool in_use = false;
};

// The chunk that the last writer of definitions had, for reuse: every location has such a writer, and OTF2
// fills all of its chunk with zeros.
std::atomic<Chunk*> spare_chunk = nullptr;

void unmap(Chunk* chunk) {
  if (chunk != nullptr) {
    ::munmap(chunk, chunk->size + kChunkHeader);
  }
}

Chunk* new_chunk(std::uint64_t size) {
  Chunk* const spare = spare_chunk.exchange(nullptr);
  if (spare != nullptr && spare->size == size) {
    return spare;
  }
  unmap(spare);
  void* const memory =
      ::mmap(nullptr, size + kChunkHeader, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? new (memory) Chunk{size, false} : nullptr;
}

void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** per_buffer, std::uint64_t size) {
  auto* chunk = static_cast<Chunk*>(*per_buffer);
  if (chunk == nullptr) {
    *per_buffer = chunk = new_chunk(size);
  }
  if (chunk == nullptr || chunk->in_use) {
    return nullptr;
  }
  chunk->in_use = true;
  return reinterpret_cast<char*>(chunk) + kChunkHeader;
}

void free_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** per_buffer, bool final) {
  auto* chunk = static_cast<Chunk*>(*per_buffer);
  if (chunk == nullptr) {
    return;
  }
  chunk->in_use = false;
  if (final) {
    unmap(spare_chunk.exchange(chunk));
    *per_buffer = nullptr;
  }
}

OTF2_FlushType always_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// No collectives: an error on one rank must not make another one wait.
OTF2_CallbackCode get_size(void*, OTF2_CollectiveContext*, std::uint32_t* size) {
  *size = 2;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode get_rank(void*, OTF2_CollectiveContext*, std::uint32_t* rank) {
  *rank = session.primary ? OTF2_COLLECTIVES_ROOT : 1;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode barrier(void*, OTF2_CollectiveContext*) {
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode keep_own(void*, OTF2_CollectiveContext*, void* data, std::uint32_t, OTF2_Type type,
                           std::uint32_t) {
  // The one broadcast that matters says whether the directory could be made; ranks other than the primary
  // hold no value for it and are told about a failure before they come here.
  if (!session.primary && type == OTF2_TYPE_INT64) {
    *static_cast<std::int64_t*>(data) = OTF2_SUCCESS;
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode refuse(void*, OTF2_CollectiveContext*, const void*, void*, std::uint32_t, OTF2_Type,
                         std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}

OTF2_CallbackCode refuse_gatherv(void*, OTF2_CollectiveContext*, const void*, std::uint32_t, void*,
                                 const std::uint32_t*, OTF2_Type, std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}

OTF2_CallbackCode refuse_scatterv(void*, OTF2_CollectiveContext*, const void*, const std::uint32_t*, void*,
                                  std::uint32_t, OTF2_Type, std::uint32_t) {
  return OTF2_CALLBACK_ERROR;
}

constexpr OTF2_CollectiveCallbacks kCollectives{nullptr,        get_size, get_rank,       nullptr,
                                                nullptr,        barrier,  keep_own,       refuse,
                                                refuse_gatherv, refuse,   refuse_scatterv};

OTF2_CallbackCode create_lock(void*, OTF2_Lock* lock) {
  *lock = new (std::nothrow) OTF2_LockObject;
  return *lock != nullptr ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

OTF2_CallbackCode destroy_lock(void*, OTF2_Lock lock) {
  delete lock;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode lock(void*, OTF2_Lock lock) {
  return pthread_mutex_lock(&lock->mutex) == 0 ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

OTF2_CallbackCode unlock(void*, OTF2_Lock lock) {
  return pthread_mutex_unlock(&lock->mutex) == 0 ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

constexpr OTF2_MemoryCallbacks kMemory{allocate_chunk, free_chunk};
constexpr OTF2_FlushCallbacks kFlush{always_flush, nullptr};
constexpr OTF2_LockingCallbacks kLocking{nullptr, create_lock, destroy_lock, lock, unlock};

}  // namespace

bool open_session(const std::string& directory, bool primary) {
  OTF2_Error_RegisterCallback(keep_error, nullptr);
  redirect_otf2_files(directory);
  session.directory = directory;
  session.opened_as_primary = session.primary = primary;
  session.definition_chunk_set = false;
  session.otf2 = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                                   OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  return session.otf2 != nullptr &&
         OTF2_Archive_SetLockingCallbacks(session.otf2, &kLocking, nullptr) == OTF2_SUCCESS &&
         OTF2_Archive_SetMemoryCallbacks(session.otf2, &kMemory, nullptr) == OTF2_SUCCESS &&
         OTF2_Archive_SetFlushCallbacks(session.otf2, &kFlush, nullptr) == OTF2_SUCCESS &&
         OTF2_Archive_SetCollectiveCallbacks(session.otf2, &kCollectives, nullptr, nullptr, nullptr) ==
             OTF2_SUCCESS;
}

bool set_definition_chunk(std::uint64_t bytes) {
  if (!session.definition_chunk_set && bytes > 0) {
    session.definition_chunk_set = OTF2_Archive_SetDefChunkSize(session.otf2, bytes) == OTF2_SUCCESS;
  }
  return session.definition_chunk_set;
}

bool close_session() {
  const bool closed = OTF2_Archive_Close(session.otf2) == OTF2_SUCCESS;
  session.otf2 = nullptr;
  unmap(spare_chunk.exchange(nullptr));
  return closed;
}

std::string last_error() {
  std::string text = first_write_failure();
  if (text.empty()) {
    pthread_mutex_lock(&error_mutex);
    text = error_text;
    pthread_mutex_unlock(&error_mutex);
  }
  return text.empty() ? "no memory" : text;
}

}  // namespace waitprof::archive
