/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cost of a switch: how long the app's processes waited for memory and files since it came to
 * the front, and how many pages of files and of the swap were read again. Writes of devices do not
 * count, and neither do waits of other programs.
 */
#ifndef RECTIFYD_COSTS_H
#define RECTIFYD_COSTS_H

#include "apps.h"
#include "balance.h"

/* Sources of the waits, the best one first. */
enum costs_source {
	COSTS_NONE,
	COSTS_PRESSURE,			/* PSI of the app's control group */
	COSTS_DELAYS,			/* delay accounting of its processes */
	COSTS_FAULTS,			/* their major faults, by the price of a page */
};

/* Waits in microseconds, counted from some moment. */
struct costs {
	enum costs_source source;
	uint64_t memory_us;		/* PSI of memory */
	uint64_t io_us;			/* PSI of I/O, or other known waits for devices */
	uint64_t system_us;		/* time in the kernel, such as decompression of pages */
};

/* Prices of a page, in nanoseconds. */
struct costs_prices {
	uint64_t file_ns;		/* read from a file, */
	uint64_t swap_ns;		/* or from the swap */
	uint64_t write_ns;		/* written to the swap */
};

extern const char *const costs_names[];

/* PURE. */
uint64_t costs_since(const struct costs *before, const struct costs *now);
uint64_t costs_delay(const char *stat);

void costs_begin(uint32_t now_ms);
void costs_switch(const struct config *config, struct app *app, uint32_t now_ms, bool waits);
int costs_read(uint32_t now_ms, struct balance_news *news);
uint64_t costs_waited(const struct config *config, struct app *app, uint64_t *io_us);
enum costs_source costs_source(void);
uint64_t costs_taken(void);
bool costs_generations(void);
const struct costs_prices *costs_prices(void);
uint64_t costs_swap_us(uint64_t pages);

#endif
