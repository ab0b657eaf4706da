/* waits_and_signals: things that a program may do around calls that wait, and whose result must not change
 * because they are watched. Handlers that leave such a call by longjmp, or wait in one themselves; children
 * of all kinds that make such calls; a cancelled thread; threads that wait for each other; all signals blocked;
 * errno. Prints what is wrong; rank 0 prints "done" at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 20 };

static sigjmp_buf back;
static volatile sig_atomic_t handled;

static void wait_for(long microseconds) {
  const struct timespec time = {0, 1000 * microseconds};
  nanosleep(&time, NULL);
}

static int writes(void) {
  return write(STDOUT_FILENO, "", 0) == 0;
}

static void leave(int signal) {
  (void)signal;
  ++handled;
  if (writes()) siglongjmp(back, 1);
}

static void wait_too(int signal) {
  (void)signal;
  ++handled;
  wait_for(2000);
  if (!writes()) _exit(1);
}

static void* wait_until_cancelled(void* argument) {
  pause();
  return argument;
}

static void child_waits(void) {
  wait_for(1000);
  for (int i = 0; i < 1000; ++i)
    if (!writes()) _exit(2);
  wait_for(1000);
  _exit(0);
}

static void expect(int is_so, const char* what) {
  if (!is_so) printf("%s (errno %d)\n", what, errno);
}

static int ends_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return status == 0;
}

static void handlers(void) {
  signal(SIGALRM, leave);
  for (volatile int i = 0; i < TIMES; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      const struct itimerval soon = {{0, 0}, {0, 2000}};
      setitimer(ITIMER_REAL, &soon, NULL);
      pause();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  signal(SIGUSR1, wait_too);
  for (volatile int i = 0; i < TIMES; ++i) {
    const pid_t whom = getpid(), child = fork();
    if (child == 0) {
      wait_for(2000);
      kill(whom, SIGUSR1);
      _exit(0);
    }
    wait_for(6000);
    expect(ends_well(child), "a child that signals");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  expect(handled == 2 * TIMES, "handlers");
}

static void children(void) {
  for (volatile int i = 0; i < TIMES; ++i) {
    pid_t child = fork();
    if (child == 0) child_waits();
    expect(ends_well(child), "fork");
    if ((child = (pid_t)syscall(SYS_fork)) == 0) child_waits();
    expect(ends_well(child), "fork, the system call");
    if ((child = vfork()) == 0) {
      if (!writes()) _exit(2);
      _exit(0);
    }
    expect(ends_well(child), "vfork");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  expect(system("true") == 0, "system");
}

static void threads(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, wait_until_cancelled, NULL);
  wait_for(1000);
  pthread_cancel(thread);
  expect(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED, "a cancelled thread");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int state = 0, unlocked = 0;

static void unlock(void* of) {
  ++unlocked;
  pthread_mutex_unlock(of);
}

static void* wait_until_state(void* wanted) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  while (state < *(const int*)wanted) pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return wanted;
}

static void post(int signal) {
  const int kept = errno;
  (void)signal;
  sem_post(&posted);
  errno = kept;
}

/* A thread is cancelled while it waits, and another one still waits for the same; then that one is woken. */
static void threads_that_wake(void) {
  pthread_t threads[2];
  void* results[2] = {NULL, NULL};
  const struct itimerval soon = {{0, 0}, {0, 2000}};
  signal(SIGALRM, post);
  sem_init(&posted, 0, 0);
  for (int i = 1; i <= TIMES; ++i) {
    for (int k = 0; k < 2; ++k) pthread_create(&threads[k], NULL, wait_until_state, &i);
    wait_for(1000);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], &results[0]);
    pthread_mutex_lock(&mutex);
    state = i;
    errno = 77;
    expect(pthread_cond_broadcast(&changed) == 0 && errno == 77, "broadcast");
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[1], &results[1]);
    expect(results[0] == PTHREAD_CANCELED && results[1] == &i, "threads that are cancelled or woken");
    setitimer(ITIMER_REAL, &soon, NULL);
    while (sem_wait(&posted) != 0) expect(errno == EINTR, "sem_wait");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  expect(unlocked == 2 * TIMES, "cleanup handlers");
  const struct timespec past = {0, 0};
  pthread_mutex_lock(&mutex);
  expect(pthread_cond_timedwait(&changed, &mutex, &past) == ETIMEDOUT, "a wait that gives up");
  pthread_mutex_unlock(&mutex);
  expect(sem_timedwait(&posted, &past) == -1 && errno == ETIMEDOUT, "a semaphore that gives up");
}

/* Who blocks all signals and waits for any gets none but its own. */
static void all_signals(void) {
  const struct timespec soon = {0, 20000000};
  sigset_t all, before;
  int signal = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (const clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) continue;
  errno = 0;
  expect(sigtimedwait(&all, NULL, &soon) == -1 && errno == EAGAIN, "no signal");
  for (int i = 0; i < TIMES; ++i) {
    for (const clock_t end = clock() + CLOCKS_PER_SEC / 100; clock() < end;) continue;
    raise(SIGUSR1);
    expect(sigwait(&all, &signal) == 0 && signal == SIGUSR1, "the signal that was sent");
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char** argv) {
  int rank = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  MPI_Init(&argc, &argv);
  all_signals();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  handlers();
  children();
  threads();
  threads_that_wake();
  all_signals();
  errno = 77;
  expect(writes(), "write");
  wait_for(200);
  expect(errno == 77, "errno is kept");
  expect(close(-1) < 0 && errno == EBADF, "errno of close");
  expect(fopen("/nowhere/at all", "r") == NULL && errno == ENOENT, "errno of fopen");
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
