// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "appout.h"
#include "record.h"

#define HEADER	"switch,app,time_s,latency_ms,hook_ms,majflt,minflt,cold\n"
#define LINE	"%llu,%u,%llu.%06llu,%llu.%03llu,%llu.%03llu,%llu,%llu,%d\n"

static int fail(const char *name)
{
	warn("cannot write to %s", name && strcmp(name, "-") ? name : "standard output");
	return -EIO;
}

/* Each line is at once where it can be read. */
static int written(const struct appout *all, int n)
{
	return n < 0 || fflush(all->out) ? fail(all->name) : 0;
}

/**
 * appout_begin() - open the file
 * @all: what is told
 * @name: of the file; "-" is standard output; NULL: there is none
 * @switches: how many will be told, at most
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int appout_begin(struct appout *all, const char *name, uint64_t switches)
{
	memset(all, 0, sizeof(*all));
	all->name = name;
	all->latencies = calloc((size_t)switches, sizeof(*all->latencies));
	if (!all->latencies) {
		warnx("no memory for that many latencies");
		return -ENOMEM;
	}
	if (!name)
		return 0;
	all->out = strcmp(name, "-") ? fopen(name, "we") : stdout;
	return all->out ? written(all, fputs(HEADER, all->out)) : fail(name);
}

/**
 * appout_switch() - a switch has ended
 * @all: what is told
 * @told: the switch
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int appout_switch(struct appout *all, const struct appout_switch *told)
{
	unsigned long long begin = told->begin_us, latency = told->end_us - begin;
	unsigned long long hook = told->hook_us;
	int n;

	all->latencies[all->n++] = latency;
	all->major_faults += told->major_faults;
	all->cold += told->cold;
	if (!all->out)
		return 0;
	n = fprintf(all->out, LINE, (unsigned long long)told->nr, told->app, begin / 1000000,
		    begin % 1000000, latency / 1000, latency % 1000, hook / 1000, hook % 1000,
		    (unsigned long long)told->major_faults,
		    (unsigned long long)told->minor_faults, told->cold);
	return written(all, n);
}

static uint64_t mean(const struct appout *all)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < all->n; i++)
		sum += all->latencies[i];
	return all->n ? sum / all->n : 0;
}

static void print_ms(FILE *to, const char *name, unsigned long long us)
{
	fprintf(to, " %s %llu.%03llu", name, us / 1000, us % 1000);
}

static uint64_t percentile(const struct appout *all, unsigned int percent)
{
	return all->n ? record_percentile(all->latencies, all->n, percent) : 0;
}

static void print_sum(const struct appout *all, uint64_t hook_failures)
{
	FILE *to = all->out == stdout ? stderr : stdout;

	fprintf(to, "switches %zu", all->n);
	print_ms(to, "mean", mean(all));
	print_ms(to, "p50", percentile(all, 50));
	print_ms(to, "p95", percentile(all, 95));
	print_ms(to, "max", percentile(all, 100));
	fprintf(to, " ms, cold %llu, killed %llu, hook failures %llu\nmajflt %llu\n",
		(unsigned long long)all->cold, (unsigned long long)all->killed,
		(unsigned long long)hook_failures, (unsigned long long)all->major_faults);
}

/**
 * appout_end() - tell the sum and close the file
 * @all: what is told
 * @hook_failures: of the run
 * @failed: the run did, so that there is no sum of nothing
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int appout_end(struct appout *all, uint64_t hook_failures, bool failed)
{
	int err = 0;

	record_sort(all->latencies, all->n);
	if (all->n || !failed)
		print_sum(all, hook_failures);
	if (all->out && all->out != stdout && fclose(all->out))
		err = fail(all->name);
	if (fflush(stdout))
		err = fail(NULL);
	free(all->latencies);
	return err;
}
