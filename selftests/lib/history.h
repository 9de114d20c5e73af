/* SPDX-License-Identifier: GPL-2.0 */
/* The last operations of a checker, printed with a finding; and the seed, which repeats them. */
#ifndef MTDC_TEST_HISTORY_H
#define MTDC_TEST_HISTORY_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HISTORY 24

static char history[HISTORY][96];
static unsigned long done;
static uint64_t seed = 1;

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(history[done++ % HISTORY], sizeof(history[0]), fmt, ap);
	va_end(ap);
}

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
static void die(const char *fmt, ...)
{
	unsigned long i = done > HISTORY ? done - HISTORY : 0;
	va_list ap;

	for (; i < done; i++)
		fprintf(stderr, "  op %lu: %s\n", i, history[i % HISTORY]);
	fprintf(stderr, "%s: seed %llu: ", program_invocation_short_name,
		(unsigned long long)seed);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

#endif
