/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the loads: objects of libmarvin, or plain memory, to compare them.
 */
#ifndef LOAD_HEAPKIND_H
#define LOAD_HEAPKIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "marvin.h"

struct piece {
	struct marvin_stub stub;	/* of a plain one, only data and bytes */
	uint64_t number;		/* of its contents, see contents.h */
};

int heapkind_open(bool plain, const char *store, uint32_t tick_ms);
void heapkind_close(void);
int piece_make(struct piece *piece, size_t bytes, uint64_t number);
void piece_drop(struct piece *piece);
int piece_check(struct piece *piece);
const void *piece_read(struct piece *piece);
void *piece_write(struct piece *piece);
void piece_leave(void);
void *piece_pin(struct piece *piece, bool write);
void piece_unpin(struct piece *piece);

#endif
