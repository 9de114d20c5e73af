/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libmarvin's functions without Marvin, for the benchmark: objects are memory of malloc().
 */
#ifndef MARVIN_H
#define MARVIN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct marvin_options {
	const char *store;
	uint64_t space;
	uint32_t objects, foreground_ms, background_ms;
	bool no_thread;
};

struct marvin_stub {
	void *word;
	size_t bytes;
};

struct marvin_stats {
	uint64_t objects, bytes, ticks, saved, saved_bytes, lazy, claimed, loaded, loaded_bytes,
		 dropped, broken, store_errors, full;
};

static inline int marvin_open(const struct marvin_options *options)
{
	return options ? 0 : -EINVAL;
}

static inline int marvin_close(void)
{
	return 0;
}

static inline void marvin_enter(void)
{
}

static inline void marvin_leave(void)
{
}

static inline void *marvin_write(struct marvin_stub *stub)
{
	if (__builtin_expect(!stub->word, 0))
		errno = EINVAL;
	return stub->word;
}

static inline const void *marvin_read(struct marvin_stub *stub)
{
	return marvin_write(stub);
}

static inline int marvin_init(struct marvin_stub *stub, size_t bytes)
{
	stub->bytes = bytes;
	stub->word = calloc(1, bytes);
	return stub->word ? 0 : -ENOMEM;
}

static inline void marvin_fini(struct marvin_stub *stub)
{
	free(stub->word);
	stub->word = NULL;
}

static inline int marvin_tick(uint32_t budget_ms)
{
	return budget_ms ? 0 : 0;
}

static inline uint64_t marvin_drop(uint64_t bytes)
{
	return bytes - bytes;
}

static inline int marvin_fetch(void)
{
	return 0;
}

static inline void marvin_stats(struct marvin_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
}

#endif
