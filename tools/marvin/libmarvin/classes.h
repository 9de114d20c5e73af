/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Classes of size: the slots that small objects lie in, and the runs of pages that are cut into
 * them. PURE.
 */
#ifndef MARVIN_CLASSES_H
#define MARVIN_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#define CLASSES_GRAIN	16U		/* bytes: every slot is aligned to this */
#define CLASSES_LINE	64U		/* bytes of a cache line */
#define CLASSES_PAGES	16U		/* the largest objects of a class */
#define CLASSES_PLAIN	112U		/* up to 16 pages of 64 KiB */
#define CLASSES_POWERS	9U		/* after them: powers of two, 128 bytes to 32 KiB */
#define CLASSES		(CLASSES_PLAIN + CLASSES_POWERS)

unsigned int class_of(uint32_t bytes);
uint32_t class_stride(unsigned int class);
uint32_t class_pages(uint32_t stride, uint32_t page_bytes);

#endif
