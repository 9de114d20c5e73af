// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "lean.h"

/* What a switch cost counts for about so many. */
#define MEMORY 8
/* Swap that costs more than files by that is too much: the kernel took what is needed. */
#define TOO_MUCH 2
/* Less than that is no cost. */
#define LEAST_US 2000
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
 * @keeps: apps at the back keep something of what they need: that is not given to the kernel, but
 *	   where the kernel leans already, it may still prove too much
 * @file_us: what it cost to read files again
 * @anon_us: what it cost to read from the swap
 *
 * Return: is the kernel to take anonymous pages first?
 */
bool lean_step(struct lean *lean, bool keeps, uint64_t file_us, uint64_t anon_us)
{
	if (keeps && !lean->on)
		return false;
	lean->file_us = mean(lean->file_us, file_us);
	lean->anon_us = mean(lean->anon_us, anon_us);
	if (lean->rest) {
		lean->rest--;
	} else if (!lean->on) {
		lean->on = lean->file_us > LEAST_US && lean->file_us > lean->anon_us;
	} else if (lean->anon_us > LEAST_US && lean->anon_us / TOO_MUCH > lean->file_us) {
		lean->on = false;
		lean->rest = lean->next_rest;
		if (lean->next_rest < REST_MOST)
			lean->next_rest *= 2;
	}
	return lean->on;
}
