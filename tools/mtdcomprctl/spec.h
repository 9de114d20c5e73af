/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The request for an attach and its text for /sys/devices/mtdcompr/attach. PURE.
 */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The module's limit in bytes, and one for the terminating 0. */
#define SPEC_TEXT 256

struct spec {
	const char *media;		/* number or name of an MTD, or a UBI volume */
	const char *algorithm;		/* NULL: the module's choice */
	const char *level;		/* NULL: the module's choice */
	uint64_t size;			/* bytes; 0: not given */
	unsigned int ratio;		/* percent; 0: not given */
	const char *name;		/* NULL: the module's choice */
	const char *more;		/* further options of the module, or NULL */
};

bool spec_text(const struct spec *spec, const char *algorithm, char *text, const char **why);
bool spec_clean(const char *text, bool commas);
const char *spec_algorithm(const char *name);
bool spec_same_levels(const char *name);
const char *spec_other(const char *algorithm, unsigned int turn);

#endif
