/* faults HOW [STEPS]: STEPS times (3 by default) 10 ms of "computation" and an Allreduce; then rank 1 (or the
 * rank that HOW says) ends in some other way than by MPI_Finalize, while the others wait for it. The ways are
 * listed in kFaults.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank;

static void sleep_ms(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Long enough that the others are waiting by then. */
static void be_late(void) {
  if (rank == 1) sleep_ms(200);
}

static void handled(int signal) {
  (void)signal;
  static const char kText[] = "handled\n";
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(1);
  _exit(6);
}

static void call_abort(void) {
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
}
static void all_abort(void) {
  MPI_Abort(MPI_COMM_WORLD, 7);
}
static void fatal_error(void) {
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}
static void kill_self(void) {
  if (rank == 1) raise(SIGKILL);
}
static void crash(void) {
  if (rank == 1) raise(SIGSEGV);
}
static void libc_abort(void) {
  if (rank == 1) abort();
}
static void handle_crash(void) {
  signal(SIGSEGV, handled);
  crash();
}
static void call_exit(void) {
  if (rank == 1) exit(5);
}
static void call__exit(void) {
  if (rank == 1) _exit(5);
}
static void all_exit(void) {
  exit(0);
}
static void hang(void) {
  if (rank == 1) MPI_Recv(&rank, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void poll_for_the_killed(void) {
  if (rank == 1) sleep_ms(300);
  if (rank == 1) raise(SIGKILL);
  if (rank != 0) return;
  MPI_Request request;
  int done = 0;
  MPI_Irecv(&rank, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* A window, an exposure epoch, and a collective in which every rank gets something else. For 3 ranks. */
static void kill_among_windows(void) {
  enum { kRanks = 3 };
  int there[kRanks] = {0}, other = (rank + 1) % kRanks;
  MPI_Win window;
  MPI_Win_create(there, sizeof there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_name(window, "halo");
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, other, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Group world, neighbours;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int others[] = {other, (rank + 2) % kRanks};
  MPI_Group_incl(world, 2, others, &neighbours);
  MPI_Win_post(neighbours, 0, window);
  MPI_Win_start(neighbours, 0, window);
  MPI_Put(&rank, 1, MPI_INT, other, rank, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  int sent[6] = {0}, received[6] = {0};
  const int counts[kRanks] = {1, 2, 3}, from[kRanks] = {0, 1, 3};
  int mine[kRanks], into[kRanks];
  for (int i = 0; i < kRanks; ++i) {
    mine[i] = rank + 1;
    into[i] = i == 0 ? 0 : into[i - 1] + rank + 1;
  }
  int all[9];
  MPI_Alltoallv(sent, counts, from, MPI_INT, all, mine, into, MPI_INT, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Iallreduce(sent, received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  be_late();
  kill_self();
}

static void have_children(void) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (fork() == 0) exit(3); /* through all that exit() does */
  wait(NULL);
  FILE* pipe = popen("echo child", "r");
  char line[16] = "";
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL || pclose(pipe) != 0) exit(9);
  if (system("exit 3") == 0) exit(9);
}

static void close_all(void) {
  if (chdir("/") != 0) exit(9);
  for (int file = 3; file < 1024; ++file) {
    if (file < 512) continue; /* MPI's own files stay: it would not survive that without a recorder, either */
    close(file);
  }
}

static jmp_buf before_error;

static void jump(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
  longjmp(before_error, 1);
}

static void leave_call(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (setjmp(before_error) == 0) MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

/* Rank 1 gets a message in a request that it has freed. */
static void free_receive(void) {
  static int into;
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(&into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else if (rank == 0) {
    MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

/* Rank 1 gets a message that is too long. */
static void cut_message(void) {
  int into = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 1) {
    MPI_Recv(&into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Send((int[2]){0}, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

/* Where the archive's definitions should go. */
static void stand_in_the_way(void) {
  char name[4096];
  snprintf(name, sizeof name, "%s/traces.def", getenv("WAITPROF_DIR"));
  if (rank == 0 && mkdir(name, 0777) != 0) exit(9);
}

/* As a script that cleans up where the program runs. */
static void remove_archive(void) {
  char command[4096];
  snprintf(command, sizeof command, "rm -rf '%s'", getenv("WAITPROF_DIR"));
  if (rank == 0 && system(command) != 0) exit(9);
}

/* As a program that forgets to close them. */
static void use_up_descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 256;
  setrlimit(RLIMIT_NOFILE, &limit);
  while (open("/dev/null", O_RDONLY) >= 0) continue;
}
static void use_up_descriptors_of_rank_1(void) {
  if (rank == 1) use_up_descriptors();
}

/* Leaves this much address space. */
static void leave_memory(long bytes) {
  FILE* file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) exit(9);
  fclose(file);
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + bytes);
  setrlimit(RLIMIT_AS, &limit);
}
static void use_up_memory(void) {
  leave_memory(0);
}
static void use_up_memory_of_rank_0(void) {
  if (rank == 0) leave_memory(0);
}

/* Where the archive is. */
static void fill_disk(void) {
  if (rank != 0) return;
  char name[4096];
  static const char kBytes[4096];
  snprintf(name, sizeof name, "%s-filler", getenv("WAITPROF_DIR"));
  const int file = open(name, O_CREAT | O_WRONLY, 0600);
  if (file < 0) exit(9);
  while (write(file, kBytes, sizeof kBytes) > 0) continue;
  close(file);
}

static void nothing(void) {}

static const struct {
  const char* name;
  void (*run)(void);
} kFaults[] = {
    {"abort", call_abort},
    {"all-abort", all_abort},
    {"fatal", fatal_error},
    {"kill", kill_self},
    {"segv", crash},
    {"libc-abort", libc_abort},
    {"handler", handle_crash},
    {"exit", call_exit},
    {"_exit", call__exit},
    {"all-exit", all_exit},
    {"hang", hang},
    {"poll", poll_for_the_killed},
    {"children", have_children},
    {"close", close_all},
    {"none", nothing},
    {"windows", kill_among_windows},
    {"in-the-way", stand_in_the_way},
    {"removed", remove_archive},
    {"jump", leave_call},
    {"free", free_receive},
    {"cut", cut_message},
    {"descriptors", use_up_descriptors},
    {"descriptors-one", use_up_descriptors_of_rank_1},
    {"memory", use_up_memory},
    {"memory-one", use_up_memory_of_rank_0},
    {"full", fill_disk},
};

/* Many steps are to fill files: most of them by each rank alone, since ranks that share a processor take seconds
 * to wait for each other thousands of times. */
static void solve(int steps) {
  const int few = steps <= 100;
  for (int step = 0; step < steps; ++step) {
    double in = 1, out = 0;
    if (few) sleep_ms(10);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, few || step % 64 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  solve(argc > 2 ? atoi(argv[2]) : 3);
  be_late();
  for (size_t i = 0; i < sizeof kFaults / sizeof *kFaults; ++i)
    if (argc > 1 && strcmp(argv[1], kFaults[i].name) == 0) kFaults[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("faults: done\n");
  MPI_Finalize();
  return 0;
}
