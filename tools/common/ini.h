/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the text of an INI file: headings in brackets, "key = value", comments. PURE.
 */
#ifndef COMMON_INI_H
#define COMMON_INI_H

#include <stdbool.h>

/* Bytes of a line with its end. No value needs more: a list of programs can have several lines. */
#define INI_LINE 512

enum ini_kind {
	INI_HEADING,			/* "[section]" */
	INI_KEY,			/* "key = value" */
	INI_BROKEN,			/* a heading without "]" at its end */
	INI_BARE,			/* no heading, and no "=" */
	INI_LONG,			/* INI_LINE bytes or more with its end */
};

/* The strings are gone when the next line is read. */
struct ini_line {
	enum ini_kind kind;
	unsigned int number;		/* the first line is 1 */
	const char *section;		/* "" below a broken heading, NULL before all */
	const char *key;		/* of INI_KEY */
	const char *value;		/* of INI_KEY; may be "" */
	const char *text;		/* the line without blanks at its ends, cut if INI_LONG */
};

int ini_read(const char *text, bool relaxed, int (*take)(const struct ini_line *line, void *arg),
	     void *arg);

#endif
