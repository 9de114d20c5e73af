/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A goal for the latency that a protected program reports: "p99 20ms". PURE.
 */
#ifndef LATD_SLO_H
#define LATD_SLO_H

#include <stdbool.h>
#include <stdint.h>

/* Latencies that are kept: of a program that reports each request, the last ones. */
#define SLO_KEPT 512

struct slo {
	unsigned int quantile;		/* permille: 990; 0: there is no goal */
	uint64_t goal_us;
	unsigned int n;			/* places that are in use, */
	unsigned int next;		/* and the one that is written next */
	uint64_t latency_us[SLO_KEPT];
	uint64_t when_us[SLO_KEPT];
};

int slo_parse(struct slo *slo, const char *text);
unsigned int slo_report(struct slo *slo, const char *text, uint64_t now_us);
bool slo_latency(const struct slo *slo, uint64_t now_us, uint64_t *us);

#endif
