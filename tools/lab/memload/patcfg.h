/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pattern of accesses as text, in the format of masim, the memory access simulator of SeongJae
 * Park. PURE.
 *
 * Lines that begin with "#" are comments; empty lines divide the text into paragraphs. The first
 * paragraph has the regions of memory, one a line:
 *
 *	NAME, LENGTH[, FILE]		LENGTH is in bytes; FILE, if it is not "none", has
 *					what is in the region at first
 *
 * Each other paragraph is a phase:
 *
 *	NAME
 *	TIME				in milliseconds
 *	REGION, RANDOM, STRIDE, PROBABILITY[, MODE]	and more of these
 *
 * Where RANDOM is not 0, any byte of the region may be next, else the one after STRIDE bytes.
 * PROBABILITY is how often this line is chosen, compared with the others of the phase. MODE is ro,
 * wo or rw: read, write (it is this one, if none is given), read and write.
 */
#ifndef MEMLOAD_PATCFG_H
#define MEMLOAD_PATCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATCFG_REGIONS	64
#define PATCFG_PHASES	256
#define PATCFG_PATTERNS	64		/* of a phase: each region once */
#define PATCFG_NAME	128		/* bytes, with the end */
#define PATCFG_FILE	512

/* Of a region; 100 times as many bytes fit into 64 bits. */
#define PATCFG_LENGTH	(UINT64_C(1) << 50)

/* The greatest percentages of patcfg_scale(). */
#define PATCFG_PERCENT	10000

enum patcfg_mode {
	PATCFG_WRITE,
	PATCFG_READ,
	PATCFG_BOTH,			/* read, then write */
};

struct patcfg_region {
	char name[PATCFG_NAME];
	uint64_t length;
	char file[PATCFG_FILE];		/* empty: none */
};

struct patcfg_pattern {
	unsigned int region;
	bool random;
	enum patcfg_mode mode;
	uint64_t stride;
	uint64_t probability;
};

struct patcfg_phase {
	char name[PATCFG_NAME];
	uint64_t time_ms;
	uint64_t probability;		/* the sum of all; 0: nothing is accessed */
	unsigned int npatterns;
	struct patcfg_pattern patterns[PATCFG_PATTERNS];
};

struct patcfg {
	unsigned int nregions;
	unsigned int nphases;
	struct patcfg_region regions[PATCFG_REGIONS];
	struct patcfg_phase phases[PATCFG_PHASES];
};

/* What is wrong with a text, and what to do. */
struct patcfg_error {
	unsigned int line;
	char text[400];
};

int patcfg_parse(struct patcfg *cfg, const char *text, struct patcfg_error *error);
void patcfg_scale(struct patcfg *cfg, unsigned int size_percent, unsigned int time_percent,
		  uint64_t page);
uint64_t patcfg_pass(const struct patcfg *cfg, const struct patcfg_phase *phase);

#endif
