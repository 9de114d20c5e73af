/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the loads: objects of libmarvin, or plain memory, to compare them. The contents follow
 * from a number, a third of them random, as those of real programs are.
 */
#ifndef LOAD_HEAPKIND_H
#define LOAD_HEAPKIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "marvin.h"

struct piece {
	struct marvin_stub stub;	/* of a plain one, only data and bytes */
	uint64_t number;		/* of its contents */
};

int heapkind_open(bool plain, const char *store);
void heapkind_close(void);
int piece_make(struct piece *piece, size_t bytes, uint64_t number);
void piece_drop(struct piece *piece);
int piece_check(struct piece *piece);
const void *piece_read(struct piece *piece);
void *piece_write(struct piece *piece);

#endif
