/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration of a daemon: a table says which keys there are, an INI file and "-o" on the
 * command line set them. A file is taken whole or not at all: the values are a copy until all
 * of it was right.
 */
#ifndef POLICY_CONF_H
#define POLICY_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message with the file, the line, the reason and what to do fits. */
#define CONF_MESSAGE 512

enum conf_type {
	CONF_BOOL,			/* bool: yes, no */
	CONF_UINT,			/* unsigned int, min to max */
	CONF_PERMILLE,			/* unsigned int: percent with one decimal, times ten */
	CONF_AMOUNT,			/* struct conf_amount: as CONF_PERMILLE, or 80MiB */
	CONF_BYTES,			/* uint64_t: 64M, or "auto", which is 0 */
	CONF_CHOICE,			/* unsigned int: index into choices */
	CONF_TEXT,			/* char[max] */
	CONF_LIST,			/* char[max]: words, more each time the key is there */
};

/* A part of something, or so many bytes of it: then @bytes is not 0. */
struct conf_amount {
	unsigned int permille;
	uint64_t bytes;
};

struct conf_key {
	const char *section;
	const char *name;
	enum conf_type type;
	size_t offset;			/* of the value in the structure */
	uint64_t min;
	uint64_t max;
	const char *const *choices;	/* ends with NULL */
	const char *unit;		/* for messages: " ms", "%" */
};

int conf_set(const struct conf_key *keys, void *values, const char *section, const char *name,
	     const char *text, char *message);
int conf_set_option(const struct conf_key *keys, void *values, const char *option,
		    char *message);
int conf_load(const struct conf_key *keys, void *values, const char *path, char *message);
uint64_t conf_amount_of(const struct conf_amount *amount, uint64_t total);
bool conf_list_has(const char *list, const char *word);
bool conf_can_load(void);

#endif
