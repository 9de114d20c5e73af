/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latencies that protected programs report, and the goal in the configuration, such as "p99 20ms".
 * Programs write a line per latency into a FIFO.
 */
#ifndef LATD_LATENCY_H
#define LATD_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Older latencies do not count, as a program may report once a second. */
#define SLO_RECENT_US 2500000
/* So many of the last latencies are kept. */
#define SLO_KEPT 512

/* A goal, and the latencies. */
struct slo {
	unsigned int quantile;		/* permille: 990; 0: no goal */
	uint64_t goal_us;
	unsigned int n;			/* places in use, */
	unsigned int next;		/* and the place that is written next */
	uint64_t latency_us[SLO_KEPT];
	uint64_t when_us[SLO_KEPT];
};

int slo_parse(struct slo *slo, const char *text);
unsigned int slo_report(struct slo *slo, const char *text, uint64_t now_us);
bool slo_latency(const struct slo *slo, uint64_t now_us, uint64_t *us);
int report_open(const char *path, uid_t user);
void report_read(struct slo *slo, uint64_t now_us);
void report_close(void);

#endif
