/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The brake: a thread that makes objects faster than the saver saves them has to wait while hardly
 * any memory is left. Otherwise the kernel would kill a program.
 */
#ifndef MARVIN_BRAKE_H
#define MARVIN_BRAKE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct brake {
	const _Atomic uint64_t *progress;	/* grows while the saver saves or gives something */
	void (*say)(void *arg);		/* a thread waits: called before each nap; or NULL */
	void *arg;
	uint32_t limit_ms;		/* a thread waits at most so long for each mebibyte */
	_Atomic size_t made;		/* bytes of objects since the last look at the memory */
	_Atomic uint32_t step;		/* bytes between two looks */
	_Atomic uint64_t last;		/* @progress of the last look */
	_Atomic uint32_t vain_ms;	/* how long threads have waited since it grew */
};

void brake_begin(struct brake *brake, const _Atomic uint64_t *progress, void (*say)(void *arg),
		 void *arg);
void brake_made(struct brake *brake, size_t bytes);
void brake_freed(struct brake *brake, size_t bytes);

#endif
