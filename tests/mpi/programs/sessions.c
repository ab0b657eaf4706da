/* Programs that use MPI through sessions, without MPI_Init. The first argument says how:
 *   world    rank 0 works 3 units of 10 ms against 1 in each of 10 steps, the others wait in a Barrier
 *   self     each rank has a communicator of its own, there is no other
 *   threads  the session is opened by a thread that ends; two more make a communicator each, at the same time
 *   mixed    rank 0 opens a session before MPI_Init, the others call MPI_Init only
 *   exit     rank 0 ends without closing its session
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "examples/emulate.h"

static MPI_Session session;

static MPI_Comm communicator(const char* tag, const char* processes) {
  MPI_Group group;
  MPI_Comm made;
  MPI_Group_from_session_pset(session, processes, &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Group_free(&group);
  return made;
}

static int own_rank(void) {
  MPI_Group all;
  int rank;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_rank(all, &rank);
  MPI_Group_free(&all);
  return rank;
}

static void late_worker(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < options.steps; ++step) {
    emulate_ms((rank == 0 ? 3.0 : 1.0) * options.unit_ms);
    MPI_Barrier(comm);
  }
}

static void* open_session(void* unused) {
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  return unused;
}

static void* exchange(void* tag) {
  MPI_Comm comm = communicator(tag, "mpi://WORLD");
  int rank, size, number = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 20; ++i)
    MPI_Sendrecv_replace(&number, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, comm,
                         MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  return NULL;
}

static void run_threads(int count, void* (*function)(void*), char** arguments) {
  pthread_t threads[2];
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, function, arguments[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static int mixed(void) {
  int rank, opened = 0;
  const char* local = getenv("PMI_RANK");
  if (local != NULL && strcmp(local, "0") == 0) {
    open_session(NULL);
    opened = 1;
  }
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* the others begin to record in MPI_Init */
  late_worker(MPI_COMM_WORLD);
  if (opened) MPI_Session_finalize(&session);
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "world";
  char first[] = "first", second[] = "second";
  char* tags[] = {first, second};
  if (argc > 1) read_options(argc - 1, argv + 1);
  if (strcmp(how, "mixed") == 0) return mixed();
  if (strcmp(how, "threads") == 0) {
    run_threads(1, open_session, tags);
    run_threads(2, exchange, tags);
  } else {
    open_session(NULL);
    MPI_Comm comm = communicator("steps", strcmp(how, "self") == 0 ? "mpi://SELF" : "mpi://WORLD");
    late_worker(comm);
    MPI_Comm_free(&comm);
    if (strcmp(how, "exit") == 0 && own_rank() == 0) exit(0);
  }
  if (own_rank() == 0) puts("sessions: done");
  MPI_Session_finalize(&session);
  return 0;
}
