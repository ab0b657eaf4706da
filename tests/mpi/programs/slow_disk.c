/* slow_disk MILLISECONDS PROGRAM ...: starts a program in which each write of 64 KiB and more waits this long in the
 * kernel, as if the disk were slow.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLarge = 65536 };

/* The kernel asks us about such writes; all others are as always. */
static int watch_writes(void) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kLarge, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof program / sizeof *program, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

int main(int argc, char** argv) {
  const int questions = argc > 2 ? watch_writes() : -1;
  if (questions < 0) {
    perror("slow_disk");
    return 77;
  }
  const useconds_t time = (useconds_t)(1000 * atol(argv[1]));
  const pid_t child = fork();
  if (child == 0) {
    close(questions);
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    struct pollfd asked = {questions, POLLIN, 0};
    struct seccomp_notif question;
    memset(&question, 0, sizeof question);
    if (poll(&asked, 1, 20) != 1 || ioctl(questions, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) continue;
    usleep(time);
    struct seccomp_notif_resp answer = {.id = question.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ioctl(questions, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
