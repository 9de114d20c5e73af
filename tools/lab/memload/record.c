// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "csv.h"
#include "record.h"

/* As RECORD_HEADER. */
#define LINE "%s,%llu.%06llu,%llu.%06llu,%llu.%03llu,%llu,%llu,%llu,%016llx,%llu.%03llu\n"

/**
 * record_line() - a line of CSV
 * @record: what it tells
 * @buf: where to
 * @size: of @buf in bytes
 *
 * Return: 0; -EOVERFLOW, if it does not fit.
 */
int record_line(const struct record *record, char *buf, size_t size)
{
	unsigned long long due = record->due_us, begin = record->begin_us;
	unsigned long long latency = record->end_us - begin, late = begin - due;
	unsigned long long major = record->major_faults, minor = record->minor_faults;
	unsigned long long rss = record->rss_kib, class = record->class;
	char name[600];
	int n, err = csv_quote(record->image, name, sizeof(name));

	if (err)
		return err;
	n = snprintf(buf, size, LINE, name, due / 1000000, due % 1000000, begin / 1000000,
		     begin % 1000000, latency / 1000, latency % 1000, major, minor, rss, class,
		     late / 1000, late % 1000);
	return n < 0 || (size_t)n >= size ? -EOVERFLOW : 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/**
 * record_sort() - sort latencies
 * @latencies_us: the latencies
 * @n: how many
 */
void record_sort(uint64_t *latencies_us, size_t n)
{
	if (n)
		qsort(latencies_us, n, sizeof(*latencies_us), compare);
}

/**
 * record_percentile() - the smallest latency that so many are not above
 * @sorted: the latencies
 * @n: how many, at least one
 * @percent: of them that are not above it, from 1 to 100
 *
 * Return: the latency.
 */
uint64_t record_percentile(const uint64_t *sorted, size_t n, unsigned int percent)
{
	uint64_t rank = ((uint64_t)n * percent + 99) / 100;

	return sorted[rank - 1];
}
