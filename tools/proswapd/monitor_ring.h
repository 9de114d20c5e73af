/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of the kernel's trace buffer, as trace_pipe_raw gives them: some five times cheaper than
 * the same as text. PURE.
 */
#ifndef PROSWAPD_MONITOR_RING_H
#define PROSWAPD_MONITOR_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event; its data may have a rest that belongs to none of its fields. */
typedef void (*ring_fn)(uint64_t time_us, const unsigned char *data, size_t size, void *arg);

/* Where a field is in the data of an event. */
struct ring_field {
	size_t offset;
	size_t size;			/* 0: it has none of that name */
};

struct ring_field ring_field(const char *format, const char *name);
bool ring_value(struct ring_field field, const unsigned char *data, size_t size, uint64_t *value);
int ring_page(const unsigned char *page, size_t size, unsigned int word, bool *lost, ring_fn fn,
	      void *arg);

#endif
