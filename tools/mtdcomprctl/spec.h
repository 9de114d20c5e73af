/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an attach is asked for, and the text for /sys/devices/mtdcompr/attach that says it. PURE.
 */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the module takes, and one for the end. */
#define SPEC_TEXT 256

struct spec {
	const char *media;		/* number or name of an MTD, or a UBI volume */
	const char *algorithm;		/* NULL: the module's choice */
	const char *level;		/* NULL: the module's choice */
	uint64_t size;			/* bytes; 0: not given */
	unsigned int ratio;		/* percent; 0: not given */
	const char *name;		/* NULL: the module's choice */
	const char *more;		/* options of the module as they are, or NULL */
};

bool spec_text(const struct spec *spec, const char *algorithm, char *text, const char **why);
bool spec_clean(const char *text, bool commas);
const char *spec_algorithm(const char *name);
bool spec_same_levels(const char *name);
const char *spec_other(const char *algorithm, unsigned int turn);

#endif
