/* A program that itself uses libraries that the recorder contains: writes an event file with OTF2,
 * walks its stack with libunwind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <mpi.h>
#include <otf2/otf2.h>
#include <stdio.h>

enum { kEvents = 100 };

static OTF2_FlushType before_flush(void* user, OTF2_FileType type, OTF2_LocationRef location, void* caller,
                                   bool last) {
  (void)user, (void)type, (void)location, (void)caller, (void)last;
  return OTF2_FLUSH;
}

static int frames(void) {
  unw_context_t context;
  unw_cursor_t cursor;
  int count = 0;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  while (unw_step(&cursor) > 0) ++count;
  return count;
}

int main(int argc, char** argv) {
  const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
  int rank, good = 1;
  char directory[32];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(directory, sizeof directory, "own-%d", rank);
  OTF2_Archive* archive = OTF2_Archive_Open(directory, "own", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, 0);
  for (int event = 0; event < kEvents; ++event) {
    good &= OTF2_EvtWriter_Enter(writer, NULL, (OTF2_TimeStamp)event, 0) == OTF2_SUCCESS;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  uint64_t written = 0;
  OTF2_EvtWriter_GetNumberOfEvents(writer, &written);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
  if (rank == 0) printf("same_libraries: %d, %d events, %d frames\n", good, (int)written, frames());
  MPI_Finalize();
  return 0;
}
