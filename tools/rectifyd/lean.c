// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "lean.h"

/* What a switch cost counts for about so many. */
#define MEMORY 8
/*
 * It is tried from where files cost an eighth of what swap does, until swap costs 16 times as much:
 * then the kernel took needed pages. With programs in 136 MiB files cost 1.4 times as much at a
 * swappiness of 60, 0.4 times at 150, which is best, and 0.05 at 200, where all is slower. Between
 * these the trial decides.
 */
#define FILE_TIMES 8
#define TOO_MUCH 16
/* Users do not feel shorter waits. */
#define LEAST_US 5000
/* Then the kernel is left as it is for so many switches, and twice as many each time. */
#define REST 32
#define REST_MOST 4096

/**
 * lean_begin() - nothing is known
 * @lean: filled in
 */
void lean_begin(struct lean *lean)
{
	memset(lean, 0, sizeof(*lean));
	lean->next_rest = REST;
}

static uint64_t mean(uint64_t old, uint64_t now)
{
	return old - old / MEMORY + now / MEMORY;
}

/**
 * lean_step() - a switch was weighed
 * @lean: the state
 * @file_us: what it cost to read files again
 * @anon_us: what it cost to read from the swap
 *
 * Return: is the kernel to take anonymous pages first?
 */
bool lean_step(struct lean *lean, uint64_t file_us, uint64_t anon_us)
{
	lean->file_us = mean(lean->file_us, file_us);
	lean->anon_us = mean(lean->anon_us, anon_us);
	if (lean->rest) {
		lean->rest--;
	} else if (!lean->on) {
		lean->on = lean->file_us > LEAST_US && lean->file_us > lean->anon_us / FILE_TIMES;
	} else if (lean->anon_us > LEAST_US && lean->anon_us / TOO_MUCH > lean->file_us) {
		lean->on = false;
		lean->rest = lean->next_rest;
		if (lean->next_rest < REST_MOST)
			lean->next_rest *= 2;
	}
	return lean->on;
}
