/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is written of each image, and of all. PURE.
 */
#ifndef MEMLOAD_RECORD_H
#define MEMLOAD_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct record {
	const char *image;
	uint64_t due_us;
	uint64_t begin_us;
	uint64_t end_us;
	uint64_t major_faults;
	uint64_t minor_faults;
	uint64_t rss_kib;
	uint64_t class;			/* a checksum of what was found in it */
};

#define RECORD_HEADER \
	"image,due_s,begin_s,latency_ms,majflt,minflt,rss_kib,class,late_ms\n"

int record_line(const struct record *record, char *buf, size_t size);
void record_sort(uint64_t *latencies_us, size_t n);
uint64_t record_percentile(const uint64_t *sorted, size_t n, unsigned int percent);

#endif
