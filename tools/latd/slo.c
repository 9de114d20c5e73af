// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "parse.h"
#include "slo.h"

/* Older reports do not count. A program may report once a second. */
#define RECENT_US 2500000

static const struct {
	const char *name;
	unsigned int decimals;		/* of a number in this unit, down to microseconds */
} units[] = { { "us", 0 }, { "ms", 3 }, { "s", 6 } };

/* duration() - "20ms", "0.5s", "900us"; microseconds */
static int duration(const char *text, size_t len, uint64_t *us)
{
	size_t digits = strspn(text, "0123456789."), i;
	char number[32];

	if (!digits || digits >= sizeof(number) || digits > len)
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (len - digits == strlen(units[i].name) &&
		    !strncmp(text + digits, units[i].name, len - digits))
			return parse_decimal(number, units[i].decimals, us);
	return -EINVAL;
}

/**
 * slo_parse() - begin, with a goal
 * @slo: filled in; nothing is reported yet
 * @text: "p99 20ms", "p50 900us", "p99.9 0.5s"; "": no goal
 *
 * Return: 0, or -EINVAL.
 */
int slo_parse(struct slo *slo, const char *text)
{
	uint64_t permille;
	const char *space;

	memset(slo, 0, sizeof(*slo));
	if (!*text)
		return 0;
	space = strchr(text, ' ');
	if (*text != 'p' || !space || parse_decimal(text + 1, 1, &permille) || !permille ||
	    permille >= 1000)
		return -EINVAL;
	space += strspn(space, " ");
	if (duration(space, strlen(space), &slo->goal_us) || !slo->goal_us)
		return -EINVAL;
	slo->quantile = (unsigned int)permille;
	return 0;
}

/**
 * slo_report() - latencies of requests
 * @slo: of slo_parse()
 * @text: a line each, such as "12.5ms"; other lines are left out
 * @now_us: the time
 *
 * Return: how many there were.
 */
unsigned int slo_report(struct slo *slo, const char *text, uint64_t now_us)
{
	unsigned int found = 0;
	uint64_t us;

	for (; text && *text; text = parse_next_line(text)) {
		if (duration(text, strcspn(text, "\n"), &us))
			continue;
		slo->latency_us[slo->next] = us;
		slo->when_us[slo->next] = now_us;
		slo->next = (slo->next + 1) % SLO_KEPT;
		if (slo->n < SLO_KEPT)
			slo->n++;
		found++;
	}
	return found;
}

static int by_size(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/**
 * slo_latency() - the quantile of the reports of the last seconds
 * @slo: of slo_parse()
 * @now_us: the time
 * @us: filled in; of few reports the longest one
 *
 * Return: false without a goal or reports.
 */
bool slo_latency(const struct slo *slo, uint64_t now_us, uint64_t *us)
{
	uint64_t recent[SLO_KEPT];
	unsigned int i, n = 0;

	for (i = 0; i < slo->n; i++)
		if (now_us - slo->when_us[i] <= RECENT_US)
			recent[n++] = slo->latency_us[i];
	if (!slo->quantile || !n)
		return false;
	qsort(recent, n, sizeof(recent[0]), by_size);
	*us = recent[n * slo->quantile / 1000];
	return true;
}
