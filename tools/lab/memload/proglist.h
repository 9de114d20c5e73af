/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs, as a text: a name and a command in each line. PURE.
 */
#ifndef MEMLOAD_PROGLIST_H
#define MEMLOAD_PROGLIST_H

#include <stddef.h>

#define PROGLIST_MOST	 32U
#define PROGLIST_NAME	 16U
#define PROGLIST_COMMAND 512U

struct proglist_entry {
	char name[PROGLIST_NAME];
	char command[PROGLIST_COMMAND];
};

struct proglist {
	size_t n;
	struct proglist_entry entries[PROGLIST_MOST];
};

/* What is wrong with a text, and what to do. */
struct proglist_error {
	unsigned int line;
	char text[128];
};

int proglist_parse(struct proglist *list, const char *text, struct proglist_error *error);

#endif
