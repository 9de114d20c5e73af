/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plain array in memory that pages of a device are compared with, and the random
 * operations on both: what modelio and blkio share. It knows of no way to the device.
 */
#ifndef MTDC_TEST_MODEL_H
#define MTDC_TEST_MODEL_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include "history.h"
#include "pattern.h"

static size_t first, pages;	/* the part of the device that is used */
static uint8_t *model;		/* what it has to read as */
static uint8_t *buf;		/* what is written, or was read */
static uint64_t rng, gen, ops = 1000;
static bool may_be_full;
static unsigned long refused;

static size_t below(size_t n)
{
	return pat_next(&rng) % n;
}

/* Those of getopt(3) that are the same for all; others may follow. */
#define MODEL_OPTIONS "es:n:f:p:"

/* False: it is none of them. */
static bool model_option(int opt)
{
	uint64_t number = optarg ? strtoull(optarg, NULL, 0) : 0;

	switch (opt) {
	case 'e':
		may_be_full = true;
		return true;
	case 's':
		seed = number;
		return true;
	case 'n':
		ops = number;
		return true;
	case 'f':
		first = number;
		return true;
	case 'p':
		pages = number;
		return true;
	default:
		return false;
	}
}

/* False: there is not so much memory. All is blank. */
static bool model_begin(size_t buffer)
{
	rng = seed;
	model = malloc(pages * PAT_PAGE);
	if (!model || posix_memalign((void **)&buf, PAT_PAGE, buffer))
		return false;
	memset(model, 0xff, pages * PAT_PAGE);
	return true;
}

/* If @variable is in the environment, what comes next has to fail. */
static void model_break(const char *variable)
{
	if (getenv(variable))
		model[below(pages * PAT_PAGE)] ^= 1;
}

static void model_end(void)
{
	printf("%s: seed %llu, %lu operations, %lu refused, all contents as expected\n",
	       program_invocation_short_name, (unsigned long long)seed, done, refused);
}

/* @buf, read from @at by @how, with what it has to be */
static void compare(const char *how, size_t at, size_t len)
{
	size_t i;

	for (i = 0; i < len && buf[i] == model[at + i]; i++)
		;
	if (i == len)
		return;
	die("%s read of %zu+%zu: byte %zu (page %zu, offset %zu) is %02x, not %02x", how, at, len,
	    at + i, (at + i) / PAT_PAGE, (at + i) % PAT_PAGE, buf[i], model[at + i]);
}

/* Is the error of a write one that full media excuse? */
static bool is_refusal(void)
{
	return may_be_full && (errno == ENOSPC || errno == EIO);
}

#endif
