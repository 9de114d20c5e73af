/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the loads: a heap of libmarvin, plain memory, or a mapped file, to compare them.
 */
#ifndef LOAD_HEAPKIND_H
#define LOAD_HEAPKIND_H

#include <setjmp.h>
#include <stddef.h>
#include "loads.h"
#include "marvin.h"

int heapkind_open(const struct load_options *options);
void heapkind_close(void);
struct marvin *heapkind_heap(void);
void *heapkind_new(size_t bytes);
void *heapkind_resize(void *object, size_t bytes);
void heapkind_free(void *object);
int heapkind_background(void);
int heapkind_pin(const void *object, size_t bytes);
void heapkind_unpin(const void *object, size_t bytes);
void sigbus_to(sigjmp_buf *where);

#endif
