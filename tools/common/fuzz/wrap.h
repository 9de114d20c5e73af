/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that replace the system's in a target: the linker turns each call of NAME() into
 * __wrap_NAME(); __real_NAME() is the original.
 */
#ifndef WRAP_H
#define WRAP_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include "aside.h"

int __wrap_sys_open(const char *path, int flags);
ssize_t __wrap_sys_read(const char *path, char *buf, size_t size);
uint64_t __wrap_sys_page_size(void);
int __wrap_sys_pidfd_open(pid_t pid);
int __wrap_sys_pidfd_signal(int pidfd, int sig);
ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);
int64_t __wrap_aside(struct proc_id id, aside_fn fn, void *arg, size_t size);
ssize_t __real_read(int fd, void *buf, size_t bytes);
ssize_t __wrap_read(int fd, void *buf, size_t bytes);
ssize_t __real_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at);

#endif
