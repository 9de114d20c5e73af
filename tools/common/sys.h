/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files and system calls. In all units of common a function that returns int returns 0 or a
 * negative errno, unless its kernel-doc says otherwise.
 */
#ifndef COMMON_SYS_H
#define COMMON_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Enough for a path of a control group and a file name in it. */
#define SYS_PATH 512
/* Bytes of a line that sys_each_line() takes, with its end. */
#define SYS_LINE 4096
/* Bytes of the longest number, with a zero byte. */
#define SYS_NUMBER 21

void sys_set_root(const char *prefix);
const char *sys_root(void);
int sys_open(const char *path, int flags);
ssize_t sys_read(const char *path, char *buf, size_t size);
ssize_t sys_reread(int fd, char *buf, size_t size);
int sys_read_line(const char *path, char *text, size_t size);
int sys_write(const char *path, const char *text);
int sys_read_u64(const char *path, uint64_t *value);
const char *sys_number(char text[SYS_NUMBER], uint64_t value);
bool sys_exists(const char *path);
bool sys_writable(const char *path);
int sys_mkdir(const char *path);
int sys_rmdir(const char *path);

typedef int (*sys_line_fn)(const char *line, void *arg);
int sys_each_line(int fd, sys_line_fn fn, void *arg);

typedef int (*sys_entry_fn)(const char *name, void *arg);
int sys_each_entry(const char *path, sys_entry_fn fn, void *arg);
int sys_each_pid(int (*fn)(pid_t pid, void *arg), void *arg);

int sys_pidfd_open(pid_t pid);
int sys_pidfd_signal(int pidfd, int sig);
ssize_t sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);
int sys_process_mrelease(int pidfd);
void sys_close_all_but(const int *fds, unsigned int n);
int sys_gettid(void);
int sys_nice(int tid, int nice);
uint64_t sys_now_us(void);
uint64_t sys_cpu_us(void);
uint64_t sys_page_size(void);

#endif
