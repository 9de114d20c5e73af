/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plain array in memory as the model of a device's pages, and random operations on both; shared
 * by modelio and blkio. It does no I/O itself.
 */
#ifndef MTDC_TEST_MODEL_H
#define MTDC_TEST_MODEL_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include "history.h"
#include "pattern.h"

static size_t first, pages;	/* the part of the device in use */
static uint8_t *model;		/* expected contents of the device */
static uint8_t *buf;		/* data to write, or data read */
static uint64_t rng, gen, ops = 1000;
static bool may_be_full;
static unsigned long refused;

static size_t below(size_t n)
{
	return pat_next(&rng) % n;
}

/* Options of getopt(3) that all programs have; a program may append others. */
#define MODEL_OPTIONS "es:n:f:p:"

/* Return: false if @opt is another option. */
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

/* Return: false without enough memory. The model begins blank. */
static bool model_begin(size_t buffer)
{
	rng = seed;
	model = malloc(pages * PAT_PAGE);
	if (!model || posix_memalign((void **)&buf, PAT_PAGE, buffer))
		return false;
	memset(model, 0xff, pages * PAT_PAGE);
	return true;
}

/* If the environment has @variable, damage the model: the next comparison must fail. */
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

/* Compare @buf, read from @at by @how, with the model. */
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

/* Is the error of a write allowed because the media are full? */
static bool is_refusal(void)
{
	return may_be_full && (errno == ENOSPC || errno == EIO);
}

#endif
