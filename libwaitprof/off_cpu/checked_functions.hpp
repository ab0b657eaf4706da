// Functions that the headers of the C library may not declare: those that the compiler calls instead of those in the
// program, and newer ones. Where the library has none, none is watched.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <csignal>
#include <cstdarg>
#include <cstdio>

// The C library has these, but its headers declare some of them only under certain compiler options.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
int __isoc99_vfscanf(FILE* file, const char* format, va_list values);
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list values);
int __vprintf_chk(int flag, const char* format, va_list values);
ssize_t __read_chk(int fd, void* to, size_t n, size_t room);
ssize_t __pread_chk(int fd, void* to, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void* to, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void* to, size_t n, size_t room, int how);
ssize_t __recvfrom_chk(int fd, void* to, size_t n, size_t room, int how, sockaddr* who, socklen_t* length);
size_t __fread_chk(void* to, size_t room, size_t size, size_t n, FILE* file);
char* __fgets_chk(char* to, size_t room, int n, FILE* file);
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int at, const char* path, int flags);
int __openat64_2(int at, const char* path, int flags);
int __poll_chk(pollfd* set, nfds_t n, int time, size_t room);
int __ppoll_chk(pollfd* set, nfds_t n, const timespec* time, const sigset_t* mask, size_t room);
// NOLINTEND(readability-identifier-naming)
#if !__GLIBC_PREREQ(2, 30)
int pthread_mutex_clocklock(pthread_mutex_t* lock, clockid_t clock, const timespec* time);
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time);
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time);
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* lock, clockid_t clock,
                           const timespec* time);
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time);
#endif
#if !__GLIBC_PREREQ(2, 35)
int epoll_pwait2(int fd, epoll_event* events, int n, const timespec* time, const sigset_t* mask);
#endif
}
