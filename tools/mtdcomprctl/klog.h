/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's log says of a request: the module gives its reason there.
 */
#ifndef KLOG_H
#define KLOG_H

#include <stddef.h>

int klog_open(void);
void klog_reason(int fd, char *text, size_t size);
void klog_message(const char *record, char *text, size_t size);

#endif
