/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's messages in the kernel log: it gives the reason of an error there.
 */
#ifndef KLOG_H
#define KLOG_H

#include <stddef.h>

int klog_open(void);
void klog_reason(int fd, char *text, size_t size);
void klog_message(const char *record, char *text, size_t size);

#endif
