/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakes threads of the library. A pipe, because its number tells whether the program has closed it:
 * the descriptor may be a file of the program by then.
 */
#ifndef MARVIN_BELL_H
#define MARVIN_BELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bell {
	int in, out;			/* -1: closed */
	uint64_t ino;
};

int bell_begin(struct bell *bell);
bool bell_is_there(const struct bell *bell);
bool bell_ring(const struct bell *bell, pid_t keeper);
void bell_answer(const struct bell *bell);
void bell_end(struct bell *bell);

#endif
