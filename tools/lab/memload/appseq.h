/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which app comes next, as a text: the number of an app in each line, and the milliseconds for
 * which it stays, if that is not always the same. PURE.
 */
#ifndef MEMLOAD_APPSEQ_H
#define MEMLOAD_APPSEQ_H

#include <stddef.h>
#include <stdint.h>

#define APPSEQ_MOST 65536U

/* For a line without a time. */
#define APPSEQ_NO_TIME	 UINT32_MAX

struct appseq {
	size_t n;
	uint8_t apps[APPSEQ_MOST];
	uint32_t stay_ms[APPSEQ_MOST];
};

/* What is wrong with a text, and what to do. */
struct appseq_error {
	unsigned int line;
	char text[128];
};

int appseq_parse(struct appseq *sequence, const char *text, unsigned int apps,
		 struct appseq_error *error);

#endif
