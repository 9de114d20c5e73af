/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects in a file that is mapped shared: what a program can do without libmarvin. The kernel
 * writes the pages to the file, and takes them. For one thread.
 */
#ifndef LOAD_MAPPED_H
#define LOAD_MAPPED_H

#include <stddef.h>
#include <stdint.h>

int mapped_open(const char *directory, uint64_t space);
void mapped_close(void);
void *mapped_new(size_t bytes);
void *mapped_resize(void *object, size_t bytes);
void mapped_free(void *object);
int mapped_background(void);

#endif
