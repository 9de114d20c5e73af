// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <string.h>
#include "csv.h"
#include "patcfg.h"
#include "patout.h"

#define HEADER	"round,phase,begin_s,seconds,accesses,passes,majflt,minflt\n"
#define LINE	"%llu,%s,%llu.%06llu,%llu.%06llu,%llu,%.3f,%llu,%llu\n"

static int fail(const char *name)
{
	warn("cannot write to %s", strcmp(name, "-") ? name : "standard output");
	return -EIO;
}

/* Each line is at once where it can be read. */
static int written(int n, FILE *to, const char *name)
{
	return n < 0 || fflush(to) ? fail(name) : 0;
}

static int open_out(FILE **to, const char *name)
{
	if (!name)
		return 0;
	*to = strcmp(name, "-") ? fopen(name, "we") : stdout;
	return *to ? 0 : fail(name);
}

/**
 * patout_begin() - open the files
 * @all: what is told
 * @options: the names of the files
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int patout_begin(struct patout *all, const struct patopt *options)
{
	memset(all, 0, sizeof(*all));
	all->options = options;
	if (open_out(&all->out, options->out) || open_out(&all->marks, options->marks))
		return -EIO;
	return all->out ? written(fputs(HEADER, all->out), all->out, options->out) : 0;
}

/**
 * patout_mark() - a phase begins
 * @all: what is told
 * @name: of the phase
 * @now_us: the time
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int patout_mark(struct patout *all, const char *name, uint64_t now_us)
{
	unsigned long long now = now_us;
	int n;

	if (!all->marks)
		return 0;
	n = fprintf(all->marks, "phase %s %llu.%06llu\n", name, now / 1000000, now % 1000000);
	return written(n, all->marks, all->options->marks);
}

/**
 * patout_phase() - a phase has ended
 * @all: what is told
 * @phase: the phase
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int patout_phase(struct patout *all, const struct patout_phase *phase)
{
	unsigned long long begin = phase->begin_us, us = phase->end_us - phase->begin_us;
	double passes = phase->pass ? (double)phase->accesses / (double)phase->pass : 0;
	char name[2 * PATCFG_NAME + 2];
	int n;

	if (phase->round) {
		all->accesses += phase->accesses;
		all->us += us;
	}
	if (!all->out)
		return 0;
	if (csv_quote(phase->name, name, sizeof(name)))
		return -EOVERFLOW;
	n = fprintf(all->out, LINE, (unsigned long long)phase->round, name, begin / 1000000,
		    begin % 1000000, us / 1000000, us % 1000000,
		    (unsigned long long)phase->accesses, passes,
		    (unsigned long long)phase->major_faults,
		    (unsigned long long)phase->minor_faults);
	return written(n, all->out, all->options->out);
}

static int close_out(FILE *file, const char *name)
{
	return file && file != stdout && fclose(file) ? fail(name) : 0;
}

/**
 * patout_end() - tell the sum and close the files
 * @all: what is told
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int patout_end(struct patout *all)
{
	FILE *to = all->out == stdout ? stderr : stdout;
	double seconds = (double)all->us / 1e6;

	fprintf(to, "%llu accesses, %.6f s, %.0f accesses/s\n", (unsigned long long)all->accesses,
		seconds, all->us ? (double)all->accesses / seconds : 0);
	if (close_out(all->out, all->options->out) || close_out(all->marks, all->options->marks))
		return -EIO;
	return 0;
}
